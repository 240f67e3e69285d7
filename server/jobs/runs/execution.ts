/**
 * @module
 * Runs as jobs: what they tell while they are under way, and how they are executed by worker threads.
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

/** Progress is the number of runs finished so far. */
export type ExecuteExperiment = Execute<RunRequest, number, RunReport>;

export type RunStore = JobStore<RunRequest, number, RunReport>;

/** The store of runs over a way to execute them. */
export function runStore(execute: ExecuteExperiment, dependencies: JobDependencies): RunStore {
  const remainingMs = (
    { request, progress }: { request: RunRequest; progress: number },
    elapsedMs: number,
  ): number =>
    progress === 0 ? Number.POSITIVE_INFINITY : (elapsedMs * (request.runs - progress)) / progress;
  return new JobStore(
    {
      ...{ letter: 'r', noun: 'run', path: '/v1/runs', keptMax: RUNS_KEPT_MAX, begun: 0 },
      ...{ execute, remainingMs },
    },
    dependencies,
  );
}

/** Executes runs on so many threads. */
export function runInThreads(threads: number): ExecuteExperiment {
  return async ({ id, model, settings, runs, seed }, { onProgress, signal }) => {
    const experiment = { model, seed, runs };
    const { tally, isComplete, rateMeasured } = await runExperiment(experiment, {
      threads,
      signal,
      onProgress: ({ done }) => onProgress(done),
    });
    const done = isComplete ? runs : tally.runs;
    if (tally.runs === 0) throw new LabError('job.failed', 'cancelled before a run was finished');
    return report(model, tally, { id, seed, runs: done, settings, rateMeasured });
  };
}
