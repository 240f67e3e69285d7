/**
 * @module
 * The store of runs, and their execution by worker threads.
 */

import { LabError } from '../../../src/errors.ts';
import type { RunReport } from '../../../src/experiment/verdict/report.ts';
import { report } from '../../../src/experiment/verdict/report.ts';
import { runExperiment } from '../../../src/runtime/threads/experiment-pool.ts';
import type { Execute, JobDependencies } from '../job-store.ts';
import { JobStore } from '../job-store.ts';
import type { RunRequest } from './request.ts';

/** Runs that are over and kept. */
export const RUNS_KEPT_MAX = 200;

/** Progress is the number of finished runs. */
export type ExecuteExperiment = Execute<RunRequest, number, RunReport>;

export type RunStore = JobStore<RunRequest, number, RunReport>;

/** The store of runs that are executed by this function. */
export function runStore(execute: ExecuteExperiment, dependencies: JobDependencies): RunStore {
  return new JobStore(
    {
      ...{ letter: 'r', noun: 'run', path: '/v1/runs', keptMax: RUNS_KEPT_MAX, begun: 0, execute },
      remainingMs({ request, progress }, elapsedMs) {
        if (progress === 0) return Number.POSITIVE_INFINITY;
        return (elapsedMs * (request.runs - progress)) / progress;
      },
    },
    dependencies,
  );
}

/** Executes runs on this number of threads. */
export function runInThreads(threads: number): ExecuteExperiment {
  return async ({ id, model, settings, runs, seed }, { onProgress, signal }) => {
    const experiment = { model, seed, runs };
    const { tally, isComplete, rateMeasured } = await runExperiment(experiment, {
      ...{ threads, signal },
      onProgress: ({ done }) => onProgress(done),
    });
    const done = isComplete ? runs : tally.runs;
    if (tally.runs === 0) throw new LabError('job.failed', 'cancelled before a run was finished');
    return report(model, tally, { id, seed, runs: done, settings, rateMeasured });
  };
}
