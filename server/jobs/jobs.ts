/**
 * @module
 * This folder runs work that takes longer than a request: one queue for all of it, and a store for each
 * kind of job. The functions that execute a job are arguments: worker threads in the product, staged
 * functions in tests.
 */

import type { ExecuteCalibration } from './calibration/execution.ts';
import { CalibrationCache, calibrateInThreads } from './calibration/execution.ts';
import type { ExecuteForgery, ForgeryStore } from './forgeries/execution.ts';
import { forgeInThreads, forgeryStore } from './forgeries/execution.ts';
import { EPHEMERAL_JOBS } from './job-log.ts';
import type { JobQueueOptions } from './job-queue.ts';
import { JobQueue } from './job-queue.ts';
import { resultOf } from './job-schema.ts';
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
  /** Brings back what was kept, and removes what a server that was killed left. */
  restore(): Promise<void>;
  /** Takes no more, interrupts everything, removes files that nobody could find again. */
  close(): Promise<void>;
}

/** What executes on so many threads each; `folders` keep the tables of sweeps. */
export function executeInThreads(threads: number, folders: SweepFolders): Executions {
  return {
    run: runInThreads(threads),
    forgery: forgeInThreads(threads),
    sweep: sweepInThreads(threads, folders),
    calibration: calibrateInThreads(threads),
  };
}

/** Owns its queue; whoever makes it closes it. */
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
  const kinds = [
    ['run', runs],
    ['forgery', forgeries],
    ['sweep', sweeps],
  ] as const;
  return {
    ...{ queue, runs, forgeries, sweeps },
    // Of one process: another may have other cores.
    calibration: new CalibrationCache(executions.calibration, { queue, ...others }),
    counts: () =>
      kinds.flatMap(([kind, store]) =>
        Object.entries(store.counts()).map(([state, count]) => ({ kind, state, count })),
      ),
    restore: async () => {
      for (const [, store] of kinds) store.restore();
      await folders.restore(sweeps.all().flatMap(({ state }) => resultOf(state)?.folder ?? []));
    },
    close: async () => {
      for (const [, store] of kinds) store.closing();
      await queue.close();
      await folders.close();
    },
  };
}
