/**
 * @module
 * One thread of the writing of a sweep's table: turns windows of runs into the bytes of their lines.
 */

import { parentPort, workerData } from 'node:worker_threads';
import type { SweepCell } from '../experiment/sweep.ts';
import type { CellSum, SweepFrame } from '../experiment/sweep-cells.ts';
import { runColumns } from '../experiment/sweep-columns.ts';
import { takeRanges } from './range-pool.ts';
import type { Window } from './sweep-window.ts';
import { readWindow, SeedSource } from './sweep-window.ts';
import type { TextFormat } from './table-writers.ts';
import { textForm } from './table-writers.ts';

/** What a thread is started with. */
export interface TextWork {
  readonly frame: SweepFrame;
  readonly cells: readonly SweepCell[];
  readonly format: TextFormat;
}

export interface WindowText {
  readonly bytes: Uint8Array;
  readonly sum: CellSum;
}

if (parentPort === null) throw new TypeError('sweep-text-worker.ts runs as a worker thread only');
const port = parentPort;
// The pool is the only sender of this thread's data and messages.
const { frame, cells, format } = workerData as TextWork;
const seeds = new SeedSource(frame.spec);
const form = textForm(format, runColumns(frame.axes));

takeRanges(port, (window: Window): WindowText => {
  const cell = cells[window.cell];
  if (cell === undefined) {
    throw new RangeError(`"window.cell" expected below ${cells.length}, got ${window.cell}`);
  }
  const lines: string[] = [];
  const sum = readWindow({ frame, cell, seeds }, window, (row) => lines.push(form.line(row)));
  return { bytes: new TextEncoder().encode(lines.join('')), sum };
});
