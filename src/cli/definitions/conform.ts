/**
 * @module
 * `usurp conform`: runs the conformance suite on the protocols that a file defines, and the test beside the
 * file. Prints a report, and exits 0 if all of it passes and 1 if not.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Command } from 'commander';
import { Option } from 'commander';
import { LabError } from '../../errors.ts';
import { LIVE_DEFAULTS } from '../../live/live-machine.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import { loadedFiles, threadArguments } from '../../runtime/load/load-definitions.ts';
import type { Finding } from '../../simulation/conform/finding.ts';
import { failed } from '../../simulation/conform/finding.ts';
import type { NodeTestOptions } from '../live/conform-node.ts';
import { reportNode, TESTED_LEVELS } from '../live/conform-node.ts';
import { duration, seed } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { textColumns } from '../shell/layout.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { ConformMessage, ConformOrder } from './conform-thread.ts';

interface ConformOptions extends NodeTestOptions {
  readonly url?: string;
  readonly seed: Seed;
  readonly seconds: number;
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

const THREAD = new URL('./conform-thread.ts', import.meta.url);
const SECONDS_MAX = 60;
const WAIT_SECONDS = 10;
const MEMORY_MB_MAX = 1024;
/**
 * Bound of the young generation. When a thread reaches its limit, Node grants a few megabytes more until it stops the
 * thread. A larger young generation that survives exceeds them, and V8 then ends the process.
 */
const YOUNG_MB_MAX = 4;

/** The command `conform`. */
export function conformCommand(session: Session): Command {
  return verb(
    'conform',
    'Check a protocol of a file against the contract of machines and its own definition, and run its test; or test a node.',
  )
    .argument('[file]', 'TypeScript file that exports definitions')
    .option('--seed <seed>', 'seed of all random events and rings', seed, parseSeed('1'))
    .option(
      '--seconds <time>',
      'time limit of the checks of one protocol, and of the test',
      duration,
      SECONDS_MAX,
    )
    .option('--url <url>', 'test the node at this address instead of a file')
    .option('--peers <file>', 'with --url: addresses and claims of three nodes, as for usurp node')
    .option(
      '--identity <file>',
      'with --url: key file of a node that the test plays; give it twice',
      (file: string, files: readonly string[]) => [...files, file],
      [],
    )
    .addOption(
      new Option('--level <level>', 'with --url: what a receiver checks in a message')
        .choices(TESTED_LEVELS)
        .default('L3'),
    )
    .addOption(
      new Option(
        '--latency <time>',
        'with --url: longest time that a message may take, as the node has it',
      )
        .argParser(duration)
        .default(LIVE_DEFAULTS.latencySeconds, `${LIVE_DEFAULTS.latencySeconds * 1000}ms`),
    )
    .addOption(
      new Option('--wait <time>', 'with --url: how long to wait for each expected message')
        .argParser(duration)
        .default(WAIT_SECONDS, `${WAIT_SECONDS}s`),
    )
    .addHelpText('after', HELP)
    .action((file: string | undefined, options: ConformOptions) =>
      session.run(options, (terminal) => {
        if ((file === undefined) === (options.url === undefined)) {
          throw new LabError('arguments', 'give either a file or --url, and not both');
        }
        return options.url === undefined
          ? report(file ?? '', options, terminal)
          : reportNode(options.url, options, terminal);
      }),
    );
}

const HELP = `
Checks that the machine accepts every event, has no clock, chance or memory of its own, keeps plain JSON data
in its state, changes nothing that it is given, and ignores foreign messages and timers; that the definition
lists the members that name a candidate; that elections on random rings, started by all nodes or by some, together or
one after the other, finish with the right leader and send only listed messages, no more than about the stated number;
that the simulator agrees with the reference semantics; that the protocol has what it claims in every order of events of
three nodes, in at most 20 000 worlds for each timing and each mode of starts; that
runs under each fault of the fault matrix show what the definition states; and that the machine only compares,
copies and raises the counters that the definition states. Then the test beside the file (NAME.test.ts), if there is one, is run
with node:test. Definitions of other kinds are checked by their test alone.
The checks run in a thread with a limit of time and of memory.
Exits 0 if every check holds and the test passes, else 1.

With --url, a running bully-oneshot node of any program is tested against the peer protocol (docs/peer-protocol.md). The
peers file lists three nodes, of which it is the middle one by its node ID. The command plays the other two at their
addresses, with the keys of --identity. Each deviation is one sentence: what was sent, expected and received. Exits 2 if the
node does not run.

Examples:
  usurp conform ./franklin.ts
  usurp conform --url http://127.0.0.1:7002 --peers peers.json --identity key-1.json --identity key-3.json`;

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
  const reports: ProtocolReport[] = [];
  for (const name of names) reports.push(await reportOn({ name, file }, options, terminal.signal));
  const tests =
    hasTest && !terminal.signal.aborted
      ? [await runTest(file, test, options.seconds, terminal)]
      : [];
  const all = [...reports, ...tests];
  terminal.print(
    wantsJson(options)
      ? `${JSON.stringify(all)}\n`
      : [...reports.map(protocolText), ...tests.map(testText)].join('\n'),
  );
  if (terminal.signal.aborted) return EXIT.interrupted;
  return all.every(({ conforms }) => conforms) ? EXIT.holds : EXIT.violated;
}

async function reportOn(
  subject: Omit<ConformOrder, 'seed'>,
  options: ConformOptions,
  signal: AbortSignal,
): Promise<ProtocolReport> {
  const findings = await findingsOf(subject, options, signal);
  return { protocol: subject.name, conforms: findings.every(({ holds }) => holds), findings };
}

/** Runs the checks in a thread, which can be stopped in a loop without end. */
async function findingsOf(
  subject: Omit<ConformOrder, 'seed'>,
  { seed: ofRun, seconds }: ConformOptions,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const order: ConformOrder = { ...subject, seed: ofRun };
  const worker = new Worker(THREAD, {
    workerData: order,
    execArgv: [...process.execArgv, ...threadArguments()],
    resourceLimits: {
      maxOldGenerationSizeMb: MEMORY_MB_MAX,
      maxYoungGenerationSizeMb: YOUNG_MB_MAX,
    },
  });
  const { promise, resolve } = Promise.withResolvers<readonly Finding[]>();
  let check = 'loads in a thread';
  const stop = (reason: string) => resolve([failed(check, `stopped: ${reason}`)]);
  const interrupt = () => stop('interrupted');
  worker
    .on('message', (message: ConformMessage) => {
      if (typeof message === 'string') check = message;
      else resolve(message);
    })
    .on('error', (error) => stop(error instanceof Error ? error.message : String(error)))
    .on('exit', () => stop('the thread has ended'));
  const timer = setTimeout(() => stop(`not finished after ${seconds} s`), seconds * 1e3);
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
    await worker.terminate();
  }
}

/** Runs the test of a file in a process of its own, which loads the file first and is killed at the time limit. */
async function runTest(
  file: string,
  test: string,
  seconds: number,
  { signal }: Terminal,
): Promise<TestReport> {
  const child = spawn(process.execPath, [RUN_TEST, file, test], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    // A test in an endless loop handles no other signal.
    timeout: seconds * 1e3,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve).on('error', () => resolve(null));
  });
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const conforms = (await ended) === 0;
  const stopped =
    child.signalCode === 'SIGKILL' ? `stopped: not finished after ${seconds} s\n` : '';
  return { test, conforms, output: conforms ? '' : `${output}${errors}${stopped}` };
}

function protocolText({ protocol, conforms, findings }: ProtocolReport): string {
  const groups = Map.groupBy(findings, causeOf);
  const rows = [...groups.values()].flatMap(([first, ...others]): string[] => {
    if (first === undefined) return [];
    const result = first.isCapped ? 'unknown' : first.holds ? 'holds' : 'FAILS';
    const row = findingText(result, `${first.check}: ${first.detail}`);
    if (others.length === 0) return [row];
    const names = others.map(({ check }) => VARIANT.exec(check)?.[0].trim() ?? check);
    return [row, findingText('FAILS', `and ${others.length} more like it: ${names.join(', ')}`)];
  });
  return [`${protocol} ${conforms ? 'conforms' : 'does not conform'}\n`, ...rows].join('');
}

/** A finding in lines that fit the terminal. A replay command stays in one line, because people copy it. */
function findingText(result: string, text: string): string {
  const [said = '', ...replays] = text.split(/; (?=replay: )/);
  const below = replays.map((replay) => `         ${replay}\n`);
  return [textColumns([[result.padEnd(7), said]]), ...below].join('');
}

/** The end of the name of a check that is made in several variants. */
const VARIANT = / (?:for \S+|\([^)]*\))$/;

/**
 * What findings with one cause share. Cells of the fault matrix that are wrong mostly have one, and so have schedules
 * that violate one property, whose name begins the detail.
 */
function causeOf({ check, holds, detail }: Finding): string {
  if (holds || !VARIANT.test(check)) return check;
  const property = check.endsWith(')') ? detail.split(': ', 1) : [];
  return [check.replace(VARIANT, ''), ...property].join(': ');
}

function testText({ test, conforms, output }: TestReport): string {
  return `${test} ${conforms ? 'passes' : 'FAILS'}\n${output}`;
}
