/**
 * @module
 * The thread of one sweep: it plans cells, controls the threads that compute rows, keeps the journal and
 * writes the tables in each form from the same journal. If it is cancelled, the tables have the rows that
 * were computed.
 */

import { join } from 'node:path';
import { cellColumns, runColumns } from '../../../src/experiment/sweep/columns.ts';
import { sweepIdentity } from '../../../src/experiment/sweep/plan.ts';
import type { SweepSpec } from '../../../src/experiment/sweep/sweep.ts';
import { codeVersion } from '../../../src/runtime/files/code-version.ts';
import type { SweepProgress } from '../../../src/runtime/sweep/driver.ts';
import type { SweepCounts, SweepFiles } from '../../../src/runtime/sweep/files.ts';
import { sweepFiles, TABLE_FORMATS } from '../../../src/runtime/sweep/files.ts';
import type { SweepJob } from '../../../src/runtime/sweep/job.ts';
import { frameOf } from '../../../src/runtime/sweep/job.ts';
import { SweepJournal } from '../../../src/runtime/sweep/journal.ts';
import { runSweep } from '../../../src/runtime/sweep/run.ts';
import type { TableWriter } from '../../../src/runtime/sweep/table-writers.ts';
import { openTable } from '../../../src/runtime/sweep/table-writers.ts';
import type { TablesRequest } from '../../../src/runtime/sweep/tables.ts';
import { writeTables } from '../../../src/runtime/sweep/tables.ts';
import { SweepThreads } from '../../../src/runtime/sweep/threads.ts';
import { answerJob, rateLimited } from '../worker-job.ts';
import { copyJournal } from './resumption.ts';
import type { SweepOrder, SweepOutcome } from './sweep.ts';
import { tableFileAt } from './table-files.ts';

await answerJob<SweepOrder, SweepProgress, SweepOutcome>(async (order, { onProgress, signal }) => {
  const { request, folder, threads } = order;
  const { file: id, model, outline, seed, seedRule, replay } = request;
  const spec = { seed, seedRule, codeVersion: codeVersion() };
  const names = { program: 'usurp', loading: [], id, command: replay };
  const job = { ...names, model, outline, spec };
  const report = rateLimited(onProgress);
  /** With the planned cells; null before they are planned. */
  let planned: SweepSpec | null = null;
  const sweepInto = (files: SweepFiles) =>
    runSweep(job, {
      files,
      threads,
      signal,
      pictures: false,
      force: false,
      retryFailed: false,
      onPlanned: (whole) => {
        planned = whole;
      },
      onProgress: (progress) => report(() => progress),
    });
  const files = TABLE_FORMATS.map((format) => sweepFiles(join(folder, `rows.${format}`), format));
  // The first form computes the rows; the others read them from the journal.
  const { resumption } = request;
  if (resumption !== undefined) {
    copyJournal(resumption, folder, sweepIdentity(model, outline, spec));
  }
  const [first, ...others] = files;
  if (first === undefined) throw new TypeError('"TABLE_FORMATS" expected one at least, got none');
  const begun = await sweepInto(first);
  const { reused } = begun;
  let { counts, isComplete } = begun;
  for (const each of others) {
    if (isComplete) ({ counts, isComplete } = await sweepInto(each));
  }
  if (!isComplete && planned !== null && counts.rows > 0) {
    ({ counts, isComplete } = await writePartialTables({ job, spec: planned, files }));
    return { counts, isComplete, reused, ...tablesIn(files) };
  }
  return { counts, isComplete, reused, ...tablesIn(isComplete ? files : []) };
});

/** The tables of all forms. */
function tablesIn(files: readonly SweepFiles[]): Pick<SweepOutcome, 'bytes' | 'tables'> {
  const tables = files.flatMap(({ runs, cells }) => [tableFileAt(runs), tableFileAt(cells)]);
  return { bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0), tables };
}

/** A sweep that was stopped while or after its rows were computed. */
interface StoppedSweep {
  readonly job: SweepJob;
  readonly spec: SweepSpec;
  /** One for each form. All have the same journal. */
  readonly files: readonly SweepFiles[];
}

/** Writes the tables. Returns the counts of their rows, and whether all rows are there. */
async function writePartialTables({
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
      ...rows,
      runs,
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
