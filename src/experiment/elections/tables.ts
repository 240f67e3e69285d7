/**
 * @module
 * This folder evaluates many runs of an election: the measures of each run, their distributions, and tables and charts of
 * both, for one election or for the cells of a sweep. The tables have a row per run, or a row per cell with one measure or
 * property. Their names are snake_case, and camelCase in JSON.
 */

import { z } from 'zod';

import type { PropertyName } from '../../election/properties.ts';
import { PROPERTY_NAMES } from '../../election/properties.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import type { Outcome } from '../../simulation/report/outcome.ts';
import { outcomeOf } from '../../simulation/report/outcome.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import type { Column, TableRow, TableValue } from '../sweep/columns.ts';
import { column, columnName } from '../sweep/columns.ts';
import type { Axis, AxisValue } from '../sweep/grid.ts';
import { binomialTail } from '../theory/binomial-odds.ts';
import { exactInterval } from '../theory/statistics.ts';

/**
 * Confidence of the intervals. The distribution of a measure over runs: quantiles with bootstrap intervals, and the
 * empirical distribution function. A value that is Infinity is an event that does not happen: it counts as a run
 * above every number.
 */
export const CONFIDENCE = 0.95;

/** The quantiles of a summary, by their names. */
export const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99 } as const;
type QuantileName = keyof typeof QUANTILES;

const numberOrNull = z.number().nullable();

const quantileSchema = z.object({
  value: numberOrNull.describe('Null if the event does not happen in that part of the runs.'),
  ciLow: numberOrNull.describe('Null if too few runs are beyond the quantile.'),
  ciHigh: numberOrNull,
});

type Quantile = z.output<typeof quantileSchema>;

/** The summary of a measure over runs. */
export const summarySchema = z.object({
  n: z.int().describe('Runs to which the measure applies.'),
  never: z.int().describe('Runs among these in which the event does not happen.'),
  mean: numberOrNull.describe('Over the runs in which it happens.'),
  min: numberOrNull,
  p50: quantileSchema,
  p90: quantileSchema,
  p99: quantileSchema,
  max: numberOrNull,
});

export type Summary = z.output<typeof summarySchema>;

/** The summary of values in any order; null without values. */
export function summaryOf(values: readonly number[]): Summary | null {
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  if (n === 0) return null;
  const finite = values.filter(Number.isFinite);
  const sum = finite.reduce((total, value) => total + value, 0);
  const of = (share: number): Quantile => {
    const [ciLow, ciHigh] = quantileInterval(sorted, share);
    return { value: numberAt(sorted, rankOf(n, share)), ciLow, ciHigh };
  };
  return {
    n,
    never: n - finite.length,
    mean: finite.length === 0 ? null : sum / finite.length,
    min: numberAt(sorted, 1),
    p50: of(QUANTILES.p50),
    p90: of(QUANTILES.p90),
    p99: of(QUANTILES.p99),
    max: numberAt(sorted, n),
  };
}

/**
 * The bootstrap percentile interval of a quantile (Efron 1979), for values in ascending order. It needs no
 * resampling: the quantile of a resample is at most the j-th of N values if at least k = ⌈qN⌉ of its N draws
 * are, which has probability P(Bin(N, j/N) ≥ k). The result is the limit of infinitely many resamples. Both ends are values of
 * runs. The quantile is above all N values with probability q^N, and below all with (1−q)^N. An end whose probability is
 * more than that of its tail is therefore open, and null.
 */
export function quantileInterval(
  sorted: Float64Array,
  share: number,
): readonly [number | null, number | null] {
  const n = sorted.length;
  const least = rankOf(n, share);
  const reached = (rank: number) => binomialTail({ trials: n, probability: rank / n }, least);
  const tail = (1 - CONFIDENCE) / 2;
  const low = firstRank(n, (rank) => reached(rank) >= tail);
  const high = firstRank(n, (rank) => reached(rank) >= 1 - tail);
  return [
    (1 - share) ** n > tail ? null : numberAt(sorted, low),
    share ** n > tail ? null : numberAt(sorted, high),
  ];
}

/** The rank of a quantile: the least k with k/N ≥ share. */
function rankOf(n: number, share: number): number {
  // 0.9 · 10 exceeds 9 by the last digit of a double.
  return Math.max(1, Math.ceil(share * n - 1e-9));
}

/** The first rank in 1..n that has a property which all later ones have; n if no earlier one has it. */
function firstRank(n: number, has: (rank: number) => boolean): number {
  let [from, to] = [1, n];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (has(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

function numberAt(sorted: Float64Array, rank: number): number | null {
  const value = sorted[rank - 1];
  return value === undefined || value === Number.POSITIVE_INFINITY ? null : value;
}

/** A step of the distribution function: the share of runs whose value is at most `value`. */
interface Step {
  readonly value: number;
  readonly share: number;
}

/**
 * The empirical distribution function: a step at each different number, at most `stepsMax` of them at equal
 * distances, with the first and the last. It ends below 1 if the event does not happen in some runs.
 */
export function distributionOf(values: readonly number[], stepsMax = 200): readonly Step[] {
  const sorted = Float64Array.from(values).sort();
  const steps: Step[] = [];
  for (const [index, value] of sorted.entries()) {
    if (value === sorted[index + 1] || value === Number.POSITIVE_INFINITY) continue;
    steps.push({ value, share: (index + 1) / sorted.length });
  }
  if (steps.length <= stepsMax) return steps;
  const at = (index: number) => Math.round((index * (steps.length - 1)) / (stepsMax - 1));
  return Array.from({ length: stepsMax }, (_, index) =>
    steps.slice(at(index), at(index) + 1),
  ).flat();
}

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

/** A measure, or the messages of one type. */
export type Measured = MeasureName | `messages.${string}`;

/** What a sweep asks of each cell. */
export type Asked = Measured | RunProperty;

export function isProperty(asked: Asked): asked is RunProperty {
  return RUN_PROPERTIES.some((name) => name === asked);
}

/** A share of runs with its exact interval. */
export const shareSchema = z
  .object({
    n: z.int().describe('Runs in which it is known.'),
    k: z.int().describe('Runs among these that have it.'),
    p: z.number().describe('k/n'),
    ciLow: z.number().describe('Lower end of the exact (Clopper–Pearson) 95 % interval.'),
    ciHigh: z.number(),
  })
  .meta({ id: 'ShareOfRuns' });

export type Share = z.output<typeof shareSchema>;

/** The share of k among n runs, of which there is at least one, with its exact interval. */
export function shareIn(k: number, n: number): Share {
  const [ciLow, ciHigh] = exactInterval({ wins: k, runs: n, confidence: CONFIDENCE });
  return { n, k, p: k / n, ciLow, ciHigh };
}

/** The share of the finished runs in which the property is known; null without such a run. */
export function shareOf(runs: readonly MeasuredRun[], name: RunProperty): Share | null {
  const known = runs.flatMap(({ properties }) => properties?.[name] ?? []);
  return known.length === 0 ? null : shareIn(known.filter((has) => has).length, known.length);
}

/** The type of messages that a measure counts. Null for another measure. */
export function typeCounted(name: string): string | null {
  return /^messages\.(\w+)$/.exec(name)?.[1] ?? null;
}

function isNamed(name: Measured): name is MeasureName {
  return Object.hasOwn(MEASURES, name);
}

/** The label of a measure in tables for people, and what it means. */
export function measureTexts(name: Measured): readonly [label: string, meaning: string] {
  if (isNamed(name)) return MEASURES[name];
  const label = `${typeCounted(name)} messages`;
  return [label, `${label} sent, to the end of the run`];
}

/** The name of a measure or property for people. */
export function askedLabel(asked: Asked): string {
  if (!isProperty(asked)) return measureTexts(asked)[0];
  return asked === 'leader'
    ? 'share of runs with one agreed leader'
    : `share of runs with ${asked}`;
}

/** The values of a measure, of the finished runs to which it applies. */
export function valuesOf(runs: readonly MeasuredRun[], name: Measured): readonly number[] {
  if (isNamed(name)) return runs.flatMap(({ measures }) => measures?.[name] ?? []);
  const type = typeCounted(name) ?? '';
  return runs.flatMap(({ messages }) => (messages === null ? [] : (messages[type] ?? 0)));
}

/** The summary of each measure that applies to a run, and of the messages of one type if they are asked for. */
export function summariesOf(
  runs: readonly MeasuredRun[],
  asked: Asked | null,
): Readonly<Record<string, Summary>> {
  const names: Measured[] = [...MEASURE_NAMES];
  if (asked !== null && !isProperty(asked) && !isNamed(asked)) names.push(asked);
  return Object.fromEntries(
    names.flatMap((name) => {
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
      column(`${name}_high`, 'number', 'its upper end; empty if too few runs give one'),
    ]),
    column('max', 'number', 'greatest value; empty if a run has none'),
  ];
  const columns = [
    ...axes.map(axisColumn),
    column('measure', 'text', isProperty(asked) ? PROPERTY_TEXT : measureTexts(asked)[1]),
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

/** The numbers that a run has: the label in tables for people, and what each means. */
export const MEASURES = {
  messages: ['messages', 'messages sent, all types, to the end of the run'],
  bytes: ['bytes', 'bytes of the messages sent, as JSON without spaces'],
  ticks: ['ticks', 'tick of the last event'],
  agreementTicks: [
    'ticks to agreement',
    'first tick at which all live nodes follow the same live leader',
  ],
  leaderCrashes: [
    'crashes of leaders',
    'crashes of nodes that led; those before the run count as one',
  ],
  downtimeTicks: [
    'downtime in ticks',
    'ticks from a crash of a leader until all live nodes follow the same live leader again, summed',
  ],
  ticksWithoutLeader: ['ticks without leader', 'ticks in which no live node leads'],
  ticksSplit: ['ticks split', 'ticks in which several live nodes lead'],
  changes: ['changes of leader', 'how often another node leads than before'],
  stableFrom: [
    'stable from tick',
    'first tick from which all live nodes follow the same live leader to the end',
  ],
  mistakes: ['mistakes per run', 'suspicions of live nodes'],
  staleWrites: ['stale writes', 'accepted writes of leaders that another node had replaced'],
  lateWrites: ['late writes', 'accepted writes after an operation of a later leader'],
} as const satisfies Readonly<Record<string, readonly [label: string, meaning: string]>>;
type MeasureName = keyof typeof MEASURES;
// Object.keys loses the type of the keys.
export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** The properties that a run has or has not. */
export const RUN_PROPERTIES = ['leader', ...PROPERTY_NAMES] as const;
type RunProperty = (typeof RUN_PROPERTIES)[number];

/** One run. All members but the first two are null for a run that grew too large to finish. */
export interface MeasuredRun {
  readonly protocol: ProtocolName;
  readonly seed: Seed;
  readonly outcome: Outcome | null;
  /** The rank of the leader that all live nodes follow. */
  readonly leader: number | null;
  /** Null where the measure does not apply. Infinity where its event does not happen. */
  readonly measures: Readonly<Record<MeasureName, number | null>> | null;
  /** Null where it is not known at the end of the run. */
  readonly properties: Readonly<Record<RunProperty, boolean | null>> | null;
  /** Messages sent by type. */
  readonly messages: Readonly<Record<string, number>> | null;
}

/** A run that grew too large to finish. */
export function unfinishedRun(protocol: ProtocolName, seed: Seed): MeasuredRun {
  const nothing = { leader: null, measures: null, properties: null, messages: null };
  return { protocol, seed, outcome: null, ...nothing };
}

/** Measures a run at its end. Measures of leadership need an audit, bytes need their count. */
export function measuredRun(simulation: Simulation): MeasuredRun {
  const status = simulation.status();
  const { total = 0, ...messages } = status.messages;
  const audit = simulation.audit();
  const { protocol, seed, schedule, detector } = simulation.plan;
  const leadership = audit?.finish(status.ticks) ?? null;
  const outages = audit?.outages() ?? null;
  const isDetecting = schedule !== null || detector !== null;
  const outcome = outcomeOf(status);
  const verdictOn = (name: PropertyName) => status.verdict.properties[name].value;
  return {
    protocol,
    seed,
    outcome,
    leader: status.agreed ? status.leader : null,
    measures: {
      messages: total,
      bytes: simulation.bytes(),
      ticks: status.lastEventTicks,
      agreementTicks: outages === null ? null : (outages.agreementTicks ?? NEVER),
      leaderCrashes: outages?.leaderCrashes ?? null,
      downtimeTicks:
        outages === null || outages.leaderCrashes === 0 ? null : (outages.downtimeTicks ?? NEVER),
      ticksWithoutLeader: leadership?.ticksWithoutLeader ?? null,
      ticksSplit: leadership?.ticksSplit ?? null,
      changes: leadership?.changes ?? null,
      stableFrom: leadership === null ? null : (leadership.stableFrom ?? NEVER),
      mistakes: isDetecting ? (simulation.detection()?.mistakes.count ?? null) : null,
      staleWrites: simulation.resource()?.staleWrites ?? null,
      lateWrites: simulation.resource()?.lateWrites ?? null,
    },
    properties: {
      leader: outcome === 'leader',
      agreement: truthOf(verdictOn('agreement')),
      uniqueness: truthOf(verdictOn('uniqueness')),
      termination: truthOf(verdictOn('termination')),
      highestLiveWins: truthOf(verdictOn('highestLiveWins')),
    },
    messages,
  };
}

const NEVER = Number.POSITIVE_INFINITY;

function truthOf(value: 'true' | 'false' | 'unknown'): boolean | null {
  return value === 'unknown' ? null : value === 'true';
}
