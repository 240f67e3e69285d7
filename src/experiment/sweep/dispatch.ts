/**
 * @module
 * Which rows of a sweep are there, and which are to be computed next. Chunks are cut from the gaps in
 * the order of the table and sized by the time that rows took, so that many cheap rows travel
 * together and a dear one alone.
 */

import type { Chunk, SweepCell } from './sweep.ts';

/** The repetitions of each cell that are there: intervals without overlap, rising. */
export class Coverage {
  readonly #cells: Chunk[][] = [];
  #rows = 0;

  /** Rows that are there. */
  get rows(): number {
    return this.#rows;
  }

  /** Adds a chunk; false, and nothing is added, if a row of it is there already. */
  add(chunk: Chunk): boolean {
    const intervals = this.#cells[chunk.cell] ?? [];
    this.#cells[chunk.cell] = intervals;
    // Chunks come nearly in order, so that the place is near the end.
    let at = intervals.length;
    while (at > 0 && (intervals[at - 1]?.from ?? 0) > chunk.from) at -= 1;
    const before = intervals[at - 1];
    const after = intervals[at];
    if (before !== undefined && before.from + before.count > chunk.from) return false;
    if (after !== undefined && chunk.from + chunk.count > after.from) return false;
    this.#rows += chunk.count;
    const joins = before !== undefined && before.from + before.count === chunk.from;
    const joined = joins ? { ...before, count: before.count + chunk.count } : chunk;
    intervals.splice(joins ? at - 1 : at, joins ? 1 : 0, joined);
    return true;
  }

  /** Rows of a cell that are there. */
  rowsOf(cell: number): number {
    return (this.#cells[cell] ?? []).reduce((sum, { count }) => sum + count, 0);
  }

  /** The number after the last row of a cell that is there; 0 where none is. */
  endOf(cell: number): number {
    const last = this.#cells[cell]?.at(-1);
    return last === undefined ? 0 : last.from + last.count;
  }

  /** The repetitions of a cell that are not there, below `runs`. */
  gaps(cell: number, runs: number): readonly Chunk[] {
    const gaps: Chunk[] = [];
    let from = 0;
    for (const interval of this.#cells[cell] ?? []) {
      if (interval.from > from) gaps.push({ cell, from, count: interval.from - from });
      from = interval.from + interval.count;
    }
    if (from < runs) gaps.push({ cell, from, count: runs - from });
    return gaps;
  }
}

/** What is to be computed, of what is not there. */
export interface DispatchRequest {
  readonly cells: readonly SweepCell[];
  readonly runs: number;
  readonly coverage: Coverage;
}

const CHUNK_SECONDS = 0.1;
/** Of the first chunk of a cell: its rows may be dearer than those of the cell before it. */
const FIRST_SECONDS = 0.02;
/** Bounds the line of a chunk, and what is lost with a process. */
const CHUNK_COUNT_MAX = 8192;
const GROWTH_MAX = 4;

/** Hands out chunks, none twice. */
export class Dispatch {
  readonly #source: Generator<Chunk, void>;
  /** Sizes by cell, of cells whose chunks came back. */
  readonly #sizes = new Map<number, number>();
  #firstSize = 1;

  constructor(request: DispatchRequest) {
    this.#source = this.#cut(missing(request));
  }

  next(): Chunk | null {
    return this.#source.next().value ?? null;
  }

  /** Learns from the time that a chunk took. */
  learn({ cell, count }: Chunk, wallSeconds: number): void {
    const rowSeconds = Math.max(wallSeconds, 1e-6) / count;
    const size = this.#sizes.get(cell) ?? this.#firstSize;
    this.#sizes.set(cell, sizeFor(CHUNK_SECONDS / rowSeconds, Math.max(size, count)));
    this.#firstSize = sizeFor(FIRST_SECONDS / rowSeconds, Math.max(this.#firstSize, count));
  }

  *#cut(gaps: Iterable<Chunk>): Generator<Chunk, void> {
    for (const { cell, from, count } of gaps) {
      let done = 0;
      while (done < count) {
        const size = this.#sizes.get(cell) ?? this.#firstSize;
        const chunk = { cell, from: from + done, count: Math.min(size, count - done) };
        done += chunk.count;
        yield chunk;
      }
    }
  }
}

function sizeFor(fitting: number, before: number): number {
  return Math.max(1, Math.min(Math.floor(fitting), GROWTH_MAX * before, CHUNK_COUNT_MAX));
}

function* missing({ cells, runs, coverage }: DispatchRequest): Generator<Chunk, void> {
  for (const { index, refusal } of cells) {
    // Asked when its turn comes: a fleet may have reported some of it meanwhile.
    if (refusal === null) yield* coverage.gaps(index, runs);
  }
}
