/**
 * @module
 * `usurp calibrate`: how many candidates this machine tests in a second, and how long a difficulty
 * therefore takes it.
 */

import type { Command } from 'commander';
import type { Calibration } from '../../runtime/threads/calibration.ts';
import { calibrate } from '../../runtime/threads/calibration.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns, formatSeconds } from '../shell/layout.ts';
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
Times are for the fastest strategy that a strict policy admits, on the same number of threads.

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

function tableOf({ strategies, times }: Calibration): string {
  const rates = strategies.map((row) => [
    row.scheme,
    row.strategy,
    row.policy,
    String(row.threads),
    row.candidatesPerSecond.toFixed(0),
    row.advantageBits.toFixed(2),
  ]);
  const durations = times.map((row) => [
    String(row.bits),
    formatSeconds(row.expectedSeconds),
    formatSeconds(row.p50Seconds),
    formatSeconds(row.p95Seconds),
    formatSeconds(row.p99Seconds),
  ]);
  return [
    columns([
      ['scheme', 'strategy', 'policy', 'threads', 'candidates/s', 'bits over fresh'],
      ...rates,
    ]),
    columns([['bits', 'expected', '50 %', '95 %', '99 %'], ...durations]),
  ].join('\n');
}
