/**
 * @module
 * The rows of a sweep's tables: one for each run, and one for each cell with the sums over its runs. Runs
 * are added in the order of their repetitions, because sums of doubles depend on the order.
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

/** The values of a row, in the order of the columns. */
export type TableRow = readonly TableValue[];

/** The facts that all rows of a sweep share. */
export interface SweepFrame extends ReplayFrame {
  readonly axes: readonly Axis[];
  readonly spec: ReplayFrame['spec'] & Pick<SweepSpec, 'codeVersion'>;
}

/** A run with its seed and its row id. */
export interface SeededRecord {
  readonly record: RunRecord;
  readonly seed: Seed;
  readonly rowId: string;
}

/** Makes the rows of the run table for one cell. */
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

/** The runs of one cell, added up. It is changed in place by its only owner. */
export interface CellSum {
  n: number;
  k: number;
  failures: number;
  readonly sums: ReadonlyMap<ObservationName, { sum: number; count: number }>;
  fewest: Extreme | null;
  most: Extreme | null;
  wonSeed: Seed | null;
  lostSeed: Seed | null;
  /** Detection ticks of the first runs that have them, for charts. */
  readonly detections: number[];
}

interface Extreme {
  readonly value: number;
  readonly seed: Seed;
}

/** More points on one spot of a chart would only cover each other. */
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
  if (messages !== undefined) widen(cell, { value: messages, seed });
}

/** Extends the range of messages. The first run with an extreme value is kept. */
function widen(cell: CellSum, found: Extreme): void {
  if (cell.fewest === null || found.value < cell.fewest.value) cell.fewest = found;
  if (cell.most === null || found.value > cell.most.value) cell.most = found;
}

/** Adds the sum of the runs that follow. */
export function mergeIntoCell(cell: CellSum, next: CellSum): void {
  cell.n += next.n;
  cell.k += next.k;
  cell.failures += next.failures;
  for (const [name, total] of cell.sums) {
    total.sum += next.sums.get(name)?.sum ?? 0;
    total.count += next.sums.get(name)?.count ?? 0;
  }
  if (next.fewest !== null) widen(cell, next.fewest);
  if (next.most !== null) widen(cell, next.most);
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

/** If the values of an axis have different types, each is written as its text in every format. */
function axisValues(axes: readonly Axis[], cell: SweepCell): TableRow {
  return axes.map(({ values }, index) => {
    const value = cell.values[index] ?? null;
    if (value === null) return null;
    const isMixed = values.some((each) => each !== null && typeof each !== typeof value);
    return isMixed ? String(value) : value;
  });
}
