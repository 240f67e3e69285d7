/**
 * @module
 * Rows of a sweep's tables: each run as it is, each cell as the sum of its runs, which must come in
 * the order of their repetitions, as sums of doubles depend on it.
 */

import type { Seed } from '../../random.ts';
import type { ObservationName } from '../runs/observations.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import { EMPTY_TALLY } from '../runs/tally.ts';
import { theoryOf } from '../verdict/theory.ts';
import { judge, measure } from '../verdict/verdict.ts';
import type { TableValue } from './columns.ts';
import type { ReplayFrame } from './replay.ts';
import { cellReplay, rowReplay } from './replay.ts';
import type { Axis, RunRecord, SweepCell, SweepSpec } from './sweep.ts';

/** One row in the order of the table's columns. */
export type TableRow = readonly TableValue[];

/** What the rows of a sweep share. */
export interface SweepFrame extends ReplayFrame {
  readonly axes: readonly Axis[];
  readonly spec: ReplayFrame['spec'] & Pick<SweepSpec, 'codeVersion'>;
}

/** A run that has its seed and identity. */
export interface SeededRecord {
  readonly record: RunRecord;
  readonly seed: Seed;
  readonly rowId: string;
}

/** Rows of the run table for one cell. */
export function runRows(frame: SweepFrame, cell: SweepCell): (run: SeededRecord) => TableRow {
  const replay = rowReplay(frame, cell);
  const values = axisValues(frame.axes, cell);
  const { codeVersion } = frame.spec;
  return ({ record, seed, rowId }) => [
    rowId,
    cell.index,
    record.repetition,
    seed,
    ...values,
    record.won,
    ...OBSERVATION_NAMES.map((name) => record.observations[name] ?? null),
    record.failure,
    codeVersion,
    replay(seed, record.observations),
  ];
}

/** Where a sum over runs stands. */
interface Sum {
  sum: number;
  count: number;
}

interface Extreme {
  readonly value: number;
  readonly seed: Seed;
}

/** The sum of one cell's runs; owned by one reader of rows, so it is added to in place. */
export interface CellSum {
  n: number;
  k: number;
  failures: number;
  readonly sums: ReadonlyMap<ObservationName, Sum>;
  fewest: Extreme | null;
  most: Extreme | null;
  wonSeed: Seed | null;
  lostSeed: Seed | null;
  /** Detection ticks of the first runs that have them, for pictures. */
  readonly detections: number[];
}

/** More points at one place only blacken it. */
const DETECTIONS_MAX = 60;

export function emptyCellSum(): CellSum {
  const sums = new Map(OBSERVATION_NAMES.map((name) => [name, { sum: 0, count: 0 }]));
  return {
    ...{ n: 0, k: 0, failures: 0, sums },
    ...{ fewest: null, most: null, wonSeed: null, lostSeed: null, detections: [] },
  };
}

/** Adds one run. */
export function addToCell(
  cell: CellSum,
  { record, seed }: Pick<SeededRecord, 'record' | 'seed'>,
): void {
  if (record.won === null) {
    cell.failures += 1;
    return;
  }
  cell.n += 1;
  if (record.won) {
    cell.k += 1;
    cell.wonSeed ??= seed;
  } else {
    cell.lostSeed ??= seed;
  }
  for (const [name, total] of cell.sums) {
    const value = record.observations[name];
    if (value === undefined) continue;
    total.sum += value;
    total.count += 1;
  }
  const { messages, detection_ticks: detection } = record.observations;
  if (detection !== undefined && cell.detections.length < DETECTIONS_MAX) {
    cell.detections.push(detection);
  }
  if (messages === undefined) return;
  if (cell.fewest === null || messages < cell.fewest.value) {
    cell.fewest = { value: messages, seed };
  }
  if (cell.most === null || messages > cell.most.value) cell.most = { value: messages, seed };
}

/** Adds the sum of the runs that come next. */
export function mergeIntoCell(cell: CellSum, next: CellSum): void {
  cell.n += next.n;
  cell.k += next.k;
  cell.failures += next.failures;
  for (const [name, total] of cell.sums) {
    total.sum += next.sums.get(name)?.sum ?? 0;
    total.count += next.sums.get(name)?.count ?? 0;
  }
  const { fewest, most } = next;
  if (fewest !== null && (cell.fewest === null || fewest.value < cell.fewest.value)) {
    cell.fewest = fewest;
  }
  if (most !== null && (cell.most === null || most.value > cell.most.value)) cell.most = most;
  cell.wonSeed ??= next.wonSeed;
  cell.lostSeed ??= next.lostSeed;
  cell.detections.push(...next.detections.slice(0, DETECTIONS_MAX - cell.detections.length));
}

/** The row of the cell table. */
export function cellRow(frame: SweepFrame, cell: SweepCell, sum: CellSum): TableRow {
  const means = OBSERVATION_NAMES.map((name) => {
    const total = sum.sums.get(name);
    return total === undefined || total.count === 0 ? null : total.sum / total.count;
  });
  return [
    cell.index,
    ...axisValues(frame.axes, cell),
    sum.n,
    sum.k,
    ...measured(cell, sum),
    sum.failures,
    cell.refusal,
    ...means,
    sum.fewest?.value ?? null,
    sum.fewest?.seed ?? null,
    sum.most?.value ?? null,
    sum.most?.seed ?? null,
    sum.wonSeed,
    sum.lostSeed,
    frame.spec.codeVersion,
    cellReplay(frame, cell),
  ];
}

/** p, interval, closed form and verdict. */
function measured({ model }: SweepCell, { n, k }: CellSum): TableRow {
  if (model === null) return [null, null, null, null, null];
  const tally = { ...EMPTY_TALLY, runs: n, wins: k };
  const theory = theoryOf(model, tally, null).probability;
  if (n === 0) return [null, null, null, theory, 'unknown'];
  const measurement = measure(model, tally);
  const [low, high] = measurement.interval;
  const verdict = judge(model, measurement, null).value;
  return [measurement.frequency, low, high, theory, verdict];
}

/** On an axis of mixed types every value is its text, in every format alike. */
function axisValues(axes: readonly Axis[], cell: SweepCell): TableRow {
  return axes.map(({ values }, index) => {
    const value = cell.values[index] ?? null;
    if (value === null) return null;
    const isMixed = values.some((each) => each !== null && typeof each !== typeof value);
    return isMixed ? String(value) : value;
  });
}
