/**
 * @module
 * This folder contains the verbs that help to install and to find one's way. This file is `usurp doctor`: what this
 * machine has, what each thing is for, and how to install what is missing.
 */

import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, globSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { basename } from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { LabError } from '../../errors.ts';
import { ZOOKEEPER_JAR } from '../../live/stores/own-store.ts';
import { deviceText } from '../../mining/device/facts.ts';
import { DEVICE_PACKAGE, openDevice } from '../../runtime/device/webgpu.ts';
import { sandboxFault } from '../../runtime/sandbox/bubblewrap.ts';
import { kernelSource } from '../../runtime/threads/kernels.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { textColumns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

/** Something that usurp uses. */
interface Finding {
  readonly name: string;
  readonly isNeeded: boolean;
  /** What was found, such as a version. Null if it is missing. */
  readonly found: string | null;
  /** What is wrong, if it is there and cannot be used. */
  readonly fault?: string | undefined;
  readonly purpose: string;
  /** What to do if it is missing. */
  readonly remedy: string;
}

/** A program that is used if it is installed. */
interface Program {
  /** Names of the program. The first that is installed counts. */
  readonly names: readonly [string, ...string[]];
  /** The argument that prints its version. */
  readonly ask: string;
  /** A file without which the program is of no use. */
  readonly needs?: string;
  readonly purpose: string;
  readonly debian: string;
}

const SANDBOX = 'bwrap';

const PROGRAMS: readonly Program[] = [
  {
    names: ['redis-server', 'valkey-server'],
    ask: '--version',
    purpose: 'sweeps on several machines; a store of live nodes',
    debian: 'redis-server',
  },
  {
    names: ['etcd'],
    ask: '--version',
    purpose: 'a store of live nodes',
    debian: 'etcd-server',
  },
  {
    names: ['java'],
    ask: '-version',
    needs: ZOOKEEPER_JAR,
    purpose: 'ZooKeeper, a store of live nodes',
    debian: 'default-jre-headless libzookeeper-java',
  },
  {
    names: [SANDBOX],
    ask: '--version',
    purpose: 'the sandbox in which usurp grade runs files of students (Linux only)',
    debian: 'bubblewrap',
  },
  {
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    ask: '--version',
    purpose: 'a browser for the lab; the tests of its pages',
    debian: 'chromium',
  },
  {
    names: ['spin'],
    ask: '-V',
    purpose: 'only tests: another model checker that must agree',
    debian: 'spin',
  },
  {
    names: ['gcc'],
    ask: '--version',
    purpose: 'only tests: it compiles the searches of SPIN',
    debian: 'gcc',
  },
  {
    names: ['go'],
    ask: 'version',
    purpose: 'the client of exercises in Go',
    debian: 'golang-go',
  },
];

const PROGRAM_MS_MAX = 5_000;
const MEMORY_GB_MIN = 2;
const GB = 2 ** 30;

/** The command `doctor`. */
export function doctorCommand(session: Session): Command {
  return verb('doctor', 'Show what this machine has of what usurp needs and can use.')
    .addHelpText('after', HELP)
    .action((options: OutputOptions) =>
      session.run(options, (terminal) => examine(options, terminal)),
    );
}

const HELP = `
Node, SIMD, memory and writable folders are needed. The programs are optional: without one, what it is for is refused.
Nothing is installed or sent.

Exit codes: 0 everything that is needed is there; 1 something is missing.

Examples:
  usurp doctor
  usurp doctor --json`;

async function examine(options: OutputOptions, terminal: Terminal): Promise<ExitCode> {
  const findings = [
    ...thisMachine(),
    ...(await Promise.all(PROGRAMS.map(examined))),
    await graphicsCard(),
  ];
  const isReady = findings.every(({ isNeeded, found }) => found !== null || !isNeeded);
  if (wantsJson(options)) terminal.print(`${JSON.stringify({ isReady, findings })}\n`);
  else terminal.print(textColumns(findings.map(rowOf)));
  return isReady ? EXIT.holds : EXIT.violated;
}

function rowOf({ name, isNeeded, found, fault, purpose, remedy }: Finding): string[] {
  const state = found === null ? (fault ?? (isNeeded ? 'missing' : 'not found')) : 'ok';
  return [name, state, found === null ? `${purpose}. ${remedy}` : `${found}: ${purpose}`];
}

function thisMachine(): Finding[] {
  const memory = totalmem() / GB;
  const needed = { isNeeded: true } as const;
  const folders = [process.cwd(), tmpdir()].map((folder) => ({
    ...needed,
    name: folder === process.cwd() ? 'this folder' : 'temporary folder',
    found: isWritable(folder) ? folder : null,
    fault: existsSync(folder) ? 'not writable' : undefined,
    purpose:
      folder === process.cwd()
        ? 'results and keys'
        : 'files that usurp makes again at the next start',
    remedy: `${folder} ${existsSync(folder) ? 'cannot be written' : 'does not exist'}: change into another folder, or set TMPDIR`,
  }));
  return [
    {
      ...needed,
      name: 'Node',
      found: process.version,
      purpose: 'it runs usurp',
      remedy: '',
    },
    {
      ...needed,
      name: 'SIMD',
      found: hasKernels() ? 'WebAssembly' : null,
      purpose: 'fast mining',
      remedy: 'This processor or Node has no SIMD in WebAssembly, or the kernels are not built',
    },
    {
      ...needed,
      name: 'cores',
      found: String(availableParallelism()),
      purpose: 'threads of --threads and --workers',
      remedy: '',
    },
    {
      ...needed,
      name: 'memory',
      found: memory >= MEMORY_GB_MIN * 0.9 ? `${memory.toFixed(1)} GB` : null,
      purpose: 'checks keep the worlds that they have visited',
      remedy: `It has ${memory.toFixed(1)} GB; ${MEMORY_GB_MIN} GB are enough for most checks`,
    },
    ...folders,
  ];
}

/** Whether the kernels of mining can be instantiated. */
function hasKernels(): boolean {
  try {
    return kernelSource().solutions() !== null;
  } catch {
    return false;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return existsSync(folder);
  } catch {
    return false;
  }
}

async function examined({ names, ask, needs, purpose, debian }: Program): Promise<Finding> {
  const answers = await Promise.all(names.map((name) => versionOf(name, ask)));
  const found = answers.find((answer) => answer !== null && answer !== BROKEN) ?? null;
  const [name] = names;
  const fault = name === SANDBOX && found !== null ? sandboxFault() : null;
  const isWhole = needs === undefined || existsSync(needs);
  const remedy = fault ?? `Debian and Ubuntu: apt-get install ${debian}`;
  return {
    ...{ name, isNeeded: false, purpose, remedy },
    found: fault === null && isWhole ? found && [found, ...versionedFiles(needs)].join(', ') : null,
    ...(found === null && answers.includes(BROKEN) ? { fault: 'does not run' } : {}),
    ...(found !== null && !isWhole ? { fault: `without ${needs}` } : {}),
  };
}

/** The names beside a file that are its own with a version, as Debian has them for zookeeper.jar. */
function versionedFiles(path = ''): readonly string[] {
  return globSync(path.replace(/\.jar$/, '-[0-9]*.jar')).map((each) => basename(each, '.jar'));
}

/** The device that searches with --device gpu use. */
async function graphicsCard(): Promise<Finding> {
  const device = await openDevice().catch((error: unknown) => {
    if (error instanceof LabError) return error;
    throw error;
  });
  const isMissing = device instanceof LabError;
  return {
    name: 'graphics card',
    isNeeded: false,
    found: isMissing ? null : deviceText(device),
    purpose: 'searches with --device gpu, through the package webgpu (not installed by default)',
    remedy: isMissing ? device.message : DEVICE_PACKAGE.remedy,
  };
}

/** A program that can be started, and does not print its version in time. */
const BROKEN = 'broken';

/** The version that a program prints, or `BROKEN`. Null if it cannot be started. */
function versionOf(name: string, ask: string): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  execFile(name, [ask], { timeout: PROGRAM_MS_MAX }, (error, stdout, stderr) => {
    // Some programs print their version and end with another code than 0.
    if (error !== null && typeof error.code === 'string') resolve(null);
    else resolve(/\d+(?:\.\d+)+/.exec(`${stdout}${stderr}`)?.[0] ?? BROKEN);
  });
  return promise;
}
