/**
 * @module
 * The thread of one sweep: it plans cells, controls the threads that compute rows, keeps the journal and
 * writes the tables in each form from the same journal. If it is cancelled, the tables have the rows that
 * were computed.
 */

import { join } from 'node:path';

import { sweepIdentity } from '../../../src/experiment/sweep/plan.ts';
import type { SweepSpec } from '../../../src/experiment/sweep/sweep.ts';
import { codeVersion } from '../../../src/runtime/files/code-version.ts';
import type { SweepProgress } from '../../../src/runtime/sweep/driver.ts';
import type { SweepFiles } from '../../../src/runtime/sweep/files.ts';
import { sweepFiles, TABLE_FORMATS } from '../../../src/runtime/sweep/files.ts';
import { runSweep } from '../../../src/runtime/sweep/run.ts';
import { answerJob, rateLimited } from '../worker-job.ts';
import { writePartialTables } from './partial-tables.ts';
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
      ...{ files, threads, signal, pictures: false, force: false, retryFailed: false },
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
