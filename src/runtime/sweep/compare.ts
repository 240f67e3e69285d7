/**
 * @module
 * Compares defences: it measures what they cost honest nodes, and runs the sweep that has the cells of the rows.
 */

import { setImmediate } from 'node:timers/promises';
import { pictureCell } from '../../experiment/charts/cells.ts';
import type { PictureCell } from '../../experiment/charts/data.ts';
import type { ComparedRow, RowCost } from '../../experiment/compare/comparison.ts';
import { rowCosts } from '../../experiment/compare/comparison.ts';
import type { ComparisonPlan } from '../../experiment/compare/outline.ts';
import { comparisonExtras } from '../../experiment/compare/page-tables.ts';
import { finishedRows } from '../../experiment/compare/report.ts';
import { cellColumns } from '../../experiment/sweep/columns.ts';
import type { SweepJob, SweepOptions, SweepResult } from './job.ts';
import { runSweep } from './run.ts';

export interface ComparisonOptions extends Omit<SweepOptions, 'onCell'> {
  /** Receives the number of rows whose costs are measured. */
  readonly onCosts?: ((rows: number) => void) | undefined;
}

export interface DefenceComparison {
  /** Rows whose costs were measured: all, unless it was interrupted then. */
  readonly costs: number;
  /** The rows that are finished. */
  readonly rows: readonly ComparedRow[];
  /** Null if no cell has runs, or if the sweep did not begin. */
  readonly result: SweepResult | null;
}

/** Resolves to the rows that are finished when the signal aborts. */
export async function compareDefences(
  plan: ComparisonPlan,
  job: SweepJob,
  { onCosts, ...options }: ComparisonOptions,
): Promise<DefenceComparison> {
  const costs: RowCost[] = [];
  for (const cost of rowCosts(plan)) {
    costs.push(cost);
    onCosts?.(costs.length);
    await setImmediate();
    if (options.signal.aborted) break;
  }
  const cells: PictureCell[] = [];
  const isMeasured = costs.length === plan.rows.length;
  const { axes, runs } = plan.outline;
  const columns = cellColumns(axes);
  const compared = { ...job, comparison: comparisonExtras(plan, costs) };
  const result =
    isMeasured && plan.outline.cells > 0
      ? await runSweep(compared, {
          ...options,
          onCell: ({ cell, results }) => {
            // An interrupted sweep also reports cells that lack some of their runs.
            const isWhole = results.every(({ sum: { n, failures } }) => n + failures === runs);
            if (cell.refusal === null && !isWhole) return;
            for (const { row } of results) cells.push(pictureCell(cell, { columns, row }));
          },
        })
      : null;
  return { costs: costs.length, rows: finishedRows(plan, costs, cells), result };
}
