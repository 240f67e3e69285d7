/**
 * @module
 * `usurp conform`: runs the conformance suite on the protocols that a file defines, and the test beside the
 * file. Prints a report, and exits 0 if all of it passes and 1 if not.
 */

import { spawn } from 'node:child_process';
import nodeCrypto from 'node:crypto';
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { findProtocol } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { parseSeed } from '../../random.ts';
import { loadedFiles } from '../../runtime/load/load-definitions.ts';
import { conform } from '../../simulation/conform/conform.ts';
import type { Finding } from '../../simulation/conform/finding.ts';
import { seed } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface ConformOptions extends OutputOptions {
  readonly seed: ReturnType<typeof parseSeed>;
}

interface ProtocolReport {
  readonly protocol: string;
  readonly conforms: boolean;
  readonly findings: readonly Finding[];
}

interface TestReport {
  readonly test: string;
  readonly conforms: boolean;
  /** What the test printed, if it failed. */
  readonly output: string;
}

const RUN_TEST = fileURLToPath(new URL('../../runtime/load/run-test.ts', import.meta.url));

/** The command `conform`. */
export function conformCommand(session: Session): Command {
  return verb(
    'conform',
    'Check a protocol of a file against the contract of machines and its own definition, and run its test.',
  )
    .argument('<file>', 'TypeScript file that exports definitions')
    .option('--seed <seed>', 'seed of all random events and rings', seed, parseSeed('1'))
    .addHelpText('after', HELP)
    .action((file: string, options: ConformOptions) =>
      session.run(options, (terminal) => report(file, options, terminal)),
    );
}

const HELP = `
Checks that the machine accepts every event, has no clock, chance or memory of its own, keeps plain JSON data
in its state, changes nothing that it is given, and ignores foreign messages and timers; that the definition
lists the members that name a candidate; that elections on random rings finish with the right leader and send only listed messages, no more than about the stated
number; that the simulator agrees with the reference semantics; and that runs under each fault of the fault
matrix show what the definition states. Then the test beside the file (NAME.test.ts), if there is one, is run
with node:test. Definitions of other kinds are checked by their test alone.
Exits 0 if every check holds and the test passes, else 1.

Example:
  usurp conform ./franklin.ts`;

async function report(
  file: string,
  options: ConformOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const names = loadedFiles()
    .flatMap(({ definitions }) => definitions)
    .flatMap(({ kind, name }) => (kind === 'protocol' ? [name] : []));
  const test = file.replace(/\.[a-z]+$/, '.test$&');
  const hasTest = test !== file && existsSync(test);
  if (names.length === 0 && !hasTest) {
    const detail = `the file defines no protocol, and there is no test ${test}; export what defineProtocol({...}) returns, or write the test`;
    throw new LabError('arguments', detail);
  }
  const reports = names.map((name) => reportOn(name, options));
  const tests = hasTest ? [await runTest(file, test, terminal)] : [];
  const all = [...reports, ...tests];
  terminal.print(
    wantsJson(options)
      ? `${JSON.stringify(all)}\n`
      : [...reports.map(protocolText), ...tests.map(testText)].join('\n'),
  );
  if (terminal.signal.aborted) return EXIT.interrupted;
  return all.every(({ conforms }) => conforms) ? EXIT.holds : EXIT.violated;
}

function reportOn(name: string, options: ConformOptions): ProtocolReport {
  const protocol = findProtocol(name);
  if (protocol === null) throw new TypeError(`"name" expected a protocol, got ${name}`);
  const findings = withoutClock(() => conform({ protocol, seed: options.seed }));
  return { protocol: name, conforms: findings.every(({ holds }) => holds), findings };
}

/** Runs the test of a file in a process of its own, which loads the file first. */
async function runTest(file: string, test: string, { signal }: Terminal): Promise<TestReport> {
  const child = spawn(process.execPath, [RUN_TEST, file, test], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve).on('error', () => resolve(null));
  });
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const conforms = (await ended) === 0;
  return { test, conforms, output: conforms ? '' : `${output}${errors}` };
}

function protocolText({ protocol, conforms, findings }: ProtocolReport): string {
  const rows = findings.map(({ check, holds, detail }) => [
    holds ? 'holds' : 'FAILS',
    check,
    detail,
  ]);
  return [`${protocol} ${conforms ? 'conforms' : 'does not conform'}`, columns(rows)].join('\n');
}

function testText({ test, conforms, output }: TestReport): string {
  return `${test} ${conforms ? 'passes' : 'FAILS'}\n${output}`;
}

/** Where a program gets time or chance from. A member comes before the object that it belongs to. */
const SOURCES: readonly (readonly [owner: object, name: string, label: string])[] = [
  [Math, 'random', 'Math.random'],
  [Date, 'now', 'Date.now'],
  [globalThis, 'Date', 'Date'],
  [performance, 'now', 'performance.now'],
  [process.hrtime, 'bigint', 'process.hrtime.bigint'],
  [process, 'hrtime', 'process.hrtime'],
  [crypto, 'randomUUID', 'crypto.randomUUID'],
  [crypto, 'getRandomValues', 'crypto.getRandomValues'],
  [nodeCrypto, 'randomUUID', 'crypto.randomUUID'],
  [nodeCrypto, 'randomBytes', 'crypto.randomBytes'],
  [nodeCrypto, 'randomInt', 'crypto.randomInt'],
];

/** Makes clock and chance throw while the machines run, so that a use of them is found at once. */
function withoutClock<T>(work: () => T): T {
  const saved = SOURCES.map(([owner, name]) => Reflect.getOwnPropertyDescriptor(owner, name));
  try {
    for (const [owner, name, label] of SOURCES) {
      const value = refusing(Reflect.get(owner, name), label);
      Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    }
    syncBuiltinESMExports();
    return work();
  } finally {
    for (const [index, [owner, name]] of SOURCES.entries()) {
      const before = saved[index];
      if (before === undefined) Reflect.deleteProperty(owner, name);
      else Object.defineProperty(owner, name, before);
    }
    syncBuiltinESMExports();
  }
}

/** A function that throws when it is called. A date of a given time can still be made. */
function refusing(source: object, label: string): object {
  const refuse = (): never => {
    throw new TypeError(`the machine calls ${label}; time and chance are events of a driver`);
  };
  return new Proxy(source, {
    apply: refuse,
    construct: (target, args, made) =>
      args.length === 0 ? refuse() : Reflect.construct(Object(target), args, made),
  });
}
