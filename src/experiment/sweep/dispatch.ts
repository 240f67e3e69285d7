/**
 * @module
 * The rows of a sweep that exist, and the chunks to compute next. Chunks are cut from the gaps in the
 * order of the table. Their size follows the time that rows took, so that a chunk has many cheap rows or
 * one expensive row.
 */

import type { Chunk, SweepCell } from './sweep.ts';

/** The existing repetitions of each cell, as ascending intervals without overlap. */
export class Coverage {
  readonly #cells: Chunk[][] = [];
  #rows = 0;

  /** The number of existing rows. */
  get rows(): number {
    return this.#rows;
  }

  /** Adds a chunk. If one of its rows exists, returns false and adds nothing. */
  add(chunk: Chunk): boolean {
    const intervals = this.#cells[chunk.cell] ?? [];
    this.#cells[chunk.cell] = intervals;
    // Chunks arrive nearly in order, so the search starts at the end.
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

  /** The number of existing rows of a cell. */
  rowsOf(cell: number): number {
    return (this.#cells[cell] ?? []).reduce((sum, { count }) => sum + count, 0);
  }

  /** The repetition after the last existing row of a cell. 0 if it has no row. */
  endOf(cell: number): number {
    const last = this.#cells[cell]?.at(-1);
    return last === undefined ? 0 : last.from + last.count;
  }

  /** The missing repetitions of a cell below `runs`. */
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

export interface DispatchRequest {
  readonly cells: readonly SweepCell[];
  readonly runs: number;
  readonly coverage: Coverage;
}

/** Time that a chunk is aimed to take, and the first of a cell, whose rows may be more expensive. */
const CHUNK_SECONDS = 0.1;
const FIRST_SECONDS = 0.02;
/** Limits the length of a chunk's record, and the work that is lost with a process. */
const CHUNK_COUNT_MAX = 8192;
const GROWTH_MAX = 4;

/** Issues each missing chunk once. */
export class Dispatch {
  readonly #source: Generator<Chunk, void>;
  /** Sizes of chunks, for each cell with a finished chunk. */
  readonly #sizes = new Map<number, number>();
  #firstSize = 1;

  constructor(request: DispatchRequest) {
    this.#source = this.#cut(missing(request));
  }

  next(): Chunk | null {
    return this.#source.next().value ?? null;
  }

  /** Adapts sizes to the time that a chunk took. */
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
    // Computed when the cell's turn comes, because a fleet may have reported rows of it meanwhile.
    if (refusal === null) yield* coverage.gaps(index, runs);
  }
}
