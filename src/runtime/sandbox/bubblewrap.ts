/**
 * @module
 * This folder runs a definition that a student has submitted, in a process without rights. This file starts such a
 * process in bubblewrap: its own namespaces without network, an environment with only PWD, nothing to write to, and only Node, the
 * submission, and some sources of usurp to read (submitted-definition.ts). Node's permission model, which is a second barrier,
 * denies processes, threads and native code. Without bubblewrap nothing is started.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { LabError } from '../../errors.ts';

/**
 * Memory that the process may write, in all, of which V8's heap is a part, and its stack. A process that repeats what another
 * one has done has more of each, so that a result which depends on a limit is another one.
 */
const LIMITS = {
  first: { dataMb: 768, heapMb: 256, stackKb: 984 },
  repeating: { dataMb: 864, heapMb: 288, stackKb: 1100 },
} as const;
/** Everything is done in one thread: otherwise the time of a compilation or of a collection would show in the depth of the stack. */
const ONE_THREAD = ['--single-threaded'];
/** Node starts about ten threads, which count as processes. */
const PROCESSES_MAX = 32;
const FILES_OPEN_MAX = 64;

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const INSIDE = '/usurp';
const SUBMISSION = '/submission';
const NODE = '/node';
const UNPRIVILEGED = '65534';
const HOST = 'usurp';

const INSTRUCTIONS =
  'submitted files run only in bubblewrap: on Debian and Ubuntu "apt-get install bubblewrap" installs it (0.8 or newer), and the kernel must allow user namespaces (sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)';

/** Throws LabError `arguments` with instructions if no sandbox can be started on this machine. */
export function assertSandbox(): void {
  const fault = sandboxFault();
  if (fault !== null) throw new LabError('arguments', `${fault}; ${INSTRUCTIONS}`);
}

/** Why no sandbox can be started on this machine. Null if one can. */
export function sandboxFault(): string | null {
  if (process.platform !== 'linux') return `bubblewrap does not exist for ${process.platform}`;
  const missing = ['bwrap', 'prlimit', 'ldd', 'mkfifo'].find((name) => pathOf(name) === null);
  if (missing !== undefined) return `${missing} is not installed`;
  const nothing = {
    submission: ROOT,
    sources: new Map<string, string>(),
    limits: 'first',
  } as const;
  const [program, ...args] = confinedCommand(nothing, [NODE, '--version']);
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? null : `bubblewrap cannot start a process (${stderr.trim()})`;
}

interface Confined {
  /** The folder that the process can read as its submission. */
  readonly submission: string;
  /** The files that it can read, from the folder of usurp, by their paths in it. */
  readonly sources: ReadonlyMap<string, string>;
  /** The script of usurp that runs, and its arguments. */
  readonly script: string;
  readonly args: readonly string[];
  /** Descriptors of this process that the other one reads and writes. */
  readonly requests: number;
  readonly answers: number;
  readonly limits: keyof typeof LIMITS;
}

/** Starts a script of usurp in a sandbox. It is killed when the thread that starts it ends. */
export function startConfined({
  submission,
  sources,
  script,
  args,
  requests,
  answers,
  limits,
}: Confined): ChildProcess {
  const { heapMb, stackKb } = LIMITS[limits];
  const node = [NODE, '--permission', '--allow-fs-read=*', ...ONE_THREAD];
  const bounds = [`--max-old-space-size=${heapMb}`, `--stack-size=${stackKb}`];
  const inside = [...node, ...bounds, `${INSIDE}/${script}`, ...args];
  const [program, ...rest] = confinedCommand({ submission, sources, limits }, inside);
  return spawn(program, rest, {
    // Output of the file is dropped.
    stdio: ['ignore', 'ignore', 'ignore', requests, answers],
  });
}

/** The path of a submitted file inside the sandbox. */
export function insideSubmission(path: string): string {
  return `${SUBMISSION}/${path}`;
}

function confinedCommand(
  { submission, sources, limits: kind }: Pick<Confined, 'submission' | 'sources' | 'limits'>,
  command: readonly string[],
): [string, ...string[]] {
  const bound = (from: string, to: string) => ['--ro-bind', from, to];
  const limits = pathOf('prlimit') ?? 'prlimit';
  return [
    'bwrap',
    ...[
      '--unshare-all',
      '--unshare-user',
      '--disable-userns',
      '--uid',
      UNPRIVILEGED,
      '--gid',
      UNPRIVILEGED,
    ],
    ...[
      '--hostname',
      HOST,
      '--cap-drop',
      'ALL',
      '--die-with-parent',
      '--new-session',
      '--clearenv',
    ],
    ...librariesOf([process.execPath, limits]).flatMap((path) => bound(realpathSync(path), path)),
    ...bound(realpathSync(limits), limits),
    ...bound(realpathSync(process.execPath), NODE),
    ...[...sources].flatMap(([path, file]) => bound(resolve(ROOT, file), `${INSIDE}/${path}`)),
    ...bound(submission, SUBMISSION),
    ...['--remount-ro', '/', '--chdir', SUBMISSION, '--'],
    ...[limits, `--data=${LIMITS[kind].dataMb * 2 ** 20}`, `--nproc=${PROCESSES_MAX}`],
    ...[`--nofile=${FILES_OPEN_MAX}`, '--fsize=0', '--core=0', '--'],
    ...command,
  ];
}

/** The absolute path of a program of the system. Null if it is not installed. */
function pathOf(program: string): string | null {
  const { status, stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

let libraries: readonly string[] | null = null;

/** The shared libraries of these programs, with the loader. */
function librariesOf(programs: readonly string[]): readonly string[] {
  if (libraries !== null) return libraries;
  const { stdout } = spawnSync('ldd', programs, { encoding: 'utf8' });
  const found = stdout.split('\n').flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
  libraries = [...new Set(found)].toSorted();
  return libraries;
}
