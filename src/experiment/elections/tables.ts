/**
 * @module
 * The tables of many elections: a row per run, and a row per cell of a sweep with one measure or property. The
 * names are snake_case, and camelCase in JSON.
 */

import type { Column, TableRow, TableValue } from '../sweep/columns.ts';
import { column, columnName } from '../sweep/columns.ts';
import type { Axis, AxisValue } from '../sweep/grid.ts';
import { exactInterval } from '../theory/statistics.ts';
import type { QuantileName, Summary } from './distribution.ts';
import { CONFIDENCE, QUANTILES, summaryOf } from './distribution.ts';
import type { MeasuredRun, MeasureName, RunProperty } from './measures.ts';
import { MEASURE_NAMES, MEASURES, RUN_PROPERTIES } from './measures.ts';

/** The runs of one cell. */
export interface ElectionCell {
  /** One value for each axis. Empty without axes. */
  readonly values: readonly AxisValue[];
  readonly runs: readonly MeasuredRun[];
  /** The command that repeats the cell. */
  readonly replay: string;
  /** The command that repeats one of its runs. */
  readonly replayOf: (seed: MeasuredRun['seed']) => string;
}

export interface ElectionTable {
  readonly columns: readonly Column[];
  rows(): Iterable<TableRow>;
}

/** A row per run, in the order of cells and seeds. An Infinity is empty: `outcome` and `leader_crashes` say why. */
export function runTable(axes: readonly Axis[], cells: readonly ElectionCell[]): ElectionTable {
  const types = messageTypes(cells);
  const columns = [
    ...axes.map(axisColumn),
    column('seed', 'text', 'seed of the run, a decimal integer below 2^256'),
    column('protocol', 'text', 'protocol of the run'),
    column('outcome', 'text', 'leader, no-leader, split, until (a bound) or unfinished'),
    column('leader_rank', 'integer', 'rank of the leader that all live nodes follow'),
    ...MEASURE_NAMES.map((name) => column(columnName(name), 'number', MEASURES[name][1])),
    ...RUN_PROPERTIES.map((name) => column(columnName(`is ${name}`), 'boolean', PROPERTY_TEXT)),
    ...types.map((type) => column(columnName(`sent ${type}`), 'number', `${type} messages`)),
    column('replay', 'text', 'command that repeats this run alone'),
  ];
  function* rows(): Generator<TableRow> {
    for (const cell of cells) {
      for (const run of cell.runs) {
        yield [
          ...cell.values.map((value, index) => valueIn(axes[index], value)),
          run.seed,
          run.protocol,
          run.outcome ?? 'unfinished',
          run.leader,
          ...MEASURE_NAMES.map((name) => finite(run.measures?.[name] ?? null)),
          ...RUN_PROPERTIES.map((name) => run.properties?.[name] ?? null),
          ...types.map((type) => run.messages?.[type] ?? null),
          cell.replayOf(run.seed),
        ];
      }
    }
  }
  return { columns, rows };
}

const PROPERTY_TEXT = 'whether the run has this property; empty if a bound came first';

/** All types of messages, in the order of their first appearance. */
function messageTypes(cells: readonly ElectionCell[]): readonly string[] {
  const types = new Set<string>();
  for (const { runs } of cells) {
    for (const { messages } of runs) for (const type in messages) types.add(type);
  }
  return [...types];
}

function finite(value: number | null): number | null {
  return value === Number.POSITIVE_INFINITY ? null : value;
}

/** What a sweep asks of each cell. */
export type Asked = MeasureName | RunProperty;

export function isProperty(asked: Asked): asked is RunProperty {
  return RUN_PROPERTIES.some((name) => name === asked);
}

/** The share of runs with a property. */
export interface Share {
  /** Finished runs in which the property is known. */
  readonly n: number;
  readonly k: number;
  readonly p: number;
  readonly ciLow: number;
  readonly ciHigh: number;
}

/** The share with its exact interval; null without runs. */
export function shareOf(runs: readonly MeasuredRun[], name: RunProperty): Share | null {
  const known = runs.flatMap(({ properties }) => properties?.[name] ?? []);
  if (known.length === 0) return null;
  const k = known.filter((has) => has).length;
  const n = known.length;
  const [ciLow, ciHigh] = exactInterval({ wins: k, runs: n, confidence: CONFIDENCE });
  return { n, k, p: k / n, ciLow, ciHigh };
}

/** The values of a measure, of the finished runs to which it applies. */
export function valuesOf(runs: readonly MeasuredRun[], name: MeasureName): readonly number[] {
  return runs.flatMap(({ measures }) => measures?.[name] ?? []);
}

/** The summary of each measure that applies to a run. */
export function summariesOf(
  runs: readonly MeasuredRun[],
): Readonly<Partial<Record<MeasureName, Summary>>> {
  return Object.fromEntries(
    MEASURE_NAMES.flatMap((name) => {
      const summary = summaryOf(valuesOf(runs, name));
      return summary === null ? [] : [[name, summary]];
    }),
  );
}

// Object.keys loses the type of the keys.
const QUANTILE_NAMES = Object.keys(QUANTILES) as readonly QuantileName[];

/** A row per cell with the measure or property. */
export function cellTable(
  axes: readonly Axis[],
  cells: readonly ElectionCell[],
  asked: Asked,
): ElectionTable {
  const percent = `${100 * CONFIDENCE} %`;
  const shares = [
    column('k', 'integer', `runs among n with the property ${asked}`),
    column('p', 'number', 'k/n'),
    column('ci_low', 'number', `lower end of the exact (Clopper–Pearson) interval at ${percent}`),
    column('ci_high', 'number', 'its upper end'),
  ];
  const summary = [
    column(
      'never',
      'integer',
      'runs in which the event never happens; quantiles count them as infinite',
    ),
    column('mean', 'number', 'mean over the runs in which the event happens'),
    column('min', 'number', 'least value'),
    ...QUANTILE_NAMES.flatMap((name) => [
      column(name, 'number', `${100 * QUANTILES[name]} % quantile; empty if it does not happen`),
      column(`${name}_low`, 'number', `lower end of the bootstrap interval at ${percent}`),
      column(`${name}_high`, 'number', 'its upper end'),
    ]),
    column('max', 'number', 'greatest value; empty if a run has none'),
  ];
  const columns = [
    ...axes.map(axisColumn),
    column('measure', 'text', isProperty(asked) ? PROPERTY_TEXT : MEASURES[asked][1]),
    column('runs', 'integer', 'all runs of the cell'),
    column('n', 'integer', 'finished runs to which the measure applies'),
    ...(isProperty(asked) ? shares : summary),
    column('replay', 'text', 'command that repeats this cell alone'),
  ];
  const width = isProperty(asked) ? shares.length : summary.length;
  function* rows(): Generator<TableRow> {
    for (const { values, runs, replay } of cells) {
      yield [
        ...values.map((value, index) => valueIn(axes[index], value)),
        asked,
        runs.length,
        ...(figuresOf(runs, asked) ?? [0, ...Array<TableValue>(width).fill(null)]),
        replay,
      ];
    }
  }
  return { columns, rows };
}

/** The figures from `n` on; null without runs that have the measure. */
function figuresOf(runs: readonly MeasuredRun[], asked: Asked): TableRow | null {
  if (isProperty(asked)) {
    const share = shareOf(runs, asked);
    return share && [share.n, share.k, share.p, share.ciLow, share.ciHigh];
  }
  const summary = summaryOf(valuesOf(runs, asked));
  if (summary === null) return null;
  const { n, never, mean, min, max } = summary;
  const quantiles = QUANTILE_NAMES.flatMap((name) => [
    summary[name].value,
    summary[name].ciLow,
    summary[name].ciHigh,
  ]);
  return [n, never, mean, min, ...quantiles, max];
}

/** The names of axes come first, so that another column may have the same name. */
function axisColumn({ path, values }: Axis): Column {
  const isNumber = values.every((value) => typeof value === 'number');
  return column(`axis_${columnName(path)}`, isNumber ? 'number' : 'text', `value of --${path}`);
}

function valueIn(axis: Axis | undefined, value: AxisValue): TableValue {
  return axis?.values.every((each) => typeof each === 'number') === true ? value : String(value);
}
