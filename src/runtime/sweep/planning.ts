/**
 * @module
 * Plans the cells of a sweep without blocking its thread: responses that must be searched are searched on
 * the threads of the sweep, and other cells are planned in short turns.
 */

import { setImmediate } from 'node:timers/promises';
import type { Settled } from '../../experiment/response/settle.ts';
import type { OpenCell } from '../../experiment/sweep/plan.ts';
import { plannedCells, someAllowed } from '../../experiment/sweep/plan.ts';
import type { SweepCell } from '../../experiment/sweep/sweep.ts';
import type { SweepJob, ThreadedOptions } from './job.ts';
import type { SweepPlan } from './threads.ts';

const CELLS_PER_TURN = 256;

/** The cells in the order of the grid. Null if it was interrupted. */
export async function cellsOf(
  { model, outline, spec }: Pick<SweepJob, 'model' | 'outline' | 'spec'>,
  rateMeasured: number | null,
  { signal, threads, onProgress }: Pick<ThreadedOptions, 'signal' | 'threads' | 'onProgress'>,
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
  if (open.length === 0) return someAllowed(cells);
  let searched = 0;
  const plan: SweepPlan<Settled> = {
    end: () => open.length,
    order: ({ from }) => ({ type: 'settle', model: openCell(open, from).model, rateMeasured }),
    accept(found, { from }) {
      const { at, complete } = openCell(open, from);
      cells[at] = complete(found);
      searched += 1;
      report(planned - open.length + searched);
    },
  };
  await threads.pull(plan, signal);
  return searched < open.length ? null : someAllowed(cells);
}

function openCell<Cell>(open: readonly Cell[], number: number): Cell {
  const cell = open[number];
  if (cell === undefined) throw new RangeError(`"number" expected a cell, got ${number}`);
  return cell;
}
