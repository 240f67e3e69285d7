/**
 * @module
 * The rows of a sweep's tables: one for each run and one for each cell with the sums over its runs, and
 * in both one for each protocol, or for each group of protocols that share their outcomes. Runs are added in the order of their repetitions, because sums of doubles depend on the order.
 */

import type { Seed } from '../../random.ts';
import { joinCost } from '../cost/honest-cost.ts';
import { modelFor } from '../document/threat-model.ts';
import type { ObservationName } from '../runs/observations.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import type { ProtocolGroup } from '../runs/protocol-groups.ts';
import { protocolGroupsOf } from '../runs/protocol-groups.ts';
import type { ObservedOutcome } from '../runs/run.ts';
import { EMPTY_TALLY } from '../runs/tally.ts';
import { seedEffectsOf } from '../runs/variation.ts';
import { theoryOf } from '../verdict/theory.ts';
import type { Measured } from '../verdict/verdict.ts';
import { judge, measure, measureOne } from '../verdict/verdict.ts';
import type { TableValue } from './columns.ts';
import type { ReplayFrame } from './replay.ts';
import { cellReplay, rowReplay } from './replay.ts';
import { rowIdText } from './seeds.ts';
import type { Axis, RunRecord, SweepCell, SweepSpec } from './sweep.ts';

/** The values of a row, in the order of the columns. */
export type TableRow = readonly TableValue[];

/** The facts that all rows of a sweep share. */
export interface SweepFrame extends ReplayFrame {
  readonly axes: readonly Axis[];
  readonly spec: ReplayFrame['spec'] & Pick<SweepSpec, 'codeVersion'>;
}

/** A run with its seed. */
export interface SeededRecord {
  readonly record: RunRecord;
  readonly seed: Seed;
}

/** The groups of protocols of a cell. A refused cell has one without a protocol. */
export function groupsOfCell({ model }: SweepCell): readonly ProtocolGroup[] {
  return model === null ? [[]] : protocolGroupsOf(model);
}

/** Makes the rows of the run table for one cell. `idOf` hashes the text of a row's id. */
export function runRows(
  frame: SweepFrame,
  cell: SweepCell,
  idOf: (text: string) => string,
): (run: SeededRecord) => readonly TableRow[] {
  const replay = rowReplay(frame, cell);
  const values = axisValues(frame.axes, cell);
  const { codeVersion } = frame.spec;
  const groups = groupsOfCell(cell);
  const named = groups.map((protocols) => ({
    shown: protocolText(protocols),
    idParts: groups.length === 1 ? [] : protocols,
  }));
  return ({ record: { repetition, outcomes, failure }, seed }) =>
    named.map(({ shown, idParts }, group) => {
      const { won = null, observations = {} } = outcomes?.[group] ?? {};
      return [
        idOf(rowIdText(cell.digest, seed, codeVersion, idParts)),
        cell.index,
        repetition,
        seed,
        ...values,
        shown,
        won,
        ...OBSERVATION_NAMES.map((name) => observations[name] ?? null),
        failure,
        codeVersion,
        replay(seed, observations),
      ];
    });
}

function protocolText(protocols: ProtocolGroup): string | null {
  return protocols.length === 0 ? null : protocols.join(' ');
}

/** The runs of one cell for one group of protocols, added up. It is changed in place by its only owner. */
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

/** A sum for each group of protocols of a cell. */
export function emptySums(cell: SweepCell): readonly CellSum[] {
  return groupsOfCell(cell).map(emptyCellSum);
}

function emptyCellSum(): CellSum {
  const sums = new Map(OBSERVATION_NAMES.map((name) => [name, { sum: 0, count: 0 }]));
  return {
    ...{ n: 0, k: 0, failures: 0, sums },
    ...{ fewest: null, most: null, wonSeed: null, lostSeed: null, detections: [] },
  };
}

/** Adds one run. */
export function addToSums(sums: readonly CellSum[], { record, seed }: SeededRecord): void {
  for (const [group, sum] of sums.entries()) {
    const outcome = record.outcomes?.[group];
    if (outcome === undefined) sum.failures += 1;
    else addOutcome(sum, outcome, seed);
  }
}

function addOutcome(cell: CellSum, { won, observations }: ObservedOutcome, seed: Seed): void {
  cell.n += 1;
  if (won) {
    cell.k += 1;
    cell.wonSeed ??= seed;
  } else {
    cell.lostSeed ??= seed;
  }
  for (const [name, total] of cell.sums) {
    const value = observations[name];
    if (value === undefined) continue;
    total.sum += value;
    total.count += 1;
  }
  const { messages, detection_ticks: detection } = observations;
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

/** Adds the sums of the runs that follow. */
export function mergeIntoSums(sums: readonly CellSum[], next: readonly CellSum[]): void {
  for (const [group, sum] of sums.entries()) {
    const other = next[group];
    if (other !== undefined) mergeIntoCell(sum, other);
  }
}

function mergeIntoCell(cell: CellSum, next: CellSum): void {
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

/** The rows of the cell table, one for each of the cell's sums. */
export function cellRows(
  frame: SweepFrame,
  cell: SweepCell,
  sums: readonly CellSum[],
): readonly TableRow[] {
  const groups = groupsOfCell(cell);
  const hasRuns = sums.some(({ n }) => n > 0);
  const effects = cell.model === null || !hasRuns ? null : seedEffectsOf(cell.model);
  return sums.map((sum, group) => {
    const measured = measurementOf(cell, sum, effects?.[group]?.length === 0);
    return cellRow(frame, cell, { protocols: groups[group] ?? [], measured, sum });
  });
}

function cellRow(
  frame: SweepFrame,
  cell: SweepCell,
  parts: {
    readonly protocols: ProtocolGroup;
    /** Null without a run. */
    readonly measured: Measured | null;
    readonly sum: CellSum;
  },
): TableRow {
  const { protocols, measured, sum } = parts;
  const means = OBSERVATION_NAMES.map((name) => {
    const total = sum.sums.get(name);
    return total === undefined || total.count === 0 ? null : total.sum / total.count;
  });
  return [
    cell.index,
    ...axisValues(frame.axes, cell),
    protocolText(protocols),
    measured?.runs ?? 0,
    measured?.wins ?? 0,
    ...judged(cell, protocols, measured),
    ...respondedTo(cell, protocols),
    sum.failures,
    cell.refusal,
    ...honest(cell),
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

/** Null if no run has an outcome. */
function measurementOf(
  { model }: SweepCell,
  { n: runs, k: wins }: CellSum,
  isConstant: boolean,
): Measured | null {
  if (model === null || runs === 0) return null;
  return isConstant ? measureOne({ runs, wins }) : measure(model, { runs, wins });
}

/** p, interval, closed form and verdict. */
function judged(cell: SweepCell, protocols: ProtocolGroup, measured: Measured | null): TableRow {
  if (cell.model === null) return [null, null, null, null, null];
  const model = modelFor(cell.model, protocols);
  const tally = { ...EMPTY_TALLY, runs: measured?.runs ?? 0 };
  const theory = theoryOf(model, tally, null).probability;
  if (measured === null) return [null, null, null, theory, 'unknown'];
  const [low, high] = measured.interval ?? [null, null];
  const verdict = judge(model, measured, null).value;
  return [measured.frequency, low, high, theory, verdict];
}

/** The responses to these protocols, and how they were found. */
function respondedTo({ responses = [] }: SweepCell, protocols: ProtocolGroup): TableRow {
  const own = responses.filter(
    (each) => protocols.length === 0 || each.protocols.some((name) => protocols.includes(name)),
  );
  if (own.length === 0) return [null, null];
  const founds = new Set(own.map(({ found }) => found));
  return [own.map(({ text }) => text).join(' | '), [...founds].join(', ')];
}

/** Attempts and seconds of an honest node for an identity. */
function honest({ model }: SweepCell): TableRow {
  if (model === null) return [null, null, null, null];
  const { attempts, seconds } = joinCost(model, null);
  return [attempts.p50, attempts.p95, seconds?.p50 ?? null, seconds?.p95 ?? null];
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
