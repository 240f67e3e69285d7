/**
 * @module
 * The thread of one job of runs. It controls the threads that compute runs, and writes the report.
 */

import { LabError } from '../../src/errors.ts';
import type { Tally } from '../../src/experiment/runs/tally.ts';
import type { GroupResult, RunReport } from '../../src/experiment/verdict/report.ts';
import { report } from '../../src/experiment/verdict/report.ts';
import { runExperiment } from '../../src/runtime/threads/experiment-pool.ts';
import type { RunOrder } from './run.ts';
import { answerJob, rateLimited } from './worker-job.ts';

await answerJob<RunOrder, number, RunReport>(
  async ({ request, threads }, { onProgress, signal }) => {
    const { file, model, settings, runs, untilDecided, seed } = request;
    const post = rateLimited(onProgress);
    const { tally, looks, rateMeasured } = await runExperiment(
      { model, seed, runs, untilDecided },
      { threads, signal, onProgress: ({ done }) => post(() => done) },
    );
    if (tally.runs === 0) throw new LabError('job.failed', 'cancelled before a run was finished');
    const { results, ...rest } = report(model, tally, {
      ...{ id: file, seed },
      runs: looks > 1 ? runs : tally.runs,
      settings,
      rateMeasured,
      looks,
    });
    return { ...rest, results: results.map((each, group) => withElections(each, tally, group)) };
  },
);

/** A result with the elections of a single run, so that they can be held again. */
function withElections(result: GroupResult, { saved }: Tally, group: number): GroupResult {
  const elections = saved?.[group];
  return elections === undefined ? result : { ...result, elections };
}
