/**
 * @module
 * The tables of a sweep that was stopped: the rows that its journal has, in every form. They have the columns
 * of complete tables.
 */

import { cellColumns, runColumns } from '../../../src/experiment/sweep/columns.ts';
import type { SweepSpec } from '../../../src/experiment/sweep/sweep.ts';
import type { SweepCounts, SweepFiles } from '../../../src/runtime/sweep/files.ts';
import type { SweepJob } from '../../../src/runtime/sweep/job.ts';
import { frameOf } from '../../../src/runtime/sweep/job.ts';
import { SweepJournal } from '../../../src/runtime/sweep/journal.ts';
import type { TableWriter } from '../../../src/runtime/sweep/table-writers.ts';
import { openTable } from '../../../src/runtime/sweep/table-writers.ts';
import type { TablesRequest } from '../../../src/runtime/sweep/tables.ts';
import { writeTables } from '../../../src/runtime/sweep/tables.ts';
import { SweepThreads } from '../../../src/runtime/sweep/threads.ts';

/** A sweep that was stopped while or after its rows were computed. */
export interface StoppedSweep {
  readonly job: SweepJob;
  readonly spec: SweepSpec;
  /** One for each form. All have the same journal. */
  readonly files: readonly SweepFiles[];
}

/** Writes the tables. Returns the counts of their rows, and whether all rows are there. */
export async function writePartialTables({
  job,
  spec,
  files,
}: StoppedSweep): Promise<{ readonly counts: SweepCounts; readonly isComplete: boolean }> {
  const [first] = files;
  if (first === undefined) throw new TypeError('"files" expected one form at least, got none');
  const journal = SweepJournal.open(first.journal, { force: false });
  try {
    journal.load();
    const frame = frameOf(job);
    // A single thread is never started: this one writes the tables.
    const threads = new SweepThreads({ threads: 1, work: { frame } });
    for (const each of files) await writeForm({ frame, cells: spec.cells, threads, journal }, each);
    const { rows } = journal.coverage;
    const allowed = spec.cells.filter(({ refusal }) => refusal === null);
    const refused = spec.cells.length - allowed.length;
    const counts = { cells: spec.cells.length, refused, runs: spec.runs, rows };
    return {
      counts: { ...counts, failed: journal.failed },
      isComplete: rows === allowed.length * spec.runs,
    };
  } finally {
    journal.close();
  }
}

async function writeForm(
  rows: Pick<TablesRequest, 'frame' | 'cells' | 'threads' | 'journal'>,
  { runs: path, cells: cellsPath, format }: SweepFiles,
): Promise<void> {
  const { axes } = rows.frame;
  const tables: TableWriter[] = [];
  try {
    const runs = openTable(path, format, runColumns(axes));
    tables.push(runs);
    const cells = openTable(cellsPath, format, cellColumns(axes));
    tables.push(cells);
    await writeTables({
      ...{ ...rows, runs },
      // Nothing stops it a second time.
      signal: new AbortController().signal,
      onCell: ({ results }) => {
        for (const { row } of results) cells.write(row);
      },
      onProgress: () => undefined,
    });
    for (const table of tables) table.finish();
    for (const table of tables) table.publish();
  } finally {
    for (const table of tables) table.discard();
  }
}
