/**
 * @module
 * The thread of one sweep: it plans cells, controls the threads that compute rows, keeps the journal and
 * writes the tables in each form from the same journal.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';

import { codeVersion } from '../../../src/runtime/files/code-version.ts';
import type { SweepProgress } from '../../../src/runtime/sweep/driver.ts';
import type { SweepFiles } from '../../../src/runtime/sweep/files.ts';
import { sweepFiles } from '../../../src/runtime/sweep/files.ts';
import { runSweep } from '../../../src/runtime/sweep/run.ts';
import { TABLE_FORMATS } from '../../../src/runtime/sweep/table-writers.ts';
import { answerJob, rateLimited } from '../worker-job.ts';
import type { SweepOrder, SweepOutcome } from './sweep.ts';

await answerJob<SweepOrder, SweepProgress, SweepOutcome>(async (order, { onProgress, signal }) => {
  const { request, folder, threads } = order;
  const { id, model, outline, seed, seedRule, replay } = request;
  const spec = { seed, seedRule, codeVersion: codeVersion() };
  const names = { program: 'usurp', loading: [], id, command: replay };
  const job = { ...names, model, outline, spec };
  const report = rateLimited(onProgress);
  const sweepInto = (files: SweepFiles) =>
    runSweep(job, {
      ...{ files, threads, signal, pictures: false, force: false, retryFailed: false },
      onProgress: (progress) => report(() => progress),
    });
  // The first form computes the rows; the others read them from the journal.
  const [first, ...others] = TABLE_FORMATS.map((format) =>
    sweepFiles(join(folder, `rows.${format}`), format),
  );
  if (first === undefined) throw new TypeError('"TABLE_FORMATS" expected one at least, got none');
  let { counts, isComplete } = await sweepInto(first);
  for (const files of others) {
    if (isComplete) ({ counts, isComplete } = await sweepInto(files));
  }
  const tables = isComplete ? [first, ...others].flatMap(({ runs, cells }) => [runs, cells]) : [];
  const bytes = tables.reduce((sum, path) => sum + statSync(path).size, 0);
  return { counts, isComplete, bytes };
});
