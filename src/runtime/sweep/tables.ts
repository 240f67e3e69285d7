/**
 * @module
 * From a journal to tables: rows in the order of cell and repetition, whatever order they came in, a
 * window in memory at a time. Lines of long tables are made on threads and put in order here; one
 * thread alone took as long for them as two for the runs.
 */

import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { CellSum, SweepFrame, TableRow } from '../../experiment/sweep/cells.ts';
import { cellRow, emptyCellSum, mergeIntoCell } from '../../experiment/sweep/cells.ts';
import type { SweepCell } from '../../experiment/sweep/sweep.ts';
import type { Range, RangePlan } from '../threads/range-pool.ts';
import { RangePool } from '../threads/range-pool.ts';
import type { SweepJournal } from './journal.ts';
import type { TableWriter } from './table-writers.ts';
import type { TextOrder, TextWork, WindowText } from './text-worker.ts';
import { readWindow, SeedSource } from './window.ts';

/** A cell with all its runs added up. */
export interface FinishedCell {
  readonly cell: SweepCell;
  readonly sum: CellSum;
  readonly row: TableRow;
}

export interface TablesRequest {
  readonly frame: SweepFrame;
  readonly cells: readonly SweepCell[];
  readonly journal: SweepJournal;
  /** Null where rows of runs are not wanted. */
  readonly runs: TableWriter | null;
  readonly threads: number;
  /** Rows from which on threads are used; by default as many as are worth their start. */
  readonly threadedRowsMin?: number | undefined;
  readonly onCell: (finished: FinishedCell) => void;
  readonly onProgress: (rows: number) => void;
  readonly signal: AbortSignal;
}

/** Below it threads take longer to start than they save. */
const THREADED_ROWS_MIN = 250_000;
const TEXT_WORKER = new URL('./text-worker.ts', import.meta.url);

/** Writes every row that is there; answers how many failed, or null if it was interrupted. */
export async function writeTables(request: TablesRequest): Promise<{ failed: number } | null> {
  const { journal, runs, threads, threadedRowsMin = THREADED_ROWS_MIN } = request;
  const cells = new CellsInOrder(request);
  const canBeSplit = runs === null || runs.textFormat !== null;
  const isThreaded = threads > 1 && journal.coverage.rows >= threadedRowsMin;
  if (canBeSplit && isThreaded) await writeByThreads(request, cells);
  else await writeHere(request, cells);
  if (request.signal.aborted) return null;
  return { failed: cells.end() };
}

async function writeHere(request: TablesRequest, cells: CellsInOrder): Promise<void> {
  const { frame, runs, signal } = request;
  const seeds = new SeedSource(frame.spec);
  const onRow = runs === null ? null : (row: TableRow) => runs.write(row);
  for (const { cell, window } of windowsOf(request)) {
    cells.add(cell, readWindow({ frame, cell, seeds }, window, onRow));
    // A moment for signals and progress.
    await setImmediate();
    if (signal.aborted) return;
  }
}

async function writeByThreads(request: TablesRequest, cells: CellsInOrder): Promise<void> {
  const { frame, runs, signal, threads } = request;
  const workerData: TextWork = { frame, format: runs?.textFormat ?? null };
  const pool = new RangePool(TEXT_WORKER, { threads, workerData });
  const finished = new AbortController();
  try {
    const plan = new WindowsPlan(request, cells);
    const stopping = once(signal, 'abort', { signal: finished.signal });
    stopping.catch(() => undefined);
    if (!signal.aborted) await Promise.race([pool.pull(plan), stopping]);
  } finally {
    finished.abort();
    await pool.close();
  }
}

function* windowsOf({ cells, journal }: TablesRequest): Generator<TextOrder, void> {
  for (const cell of cells) {
    if (cell.refusal !== null) continue;
    for (const window of journal.windows(cell.index)) yield { cell, window };
  }
}

/** The pool's numbers count windows; their lines are held until all before them are written. */
class WindowsPlan implements RangePlan<WindowText> {
  readonly #request: TablesRequest;
  readonly #sums: CellsInOrder;
  readonly #source: Generator<TextOrder, void>;
  #next: TextOrder | null;
  readonly #cells = new Map<number, SweepCell>();
  readonly #held = new Map<number, WindowText>();
  #written = 0;

  constructor(request: TablesRequest, sums: CellsInOrder) {
    this.#request = request;
    this.#sums = sums;
    this.#source = windowsOf(request);
    this.#next = this.#source.next().value ?? null;
  }

  end(): number {
    return this.#next === null ? 0 : Number.POSITIVE_INFINITY;
  }

  rangeCount(): number {
    return 1;
  }

  isStopped(): boolean {
    return this.#request.signal.aborted;
  }

  order({ from }: Range): TextOrder {
    const order = this.#next;
    if (order === null) throw new TypeError('"window" expected one more, got none');
    this.#next = this.#source.next().value ?? null;
    this.#cells.set(from, order.cell);
    return order;
  }

  accept(text: WindowText, { from }: Range): void {
    this.#held.set(from, text);
    for (let ready = this.#take(); ready !== null; ready = this.#take()) {
      this.#request.runs?.writeBytes(ready.text.bytes);
      this.#sums.add(ready.cell, ready.text.sum);
    }
  }

  #take(): { readonly cell: SweepCell; readonly text: WindowText } | null {
    const text = this.#held.get(this.#written);
    const cell = this.#cells.get(this.#written);
    if (text === undefined || cell === undefined) return null;
    this.#held.delete(this.#written);
    this.#cells.delete(this.#written);
    this.#written += 1;
    return { cell, text };
  }
}

/** Adds windows up to cells and hands every cell over once, refused ones and empty ones too. */
class CellsInOrder {
  readonly #request: TablesRequest;
  #at = 0;
  #sum = emptyCellSum();
  #rows = 0;
  #failed = 0;

  constructor(request: TablesRequest) {
    this.#request = request;
  }

  add(cell: SweepCell, sum: CellSum): void {
    while (this.#at < cell.index) this.#finish();
    mergeIntoCell(this.#sum, sum);
    this.#rows += sum.n + sum.failures;
    this.#request.onProgress(this.#rows);
  }

  /** Finishes what is left; answers how many rows failed. */
  end(): number {
    while (this.#at < this.#request.cells.length) this.#finish();
    return this.#failed;
  }

  #finish(): void {
    const { cells, frame, onCell } = this.#request;
    const cell = cells[this.#at];
    if (cell === undefined) throw new RangeError(`"cell" expected a cell, got ${this.#at}`);
    const sum = this.#sum;
    this.#at += 1;
    this.#sum = emptyCellSum();
    this.#failed += sum.failures;
    onCell({ cell, sum, row: cellRow(frame, cell, sum) });
  }
}
