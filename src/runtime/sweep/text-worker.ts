/**
 * @module
 * One thread of the writing of a sweep's tables: adds windows of runs up, and turns them into the bytes
 * of their lines where those are wanted.
 */

import { parentPort, workerData } from 'node:worker_threads';
import type { CellSum, SweepFrame, TableRow } from '../../experiment/sweep/cells.ts';
import { runColumns } from '../../experiment/sweep/columns.ts';
import type { SweepCell } from '../../experiment/sweep/sweep.ts';
import { takeRanges } from '../threads/range-pool.ts';
import type { TextFormat } from './table-writers.ts';
import { textForm } from './table-writers.ts';
import type { Window } from './window.ts';
import { readWindow, SeedSource } from './window.ts';

/** What a thread is started with. */
export interface TextWork {
  readonly frame: SweepFrame;
  /** Null where only sums are wanted. */
  readonly format: TextFormat | null;
}

/** A window with its cell: a thread that held all cells would hold too much. */
export interface TextOrder {
  readonly cell: SweepCell;
  readonly window: Window;
}

export interface WindowText {
  readonly bytes: Uint8Array;
  readonly sum: CellSum;
}

if (parentPort === null) throw new TypeError('sweep-text-worker.ts runs as a worker thread only');
const port = parentPort;
// The pool is the only sender of this thread's data and messages.
const { frame, format } = workerData as TextWork;
const seeds = new SeedSource(frame.spec);
const form = format === null ? null : textForm(format, runColumns(frame.axes));

takeRanges(port, ({ cell, window }: TextOrder): WindowText => {
  const lines: string[] = [];
  const onRow = form === null ? null : (row: TableRow) => lines.push(form.line(row));
  const sum = readWindow({ frame, cell, seeds }, window, onRow);
  return { bytes: new TextEncoder().encode(lines.join('')), sum };
});
