/**
 * @module
 * The driver of an engine: it hands out the chunks that are missing, writes finished ones to the
 * journal, and reports progress.
 */

import { Dispatch } from '../../experiment/sweep/dispatch.ts';
import { packRecords } from '../../experiment/sweep/packing.ts';
import { RemainingWork } from '../../experiment/sweep/remaining.ts';
import type {
  Chunk,
  ChunkReport,
  PackedReport,
  SweepDriver,
  SweepSpec,
} from '../../experiment/sweep/sweep.ts';
import { threadClocks } from '../threads/clocks.ts';
import type { SweepJournal } from './journal.ts';

export interface ComputingProgress {
  readonly phase: 'computing';
  readonly cells: number;
  /** Cells that are refused or have all their rows. */
  readonly cellsDone: number;
  readonly rows: number;
  readonly rowsDone: number;
  /** Rows that existed at the start. */
  readonly reused: number;
  /** Rows without an outcome. */
  readonly failed: number;
  readonly rowsPerSecond: number;
  /** Null before the first row. */
  readonly secondsLeft: number | null;
}

/** `engine` is the status of the engine as text. */
export type SweepProgress =
  | (ComputingProgress & { readonly engine: string })
  | { readonly phase: 'planning'; readonly cells: number; readonly cellsTotal: number }
  | { readonly phase: 'writing'; readonly rows: number; readonly rowsTotal: number };

export interface DriverRequest {
  readonly spec: SweepSpec;
  readonly journal: SweepJournal;
  readonly signal: AbortSignal;
  /** Seconds of a clock that only goes forward. By default that of the thread. */
  readonly wallSeconds?: (() => number) | undefined;
}

export class LocalDriver implements SweepDriver {
  readonly signal: AbortSignal;
  onProgress: ((progress: ComputingProgress) => void) | null = null;
  readonly #request: DriverRequest;
  readonly #dispatch: Dispatch;
  readonly #rows: number;
  readonly #reused: number;
  readonly #remaining: RemainingWork;
  readonly #wallSeconds: () => number;
  readonly #start: number;
  #computed = 0;
  #cellsDone = 0;

  constructor(request: DriverRequest) {
    const { spec, journal, signal, wallSeconds = () => threadClocks.wallSeconds() } = request;
    const { cells, runs } = spec;
    const { coverage } = journal;
    this.signal = signal;
    this.#request = request;
    this.#wallSeconds = wallSeconds;
    this.#start = wallSeconds();
    const missing = (cell: number) => runs - coverage.rowsOf(cell);
    this.#remaining = new RemainingWork({ cells, missing });
    this.#dispatch = new Dispatch({ cells, runs, coverage });
    this.#reused = coverage.rows;
    const allowed = cells.filter((cell) => cell.refusal === null);
    this.#rows = allowed.length * runs;
    const done = allowed.filter(({ index }) => coverage.rowsOf(index) === runs);
    this.#cellsDone = cells.length - allowed.length + done.length;
  }

  /** Whether all rows exist. */
  isDone(): boolean {
    return this.#request.journal.coverage.rows === this.#rows;
  }

  next(): Chunk | null {
    return this.signal.aborted ? null : this.#dispatch.next();
  }

  accept(report: ChunkReport | PackedReport): void {
    const { spec, journal } = this.#request;
    const packed = 'packed' in report ? report : packedOf(report);
    const { chunk } = packed;
    if (!journal.append(packed)) return;
    this.#dispatch.learn(chunk, packed.wallSeconds);
    this.#remaining.finish(chunk, packed.wallSeconds);
    this.#computed += chunk.count;
    if (journal.coverage.rowsOf(chunk.cell) === spec.runs) this.#cellsDone += 1;
    this.onProgress?.(this.#progress());
  }

  #progress(): ComputingProgress {
    const rowsDone = this.#request.journal.coverage.rows;
    const seconds = this.#wallSeconds() - this.#start;
    const rowsPerSecond = this.#computed / Math.max(seconds, 1e-3);
    return {
      phase: 'computing',
      cells: this.#request.spec.cells.length,
      cellsDone: this.#cellsDone,
      rows: this.#rows,
      rowsDone,
      reused: this.#reused,
      failed: this.#request.journal.failed,
      rowsPerSecond,
      secondsLeft: this.#remaining.secondsLeft(seconds),
    };
  }
}

function packedOf({ chunk, records, wallSeconds }: ChunkReport): PackedReport {
  if (records.length !== chunk.count) {
    throw new RangeError(`"records" expected ${chunk.count} of the chunk, got ${records.length}`);
  }
  const failed = records.filter((record) => record.outcomes === null).length;
  return { chunk, packed: packRecords(records), failed, wallSeconds };
}
