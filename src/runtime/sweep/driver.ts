/**
 * @module
 * What a sweep tells its engine: which chunk is next, and where a finished one goes, the journal. It
 * counts on the way.
 */

import { Dispatch } from '../../experiment/sweep/dispatch.ts';
import { packRecords } from '../../experiment/sweep/packing.ts';
import type {
  Chunk,
  ChunkReport,
  PackedReport,
  SweepDriver,
  SweepSpec,
} from '../../experiment/sweep/sweep.ts';
import { threadClocks } from '../threads/clocks.ts';
import type { SweepJournal } from './journal.ts';

/** How far rows are. */
export interface ComputingProgress {
  readonly phase: 'computing';
  readonly cells: number;
  /** Cells of which every row is there, or which are refused. */
  readonly cellsDone: number;
  readonly rows: number;
  readonly rowsDone: number;
  /** Rows that were there at the start. */
  readonly reused: number;
  /** Rows without an outcome. */
  readonly failed: number;
  readonly rowsPerSecond: number;
  /** Null before the first row. */
  readonly secondsLeft: number | null;
}

/** The engine's own words are put to it. */
export type SweepProgress =
  | (ComputingProgress & { readonly engine: string })
  | { readonly phase: 'planning'; readonly cells: number; readonly cellsTotal: number }
  | { readonly phase: 'writing'; readonly rows: number; readonly rowsTotal: number };

export interface DriverRequest {
  readonly spec: SweepSpec;
  readonly journal: SweepJournal;
  /** Failed rows that are to be computed again. */
  readonly retries: readonly Chunk[];
  readonly signal: AbortSignal;
}

export class LocalDriver implements SweepDriver {
  readonly signal: AbortSignal;
  onProgress: ((progress: ComputingProgress) => void) | null = null;
  readonly #request: DriverRequest;
  readonly #dispatch: Dispatch;
  /** Retries that have not come back. */
  readonly #retries: Set<string>;
  readonly #rows: number;
  readonly #reused: number;
  readonly #start = threadClocks.wallSeconds();
  #computed = 0;
  #cellsDone = 0;
  #failed: number;

  constructor(request: DriverRequest) {
    const { spec, journal, retries, signal } = request;
    const { cells, runs } = spec;
    const { coverage } = journal;
    this.signal = signal;
    this.#request = request;
    this.#dispatch = new Dispatch({ cells, runs, coverage, retries });
    this.#retries = new Set(retries.map(keyOf));
    this.#reused = coverage.rows;
    this.#failed = journal.failed;
    const allowed = cells.filter((cell) => cell.refusal === null);
    this.#rows = allowed.length * runs;
    const done = allowed.filter(({ index }) => coverage.rowsOf(index) === runs);
    this.#cellsDone = cells.length - allowed.length + done.length;
  }

  /** Whether every row is there. */
  isDone(): boolean {
    return this.#request.journal.coverage.rows === this.#rows && this.#retries.size === 0;
  }

  next(): Chunk | null {
    return this.signal.aborted ? null : this.#dispatch.next();
  }

  accept(report: ChunkReport | PackedReport): void {
    const { spec, journal } = this.#request;
    const packed = 'packed' in report ? report : packedOf(report);
    const { chunk } = packed;
    const isRetry = this.#retries.delete(keyOf(chunk));
    if (!journal.append(packed, isRetry)) return;
    this.#dispatch.learn(chunk, packed.wallSeconds);
    this.#computed += chunk.count;
    this.#failed += packed.failed - (isRetry ? chunk.count : 0);
    if (!isRetry && journal.coverage.rowsOf(chunk.cell) === spec.runs) this.#cellsDone += 1;
    this.onProgress?.(this.#progress());
  }

  #progress(): ComputingProgress {
    const rowsDone = this.#request.journal.coverage.rows;
    const seconds = threadClocks.wallSeconds() - this.#start;
    const rowsPerSecond = this.#computed / Math.max(seconds, 1e-3);
    const rowsLeft = this.#rows - rowsDone + this.#retries.size;
    return {
      phase: 'computing',
      cells: this.#request.spec.cells.length,
      cellsDone: this.#cellsDone,
      rows: this.#rows,
      rowsDone,
      reused: this.#reused,
      failed: this.#failed,
      rowsPerSecond,
      secondsLeft: this.#computed === 0 ? null : rowsLeft / rowsPerSecond,
    };
  }
}

function keyOf({ cell, from, count }: Chunk): string {
  return `${cell} ${from} ${count}`;
}

function packedOf({ chunk, records, wallSeconds }: ChunkReport): PackedReport {
  if (records.length !== chunk.count) {
    throw new RangeError(`"records" expected ${chunk.count} of the chunk, got ${records.length}`);
  }
  const failed = records.filter((record) => record.won === null).length;
  return { chunk, packed: packRecords(records), failed, wallSeconds };
}
