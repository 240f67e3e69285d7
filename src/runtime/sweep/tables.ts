/**
 * @module
 * Writes the tables of a journal. Rows are in the order of cell and repetition. Memory holds one window
 * at a time. The threads of the sweep make the lines of long tables.
 */

import { setImmediate } from 'node:timers/promises';
import type { ProtocolGroup } from '../../experiment/runs/protocol-groups.ts';
import type { SweepFrame } from '../../experiment/sweep/cells.ts';
import { cellRows } from '../../experiment/sweep/cells.ts';
import type { TableRow } from '../../experiment/sweep/columns.ts';
import type { RowBlock } from '../../experiment/sweep/rows.ts';
import type { CellSum } from '../../experiment/sweep/sums.ts';
import { emptySums, groupsOfCell, mergeIntoSums } from '../../experiment/sweep/sums.ts';
import type { SweepCell } from '../../experiment/sweep/sweep.ts';
import { textHasher } from '../threads/kernels.ts';
import { ReportsInOrder } from '../threads/range-pool.ts';
import type { SweepJournal } from './journal.ts';
import type { TableWriter } from './table-writers.ts';
import type { SweepPlan, SweepThreads } from './threads.ts';
import { readWindow, WINDOW_ROWS } from './window.ts';
import type { WindowOrder, WindowText } from './worker.ts';

/** A cell and its results, one for each group of protocols. */
export interface FinishedCell {
  readonly cell: SweepCell;
  readonly results: readonly CellResult[];
}

export interface CellResult {
  /** Empty without elections, and if the cell is refused. */
  readonly protocols: ProtocolGroup;
  readonly sum: CellSum;
  readonly row: TableRow;
}

export interface TablesRequest {
  readonly frame: SweepFrame;
  readonly cells: readonly SweepCell[];
  readonly journal: SweepJournal;
  /** Null if rows of runs are not needed. */
  readonly runs: TableWriter | null;
  readonly threads: SweepThreads;
  /** Number of rows from which on threads are used. */
  readonly threadedRowsMin?: number | undefined;
  readonly onCell: (finished: FinishedCell) => void;
  readonly onProgress: (rows: number) => void;
  readonly signal: AbortSignal;
}

/** Below this number threads save less than it takes to order the work. */
const THREADED_ROWS_MIN = 4 * WINDOW_ROWS;

/** Writes all rows. Returns the number of failed ones, or null if it was interrupted. */
export async function writeTables(request: TablesRequest): Promise<{ failed: number } | null> {
  const { journal, runs, threads, threadedRowsMin = THREADED_ROWS_MIN } = request;
  const cells = new CellsInOrder(request);
  const canBeSplit = runs === null || runs.textFormat !== null;
  const isThreaded = threads.count > 1 && journal.coverage.rows >= threadedRowsMin;
  if (canBeSplit && isThreaded) await threads.pull(windowsPlan(request, cells), request.signal);
  else await writeHere(request, cells);
  if (request.signal.aborted) return null;
  return { failed: cells.end() };
}

async function writeHere(request: TablesRequest, cells: CellsInOrder): Promise<void> {
  const { frame, runs, signal } = request;
  const texts = textHasher();
  const onBlocks = runs === null ? null : (blocks: readonly RowBlock[]) => runs.writeBlocks(blocks);
  for (const { cell, window } of windowsOf(request)) {
    cells.add(cell, readWindow({ frame, cell, texts }, window, onBlocks));
    // Lets signals and progress be handled.
    await setImmediate();
    if (signal.aborted) return;
  }
}

function* windowsOf({
  cells,
  journal,
}: TablesRequest): Generator<Pick<WindowOrder, 'cell' | 'window'>, void> {
  for (const cell of cells) {
    if (cell.refusal !== null) continue;
    for (const window of journal.windows(cell.index)) yield { cell, window };
  }
}

/** The numbers of the pool count windows. Lines are written when all lines before them are. */
function windowsPlan(request: TablesRequest, sums: CellsInOrder): SweepPlan<WindowText> {
  const format = request.runs?.textFormat ?? null;
  const windows = windowsOf(request);
  let next = windows.next().value ?? null;
  const cells = new Map<number, SweepCell>();
  const texts = new ReportsInOrder<WindowText & { readonly cell: SweepCell }>();
  return {
    end: () => (next === null ? 0 : Number.POSITIVE_INFINITY),
    isStopped: () => request.signal.aborted,
    order({ from }): WindowOrder {
      if (next === null) throw new TypeError('"window" expected one more, got none');
      const order = { type: 'window', format, ...next } as const;
      next = windows.next().value ?? null;
      cells.set(from, order.cell);
      return order;
    },
    accept(text, range) {
      const cell = cells.get(range.from);
      if (cell === undefined) throw new RangeError(`"window" expected one that is out`);
      cells.delete(range.from);
      for (const { bytes, sums: added, cell: written } of texts.take({ ...text, cell }, range)) {
        request.runs?.writeBytes(bytes);
        sums.add(written, added);
      }
    },
  };
}

/** Sums windows to cells. Reports every cell once, also refused and empty cells. */
class CellsInOrder {
  readonly #request: TablesRequest;
  #at = 0;
  /** Null before the first window of a cell. */
  #sums: readonly CellSum[] | null = null;
  #rows = 0;
  #failed = 0;

  constructor(request: TablesRequest) {
    this.#request = request;
  }

  add(cell: SweepCell, sums: readonly CellSum[]): void {
    while (this.#at < cell.index) this.#finish();
    this.#sums ??= emptySums(cell);
    mergeIntoSums(this.#sums, sums);
    const [first] = sums;
    this.#rows += first === undefined ? 0 : first.n + first.failures;
    this.#request.onProgress(this.#rows);
  }

  /** Finishes the remaining cells. Returns the number of failed rows. */
  end(): number {
    while (this.#at < this.#request.cells.length) this.#finish();
    return this.#failed;
  }

  #finish(): void {
    const { cells, frame, onCell } = this.#request;
    const cell = cells[this.#at];
    if (cell === undefined) throw new RangeError(`"cell" expected a cell, got ${this.#at}`);
    const sums = this.#sums ?? emptySums(cell);
    this.#at += 1;
    this.#sums = null;
    this.#failed += sums[0]?.failures ?? 0;
    const groups = groupsOfCell(cell);
    const rows = cellRows(frame, cell, sums);
    const results = rows.flatMap((row, group): CellResult[] => {
      const sum = sums[group];
      return sum === undefined ? [] : [{ protocols: groups[group] ?? [], sum, row }];
    });
    onCell({ cell, results });
  }
}
