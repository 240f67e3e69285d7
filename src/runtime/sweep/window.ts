/**
 * @module
 * A window of a cell's repetitions, the unit from which any thread makes tables. Windows begin at the
 * same repetitions in every journal of a sweep, so that sums of doubles are the same.
 */

import { hash } from 'node:crypto';
import type { CellSum, SweepFrame, TableRow } from '../../experiment/sweep/cells.ts';
import { addToSums, emptySums, runRows } from '../../experiment/sweep/cells.ts';
import { unpackRecords } from '../../experiment/sweep/packing.ts';
import { rowSeed } from '../../experiment/sweep/seeds.ts';
import type { Chunk, RunRecord, SweepCell, SweepSpec } from '../../experiment/sweep/sweep.ts';
import type { Seed } from '../../random.ts';

/** Repetitions in a window: a few megabytes of text. */
export const WINDOW_ROWS = 8192;

export interface PackedChunk {
  readonly chunk: Chunk;
  /** As `packRecords` makes it. */
  readonly packed: string;
}

/** The repetitions from..to−1 of a cell that exist. */
export interface Window {
  readonly cell: number;
  readonly from: number;
  readonly to: number;
  /** The chunks that contain some of them, in ascending order. */
  readonly parts: readonly PackedChunk[];
}

/** The records of a window in the order of their repetitions. */
export function* windowRecords(window: Window): Generator<RunRecord, void> {
  for (const { chunk, packed } of window.parts) {
    for (const record of unpackRecords(packed, chunk)) {
      if (record.repetition >= window.from && record.repetition < window.to) yield record;
    }
  }
}

/** Sums the runs of a window. Calls `onRow` with each row, unless it is null. */
export function readWindow(
  {
    frame,
    cell,
    seeds,
  }: {
    readonly frame: SweepFrame;
    readonly cell: SweepCell;
    readonly seeds: SeedSource;
  },
  window: Window,
  onRow: ((row: TableRow) => void) | null,
): readonly CellSum[] {
  const sums = emptySums(cell);
  const toRows = runRows(frame, cell, (text) => hash('sha256', text, 'hex'));
  for (const record of windowRecords(window)) {
    const seed = seeds.of(cell.digest, record.repetition);
    addToSums(sums, { record, seed });
    if (onRow === null) continue;
    for (const row of toRows({ record, seed })) onRow(row);
  }
  return sums;
}

const SEEDS_KEPT = 2 ** 18;

/** Seeds of rows. Paired seeds are the same in every cell and are therefore kept. */
export class SeedSource {
  readonly #spec: Pick<SweepSpec, 'seed' | 'seedRule'>;
  readonly #kept = new Map<number, Seed>();

  constructor(spec: Pick<SweepSpec, 'seed' | 'seedRule'>) {
    this.#spec = spec;
  }

  of(cellDigest: string, repetition: number): Seed {
    if (this.#spec.seedRule !== 'paired') return rowSeed(this.#spec, cellDigest, repetition);
    const kept = this.#kept.get(repetition);
    if (kept !== undefined) return kept;
    const seed = rowSeed(this.#spec, cellDigest, repetition);
    if (this.#kept.size < SEEDS_KEPT) this.#kept.set(repetition, seed);
    return seed;
  }
}
