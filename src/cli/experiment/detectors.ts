/**
 * @module
 * `usurp detectors`: the quality of service of failure detectors under latencies and losses, as rows and as a picture.
 */

import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { parseDetector } from '../../election/detectors/registry.ts';
import { LabError } from '../../errors.ts';
import { figure } from '../../experiment/charts/cells.ts';
import type { Estimate } from '../../experiment/detectors/quality.ts';
import type { TradeOffRow } from '../../experiment/detectors/trade-off.ts';
import {
  MEASURED_DETECTORS,
  TRADE_OFF_COLUMNS,
  tradeOff,
  tradeOffPicture,
  tradeOffRow,
} from '../../experiment/detectors/trade-off.ts';
import type { Seed } from '../../random.ts';
import { textForm } from '../../runtime/sweep/table-writers.ts';
import type { Latency } from '../../simulation/faults/latency.ts';
import { latencyText, parseLatency } from '../../simulation/faults/latency.ts';
import { confidence, integer, refusing, share } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { refuseTarget, writeThenPrint, writeWhole } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { ROW_FORMATS, seedOrChosen, verb, withSeed } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface DetectorsOptions extends OutputOptions {
  readonly latency: readonly Latency[];
  readonly loss: readonly number[];
  readonly every: number;
  readonly periods: number;
  readonly runs: number;
  readonly confidence: number;
  readonly seed?: Seed | undefined;
  readonly out?: string | undefined;
  readonly force?: true | undefined;
}

const listOf =
  <T>(read: (text: string) => T) =>
  (text: string): readonly T[] =>
    text.split(',').map(read);

export function detectorsCommand(session: Session): Command {
  const command = verb(
    'detectors',
    'measure how soon and how wrongly detectors suspect',
    ROW_FORMATS,
  )
    .argument(
      '[detectors...]',
      'detectors; one with options is measured with these alone (default: all)',
      (text: string, before: readonly DetectorSpec[] = []) => [...before, readSpec(text)],
    )
    .option('--latency <laws>', 'latencies in ticks', listOf(refusing(parseLatency)), [
      parseLatency('30'),
      parseLatency('uniform:10:50'),
      parseLatency('exp:30'),
    ])
    .option('--loss <shares>', 'shares of lost messages', listOf(share), [0, 0.01, 0.1])
    .option('--every <ticks>', 'ticks from one heartbeat to the next', integer(1, 1e6), 100)
    .option('--periods <count>', 'periods before each crash', integer(1, 1e6), 300)
    .option('--runs <count>', 'observations of each row', integer(2, 1e5), 30)
    .option('--confidence <level>', 'confidence level of the intervals', confidence, 0.95)
    .option('--out <file>', 'write a chart: .svg')
    .option('-f, --force', 'replace the file of --out');
  // The defaults are shown as they are typed.
  for (const option of command.options) {
    const given = option.defaultValue;
    if (option.long === '--latency') option.default(given, given.map(latencyText).join());
    if (option.long === '--loss') option.default(given, '0,1%,10%');
  }
  return withSeed(command, 'seed of all observations (default: chosen and printed)')
    .addHelpText('after', EXAMPLES)
    .action((detectors: readonly DetectorSpec[], options: DetectorsOptions) =>
      session.run(options, (terminal) => measure(detectors, options, terminal)),
    );
}

const EXAMPLES = `
Two nodes run the detector. One observes the other, which crashes at a random tick. The rows have the measures of Chen,
Toueg and Aguilera (2002) with jackknife intervals: mistakes a tick, the mean length of a mistake, the probability that a
query is answered rightly, and the mean time from the crash to the suspicion that lasts.
A detector without options is measured along its parameter: threshold, timeout or fail, in multiples of --every.
At one tick messages arrive before timers expire. fd-oracle is a script and cannot be measured.

Exit codes: 0 all rows, 130 interrupted (finished rows are printed).

Examples:
  usurp detectors --seed 1 --out detectors.svg
  usurp detectors fd-heartbeat fd-phi-exp --latency exp:30 --loss 0,5% --format csv
  usurp detectors fd-heartbeat:every=100,timeout=250,adaptive --runs 200 --json`;

function readSpec(text: string): DetectorSpec {
  const spec = refusing(parseDetector)(text);
  if (MEASURED_DETECTORS.includes(spec.name)) return spec;
  throw new InvalidArgumentError(`expected one of ${MEASURED_DETECTORS.join(', ')}, got ${text}`);
}

async function measure(
  given: readonly DetectorSpec[],
  options: DetectorsOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { out, force = null, every: everyTicks, periods, runs } = options;
  if (out !== undefined && !out.endsWith('.svg')) {
    throw new LabError('arguments', `--out: expected a file that ends in .svg, got ${out}`);
  }
  if (out !== undefined) await refuseTarget(out, force);
  const seed = seedOrChosen(options.seed, terminal);
  const detectors =
    given.length > 0 ? given : MEASURED_DETECTORS.map((name) => ({ name, options: {} }));
  const network = { latencies: options.latency, losses: options.loss, everyTicks, periods, runs };
  const rows: TradeOffRow[] = [];
  for (const row of tradeOff({ ...network, detectors, confidence: options.confidence, seed })) {
    rows.push(row);
    // Between two rows, an interruption is noticed.
    await new Promise(setImmediate);
    if (terminal.signal.aborted) break;
  }
  const replay = replayOf(given, options, seed);
  const sentence = `A heartbeat every ${everyTicks} ticks, ${periods} periods before each crash.`;
  await writeThenPrint(
    async () => {
      if (out === undefined) return;
      await writeWhole(out, tradeOffPicture(rows, { sentence, replay }), {
        force,
        isPrivate: false,
      });
    },
    () => terminal.print(printed(rows, options, replay)),
  );
  return terminal.signal.aborted ? EXIT.interrupted : EXIT.holds;
}

function replayOf(given: readonly DetectorSpec[], options: DetectorsOptions, seed: Seed): string {
  const { latency, loss, every, periods, runs } = options;
  const names = given.map(({ name, options: own }) => {
    const parts = Object.entries(own).map(([key, value]) => `${key}=${value}`);
    return ` ${name}${parts.length === 0 ? '' : `:${parts.join()}`}`;
  });
  const network = `--latency ${latency.map(latencyText).join()} --loss ${loss.join()}`;
  const size = `--every ${every} --periods ${periods} --runs ${runs} --confidence ${options.confidence}`;
  return `npx usurp detectors${names.join('')} ${network} ${size} --seed ${seed}`;
}

function printed(rows: readonly TradeOffRow[], options: DetectorsOptions, replay: string): string {
  const format = options.json === true ? 'json' : options.format;
  if (format === 'table') {
    const head = [
      'detector',
      'latency',
      'loss',
      'mistakes/1000 ticks',
      'mistake',
      'accuracy',
      'detection',
      'missed',
    ];
    const body = rows.map((row) => [
      ...[row.detector, row.latency, `${figure(100 * row.loss)} %`],
      estimateText(row.mistakeRate, 1000),
      estimateText(row.mistakeTicks),
      estimateText(row.queryAccuracy),
      estimateText(row.detectionTicks),
      String(row.missed),
    ]);
    return `${columns([head, ...body])}\n${columns([['replay', replay]])}`;
  }
  const form = textForm(format === 'csv' ? 'csv' : 'jsonl', TRADE_OFF_COLUMNS);
  const lines = rows.map((row) => form.line(tradeOffRow(row)));
  if (format !== 'json') return form.head + lines.join('');
  const members = lines.map((line) => line.trimEnd()).join(',');
  return `{"replay":${JSON.stringify(replay)},"rows":[${members}]}\n`;
}

function estimateText(estimate: Estimate | null, factor = 1): string {
  if (estimate === null) return '-';
  const [value, ...ends] = [estimate.value, ...(estimate.interval ?? [])].map((each) =>
    String(Number((each * factor).toPrecision(4))),
  );
  return ends.length === 0 ? `${value}` : `${value} (${ends.join(' to ')})`;
}
