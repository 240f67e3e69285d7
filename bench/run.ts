/**
 * @module
 * `npm run bench [-- suite… --size <factor>]`: measures the suites that are named, or all, and prints each row as
 * median rate, spread, and the ratio to its yardstick measured in the same run. Figures are printed
 * and never asserted; a suite that cannot be trusted fails. The suite `sweep` takes about three minutes of CPU time;
 * `--size 0.2` makes its sweeps a fifth as long. `--beside` starts another simulator (bench/overlay/beside.ts).
 */

import { availableParallelism, cpus } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { measureChecking } from './checking.ts';
import { experimentSuite } from './experiment.ts';
import { measureFairness } from './fairness.ts';
import { identitySuite } from './identity.ts';
import { measureLive } from './live/live.ts';
import type { Report, Row, Spread, Suite } from './measure.ts';
import { measure, ratioText } from './measure.ts';
import { miningSuite } from './mining.ts';
import { measureNative } from './native/native.ts';
import { overlaySuite } from './overlay/overlay.ts';
import { policySuite } from './policies.ts';
import { measureServer } from './server.ts';
import { simulationSuite } from './simulation.ts';
import { measureStart } from './start.ts';
import { measureStockpiles } from './stockpile.ts';
import { measureSweeps } from './sweep.ts';
import { measureThreads } from './threads.ts';
import { measureWeb } from './web.ts';

type Measured = Row[] | Report;

interface Options {
  readonly size: number;
  /** The command that starts another simulator of overlays. */
  readonly beside: string | undefined;
}

/** Suites that measure calls, and those that measure whole threads and processes. */
type Create = (options: Options) => Suite | Measured | Promise<Measured>;

const SUITES = new Map<string, Create>([
  ['mining', miningSuite],
  ['policies', policySuite],
  ['native', measureNative],
  ['threads', measureThreads],
  ['stockpile', measureStockpiles],
  ['identity', identitySuite],
  ['simulation', simulationSuite],
  ['overlay', overlaySuite],
  ['experiment', experimentSuite],
  ['check', measureChecking],
  ['start', measureStart],
  ['sweep', measureSweeps],
  ['server', measureServer],
  ['fairness', measureFairness],
  ['web', measureWeb],
  ['live', measureLive],
]);

const HEADINGS = ['', 'median', 'p25–p75', 'samples', 'ratio', 'yardstick'];

const { values, positionals } = parseArgs({
  options: { size: { type: 'string', default: '1' }, beside: { type: 'string' } },
  allowPositionals: true,
});
await run(positionals, Number(values.size));

async function run(names: readonly string[], size: number): Promise<void> {
  if (!(size > 0)) {
    console.error(`--size expected a factor above 0, got ${values.size}`);
    process.exitCode = 1;
    return;
  }
  const unknown = names.filter((name) => !SUITES.has(name));
  if (unknown.length > 0) {
    console.error(
      `no suite is called ${unknown.join(', ')}; there are ${[...SUITES.keys()].join(', ')}`,
    );
    process.exitCode = 1;
    return;
  }
  console.log(`node ${process.version}, ${cpus()[0]?.model}, ${availableParallelism()} cores`);
  for (const [name, create] of SUITES) {
    if (names.length > 0 && !names.includes(name)) continue;
    await runSuite(name, () => create({ size, beside: values.beside }));
  }
}

/** One suite that fails fails the whole, but the others are still measured. */
async function runSuite(
  name: string,
  create: () => Suite | Measured | Promise<Measured>,
): Promise<void> {
  try {
    const suite = await create();
    if ('subjects' in suite) print(name, measure(suite), suite.notes);
    else if ('notes' in suite) print(name, suite.rows, suite.notes);
    else print(name, suite, []);
  } catch (cause) {
    console.error(`\n${name} failed:`, cause);
    process.exitCode = 1;
  }
}

function print(name: string, rows: readonly Row[], notes: readonly string[]): void {
  const table = [HEADINGS, ...rows.map(cells)];
  const widths = HEADINGS.map((_, column) =>
    Math.max(...table.map((line) => line[column]?.length ?? 0)),
  );
  console.log(`\n${name}`);
  for (const line of rows.length === 0 ? [] : table) {
    const padded = line.map((cell, column) => {
      const width = widths[column] ?? 0;
      // Words to the left, figures to the right.
      return column === 0 || column === 5 ? cell.padEnd(width) : cell.padStart(width);
    });
    console.log(`  ${padded.join('  ').trimEnd()}`);
  }
  for (const note of notes) console.log(`  ${note}`);
}

function cells({ subject, rates, yardstickRates, ratio }: Row): string[] {
  const spread = `${formatRate(rates.p25)}–${formatRate(rates.p75)}`;
  return [
    subject.name,
    `${formatRate(rates.median)} ${subject.unit}/s`,
    spread,
    String(rates.samples),
    ratioText(subject, ratio),
    yardstickText(subject.yardstick, yardstickRates),
  ];
}

function yardstickText(yardstick: Row['subject']['yardstick'], rates: Spread | null): string {
  if (yardstick === null || rates === null) return '';
  const { median, p25, p75 } = rates;
  const spread = `${formatRate(p25)}–${formatRate(p75)}`;
  return `${yardstick.name}: ${formatRate(median)} ${yardstick.unit}/s (${spread})`;
}

function formatRate(rate: number): string {
  const [unit, scale] = rate >= 1e6 ? [' M', 1e6] : rate >= 1e3 ? [' k', 1e3] : ['', 1];
  return `${(rate / scale).toPrecision(3)}${unit}`;
}
