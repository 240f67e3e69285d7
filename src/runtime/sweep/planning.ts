/**
 * @module
 * Plans the cells of a sweep without blocking its thread: responses that must be searched are searched on
 * threads of their own, and other cells are planned in short turns.
 */

import { setImmediate } from 'node:timers/promises';
import type { OpenCell } from '../../experiment/sweep/plan.ts';
import { plannedCells, someAllowed } from '../../experiment/sweep/plan.ts';
import type { SweepCell } from '../../experiment/sweep/sweep.ts';
import { settleInThreads } from '../threads/settling.ts';
import type { SweepJob, SweepOptions } from './job.ts';

const CELLS_PER_TURN = 256;

/** The cells in the order of the grid. Null if it was interrupted. */
export async function cellsOf(
  { model, outline, spec }: Pick<SweepJob, 'model' | 'outline' | 'spec'>,
  rateMeasured: number | null,
  { signal, threads, onProgress }: Pick<SweepOptions, 'signal' | 'threads' | 'onProgress'>,
): Promise<readonly SweepCell[] | null> {
  const cells: SweepCell[] = [];
  const open: (OpenCell & { readonly at: number })[] = [];
  let planned = 0;
  const report = (done: number) =>
    onProgress?.({ phase: 'planning', cells: done, cellsTotal: outline.cells });
  for (const next of plannedCells(model, outline, { seed: spec.seed, rateMeasured })) {
    if (next.open === null) cells[planned] = next.cell;
    else open.push({ ...next.open, at: planned });
    planned += 1;
    if (planned % CELLS_PER_TURN !== 0) continue;
    report(planned - open.length);
    await setImmediate();
    if (signal.aborted) return null;
  }
  let searched = 0;
  await settleInThreads(
    open.map((each) => each.model),
    {
      ...{ threads, rateMeasured, signal },
      onSettled(number, found) {
        const cell = open[number];
        if (cell === undefined) throw new RangeError(`"number" expected a cell, got ${number}`);
        cells[cell.at] = cell.complete(found);
        searched += 1;
        report(planned - open.length + searched);
      },
    },
  );
  return searched < open.length ? null : someAllowed(cells);
}
