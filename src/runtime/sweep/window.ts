/**
 * @module
 * A window of a cell's repetitions, the unit from which any thread makes tables. Windows begin at the
 * same repetitions in every journal of a sweep, so that sums of doubles are the same.
 */

import { hash } from 'node:crypto';

import type { SweepFrame } from '../../experiment/sweep/cells.ts';
import type { ChunkPart } from '../../experiment/sweep/packing.ts';
import { readColumns } from '../../experiment/sweep/packing.ts';
import type { PartTexts, RowBlock } from '../../experiment/sweep/rows.ts';
import { runBlocks } from '../../experiment/sweep/rows.ts';
import type { CellSum } from '../../experiment/sweep/sums.ts';
import { addToSums, emptySums } from '../../experiment/sweep/sums.ts';
import type { Chunk, SweepCell, SweepSpec } from '../../experiment/sweep/sweep.ts';
import { rowSeed, rowSeeds, seedsOf } from '../../experiment/sweep/sweep.ts';
import type { TextHasher } from '../../mining/kernel/text-kernel.ts';
import type { Seed } from '../../random.ts';

/** Repetitions in a window: a few megabytes of text. */
export const WINDOW_ROWS = 8192;

export interface PackedChunk {
  readonly chunk: Chunk;
  /** Records as `packRecords` makes them. */
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

/**
 * Records that are made rows together. The system gives and takes back the memory of texts above 128 kB each time,
 * which took about a quarter of the time of a table on two threads.
 */
const BLOCK_ROWS_MAX = 256;

/** Sums the runs of a window. Calls `onBlocks` with the rows of its records, unless it is null. */
export function readWindow(
  { frame, cell, texts }: WindowFrame,
  window: Window,
  onBlocks: ((blocks: readonly RowBlock[]) => void) | null,
): readonly CellSum[] {
  const sums = emptySums(cell);
  const toBlocks = runBlocks(frame, cell);
  for (const { chunk, packed } of window.parts) {
    const first = chunk.from;
    const columns = readColumns(packed, chunk);
    const from = Math.max(window.from - first, 0);
    const to = Math.min(window.to - first, chunk.count);
    const seedAt = (index: number) => rowSeed(frame.spec, cell.digest, first + index);
    addToSums(sums, { columns, first, from, to }, seedAt);
    if (onBlocks === null) continue;
    for (let next = from; next < to; next += BLOCK_ROWS_MAX) {
      const part = { columns, first, from: next, to: Math.min(next + BLOCK_ROWS_MAX, to) };
      onBlocks(toBlocks(part, partTexts({ frame, cell, texts }, part)));
    }
  }
  return sums;
}

export interface WindowFrame {
  readonly frame: SweepFrame;
  readonly cell: SweepCell;
  /** Hashes all seeds and ids of a part at once. Without it they are hashed one by one. */
  readonly texts: TextHasher | null;
}

function partTexts({ frame, cell, texts }: WindowFrame, { first, from, to }: ChunkPart): PartTexts {
  const count = to - from;
  if (texts === null) {
    const seeds = Array.from({ length: count }, (_, index) =>
      rowSeed(frame.spec, cell.digest, first + from + index),
    );
    const idsOf: PartTexts['idsOf'] = (before, after) =>
      seeds.map((seed) => hash('sha256', before + seed + after, 'hex'));
    return { seeds, idsOf };
  }
  rowSeeds(texts, frame.spec, cell.digest, { from: first + from, count });
  const seeds = seedsOf(texts);
  const idsOf: PartTexts['idsOf'] = (before, after) => {
    texts.hash(before, after);
    return texts.hexes();
  };
  return { seeds, idsOf };
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
