/**
 * @module
 * `usurp calibrate`: how many candidates this machine tests in a second, and how long a difficulty
 * therefore takes it.
 */

import type { Command } from 'commander';
import { NATIVE_CORE } from '../../mining/native.ts';
import type { Advantage, Calibration, Rate } from '../../runtime/threads/calibration.ts';
import { calibrate } from '../../runtime/threads/calibration.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns, formatCount, formatSeconds } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson, withThreads } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface CalibrateOptions extends OutputOptions {
  readonly threads: number;
}

export function calibrateCommand(session: Session): Command {
  const command = verb('calibrate', 'measure how fast this machine mines');
  return withThreads(command, 1)
    .addHelpText('after', CALIBRATE_EXAMPLES)
    .action((options: CalibrateOptions) =>
      session.run(options, (terminal) => runCalibrate(options, terminal)),
    );
}

const CALIBRATE_EXAMPLES = `
Rates per second are those of all threads by the wall clock, rates per CPU second those of one thread. Bits over
a baseline are log2 of the rate per CPU second over that of a naive search: a new key for each attempt, or one hash
for each X, with noble or with node:crypto (OpenSSL). Keys are compared with keys, X with X.
Times are for the fastest search for keys that a strict policy admits, on the same number of threads.
An adversary can use native code. The constant is its rate on one core: usurp design --rate ${NATIVE_CORE.rate}.

Example:
  usurp calibrate --threads 2`;

async function runCalibrate(options: CalibrateOptions, terminal: Terminal): Promise<ExitCode> {
  const calibration = await calibrate({
    threads: options.threads,
    onProgress: (what) => terminal.note(what),
    signal: terminal.signal,
  });
  if (terminal.signal.aborted) return EXIT.interrupted;
  const text = wantsJson(options) ? `${JSON.stringify(calibration)}\n` : tableOf(calibration);
  terminal.print(text);
  return EXIT.holds;
}

function tableOf({ threads, keys, solutions, stock, native, times }: Calibration): string {
  return [
    columns([
      ['key search', 'scheme', 'made with', 'policy', 'keys/s', 'keys/CPU-s', ...BITS_OVER],
      ...keys.map((row) => [
        ...[row.strategy, row.scheme, row.implementation, row.policy],
        ...ratesOf(row.keys, row.advantageBits),
      ]),
    ]),
    columns([
      ['solution search', 'tested with', 'policy', 'X/s', 'X/CPU-s', ...BITS_OVER],
      ...solutions.map((row) => [
        ...[row.strategy, row.implementation, row.policy],
        ...ratesOf(row.solutions, row.advantageBits),
      ]),
    ]),
    columns([
      ['stock', 'tested with', 'policy', 'keys in stock/s', 'keys in stock/CPU-s'],
      ['stockpile', 'kernel', 'strict', ...perSecond(stock.tests)],
    ]),
    columns([
      ['threads', String(threads)],
      ['native code', `${formatCount(native.keysPerSecond)} keys/s a core (${native.label})`],
      ['', `${formatCount(native.doubleHashesPerSecond)} double hashes/s a core`],
      ['', `${native.keysOverKernel} times the kernel; ${native.source}`],
    ]),
    columns([
      ['bits', 'expected', '50 %', '95 %', '99 %'],
      ...times.map((row) => [
        String(row.bits),
        ...[row.expectedSeconds, row.p50Seconds, row.p95Seconds, row.p99Seconds].map(formatSeconds),
      ]),
    ]),
  ].join('\n');
}

/** The baselines of both kinds of searches. */
const BITS_OVER = ['bits over noble', 'bits over node:crypto'];

function ratesOf(rate: Rate, { noble, native }: Advantage): string[] {
  return [...perSecond(rate), ...[noble, native].map((each) => each.toFixed(2))];
}

function perSecond(rate: Rate): string[] {
  return [rate.perSecond, rate.perCpuSecond].map((each) => each.toFixed(0));
}
