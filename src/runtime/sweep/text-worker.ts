/**
 * @module
 * One thread that writes the tables of a sweep: sums windows of runs, and makes the bytes of their lines
 * if the table is text.
 */

import type { CellSum, SweepFrame, TableRow } from '../../experiment/sweep/cells.ts';
import { runColumns } from '../../experiment/sweep/columns.ts';
import type { SweepCell } from '../../experiment/sweep/sweep.ts';
import { serveRanges } from '../threads/range-pool.ts';
import type { TextFormat } from './table-writers.ts';
import { textForm } from './table-writers.ts';
import type { Window } from './window.ts';
import { readWindow, SeedSource } from './window.ts';

export interface TextWork {
  readonly frame: SweepFrame;
  /** Null if only sums are needed. */
  readonly format: TextFormat | null;
}

/** A window with its cell. A thread does not keep all cells, which would take too much memory. */
export interface TextOrder {
  readonly cell: SweepCell;
  readonly window: Window;
}

export interface WindowText {
  readonly bytes: Uint8Array;
  readonly sums: readonly CellSum[];
}

serveRanges(({ frame, format }: TextWork) => {
  const seeds = new SeedSource(frame.spec);
  const form = format === null ? null : textForm(format, runColumns(frame.axes));
  return ({ cell, window }: TextOrder): WindowText => {
    const lines: string[] = [];
    const onRow = form === null ? null : (row: TableRow) => lines.push(form.line(row));
    const sums = readWindow({ frame, cell, seeds }, window, onRow);
    return { bytes: new TextEncoder().encode(lines.join('')), sums };
  };
});
