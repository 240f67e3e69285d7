/**
 * @module
 * The runs of a cell of a sweep, added up by columns. Runs are added in the order of their repetitions, because sums
 * of doubles depend on the order.
 */

import type { Seed } from '../../random.ts';
import type { ObservationName } from '../runs/observations.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import type { ProtocolGroup } from '../runs/protocol-groups.ts';
import { protocolGroupsOf } from '../runs/protocol-groups.ts';
import type { ChunkPart, Column } from './packing.ts';
import { LETTERS } from './packing.ts';
import type { SweepCell } from './sweep.ts';

/** The groups of protocols of a cell. A refused cell has one without a protocol. */
export function groupsOfCell({ model }: SweepCell): readonly ProtocolGroup[] {
  return model === null ? [[]] : protocolGroupsOf(model);
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
    n: 0,
    k: 0,
    failures: 0,
    sums,
    fewest: null,
    most: null,
    wonSeed: null,
    lostSeed: null,
    detections: [],
  };
}

/** Adds the records of a part. `seedAt` gives the seed of a record by its index in the chunk. */
export function addToSums(
  sums: readonly CellSum[],
  part: ChunkPart,
  seedAt: (index: number) => Seed,
): void {
  for (const [group, sum] of sums.entries()) addGroup(sum, part, group, seedAt);
}

function addGroup(
  cell: CellSum,
  { columns, from, to }: ChunkPart,
  group: number,
  seedAt: (index: number) => Seed,
): void {
  // A chunk whose records all failed has no groups.
  const { won = LETTERS.failed.repeat(to), observations = {} } = columns.groups[group] ?? {};
  const letters = won.slice(from, to);
  const firstOf = (letter: string) => {
    const index = letters.indexOf(letter);
    return index < 0 ? null : seedAt(from + index);
  };
  const [wins, losses] = [LETTERS.won, LETTERS.lost].map((letter) => timesOf(letters, letter));
  cell.k += wins ?? 0;
  cell.n += (wins ?? 0) + (losses ?? 0);
  cell.failures += timesOf(letters, LETTERS.failed);
  cell.wonSeed ??= firstOf(LETTERS.won);
  cell.lostSeed ??= firstOf(LETTERS.lost);
  for (const [name, total] of cell.sums) {
    const column = observations[name];
    if (column !== undefined) addColumn(total, column, from, to);
  }
  const { messages = null, detectionTicks: detections = null } = observations;
  addMessages(cell, valuesOf(messages, from, to, 1), (index) => seedAt(from + index));
  const room = DETECTIONS_MAX - cell.detections.length;
  if (room <= 0) return;
  const seen = valuesOf(detections, from, to, room).filter((value) => value !== null);
  cell.detections.push(...seen.slice(0, room));
}

function timesOf(letters: string, wanted: string): number {
  let times = 0;
  for (const letter of letters) if (letter === wanted) times += 1;
  return times;
}

/** The values of the records from..to−1, `most` at most. */
function valuesOf(column: Column, from: number, to: number, most = to - from) {
  if (typeof column === 'object' && column !== null) return column.slice(from, to);
  return column === null ? [] : Array.from({ length: Math.min(most, to - from) }, () => column);
}

/** One value after the other, because sums of doubles depend on the order. */
function addColumn(
  total: { sum: number; count: number },
  column: Column,
  from: number,
  to: number,
): void {
  const isConstant = typeof column !== 'object' || column === null;
  for (let index = from; index < to; index += 1) {
    const value = isConstant ? column : (column[index] ?? null);
    if (value === null) continue;
    total.sum += value;
    total.count += 1;
  }
}

function addMessages(
  cell: CellSum,
  values: readonly (number | null)[],
  seedAt: (index: number) => Seed,
): void {
  const [least, most] = [rangeEnd(values, isBelow), rangeEnd(values, isAbove)];
  if (least === null || most === null) return;
  widen(cell, { value: least.value, seed: seedAt(least.index) });
  widen(cell, { value: most.value, seed: seedAt(most.index) });
}

const isBelow = (one: number, other: number): boolean => one < other;
const isAbove = (one: number, other: number): boolean => one > other;

/** The first value that no other exceeds in this direction. */
function rangeEnd(
  values: readonly (number | null)[],
  exceeds: (one: number, other: number) => boolean,
): { readonly value: number; readonly index: number } | null {
  let end: { value: number; index: number } | null = null;
  for (const [index, value] of values.entries()) {
    if (value !== null && (end === null || exceeds(value, end.value))) end = { value, index };
  }
  return end;
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
