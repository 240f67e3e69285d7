/**
 * @module
 * This folder runs work that takes longer than a request: one queue for all of it, and a store for each
 * kind of job. The functions that execute a job are arguments: worker threads in the product, staged
 * functions in tests.
 */

import { SERVER } from '../request/principal.ts';
import type { ExecuteCalibration } from './calibration/execution.ts';
import { CalibrationCache, calibrateInThreads } from './calibration/execution.ts';
import type { ExecuteForgery, ForgeryStore } from './forgeries/execution.ts';
import { forgeInThreads, forgeryStore } from './forgeries/execution.ts';
import { EPHEMERAL_JOBS } from './job-log.ts';
import type { JobQueueOptions } from './job-queue.ts';
import { JobQueue } from './job-queue.ts';
import type { JobCount } from './job-state.ts';
import type { JobDependencies } from './job-store.ts';
import type { ExecuteExperiment, RunStore } from './runs/execution.ts';
import { runInThreads, runStore } from './runs/execution.ts';
import type { ExecuteSweep, SweepStore } from './sweeps/execution.ts';
import { sweepInThreads, sweepStore } from './sweeps/execution.ts';
import type { SweepFolders } from './sweeps/folders.ts';

/** How each kind of job is executed. */
export interface Executions {
  readonly run: ExecuteExperiment;
  readonly forgery: ExecuteForgery;
  readonly sweep: ExecuteSweep;
  readonly calibration: ExecuteCalibration;
}

export interface Jobs {
  readonly queue: JobQueue;
  readonly runs: RunStore;
  readonly forgeries: ForgeryStore;
  readonly sweeps: SweepStore;
  readonly calibration: CalibrationCache;
  counts(): readonly JobCount[];
  /** Restores the stored jobs, and removes the files of killed servers. */
  restore(): Promise<void>;
  /** Refuses new jobs, interrupts the others, and removes files that no server could find again. */
  close(): Promise<void>;
}

/** Executions on this number of threads each; `folders` keep the tables of sweeps. */
export function executeInThreads(threads: number, folders: SweepFolders): Executions {
  return {
    run: runInThreads(threads),
    forgery: forgeInThreads(threads),
    sweep: sweepInThreads(threads, folders),
    calibration: calibrateInThreads(threads),
  };
}

/** Creates the queue and the stores. The caller must close them. */
export function createJobs(
  queueOptions: JobQueueOptions,
  dependencies: Omit<JobDependencies, 'queue'> & {
    readonly executions: Executions;
    readonly folders: SweepFolders;
  },
): Jobs {
  const { executions, folders, logOf = () => EPHEMERAL_JOBS, ...others } = dependencies;
  const queue = new JobQueue(queueOptions);
  const shared = { ...others, queue, logOf };
  const runs = runStore(executions.run, shared);
  const forgeries = forgeryStore(executions.forgery, shared);
  const sweeps = sweepStore(executions.sweep, folders, shared);
  const stores = { run: runs, forgery: forgeries, sweep: sweeps };
  return {
    ...{ queue, runs, forgeries, sweeps },
    // It is not stored, because another process may have other cores.
    calibration: new CalibrationCache(executions.calibration, { queue, ...others }),
    counts: () =>
      Object.entries(stores).flatMap(([kind, store]) =>
        Object.entries(store.counts()).map(([state, count]) => ({ kind, state, count })),
      ),
    restore: async () => {
      for (const store of Object.values(stores)) store.restore();
      await folders.restore(sweeps.list(SERVER).flatMap(({ state }) => state.result?.folder ?? []));
    },
    close: async () => {
      for (const store of Object.values(stores)) store.closing();
      await queue.close();
      await folders.close();
    },
  };
}
