/**
 * @module
 * This folder runs work that takes longer than a request: one queue for all of it, and a store for each
 * kind of job. The functions that execute a job are arguments: worker threads in the product, staged
 * functions in tests.
 */

import { SERVER } from '../request/principal.ts';
import { jobsOfKind } from './all-jobs.ts';
import type { Execute, JobHooks } from './job-kind.ts';
import type { JobQueueOptions } from './job-queue.ts';
import { JobQueue } from './job-queue.ts';
import type { JobDependencies } from './job-store.ts';
import { JobStore } from './job-store.ts';
import type { OperationJob } from './operations/operation-job.ts';
import {
  isMetered,
  OPERATION_KINDS,
  OPERATION_RESULTS,
  operationInThreads,
} from './operations/operation-job.ts';
import type { SweepFolders } from './sweeps/folders.ts';
import type { SweepJob } from './sweeps/sweep.ts';
import { SWEEP, sweepHooks, sweepInThreads } from './sweeps/sweep.ts';
import { tableAnswer } from './sweeps/tables.ts';

/** How each kind of job is executed. */
export interface Executions {
  readonly sweep: Execute<SweepJob>;
  readonly operation: Execute<OperationJob>;
}

export type Jobs = ReturnType<typeof createJobs>;

/** Executions on this number of threads each; `folders` keep the tables of sweeps. */
export function executeInThreads(threads: number, folders: SweepFolders): Executions {
  return {
    sweep: sweepInThreads(threads, folders),
    operation: operationInThreads(threads),
  };
}

/** What the stores of all kinds need. */
interface StoreDependencies extends JobDependencies {
  readonly folders: SweepFolders;
  readonly forgeryHooks?: JobHooks<OperationJob>;
}

/** Creates the queue and the stores. The caller must close them. */
export function createJobs(
  queueOptions: JobQueueOptions,
  dependencies: Omit<StoreDependencies, 'queue'> & { readonly executions: Executions },
) {
  const { executions, folders } = dependencies;
  const queue = new JobQueue(queueOptions);
  const shared = { ...dependencies, queue };
  const sweeps = new JobStore(SWEEP, executions.sweep, shared, sweepHooks(folders));
  const operations = OPERATION_KINDS.map((kind) => {
    const hooks = isMetered(kind.name) ? dependencies.forgeryHooks : undefined;
    return { kind, store: new JobStore(kind, executions.operation, shared, hooks) };
  });
  const kinds = [
    jobsOfKind(SWEEP.viewOf, sweeps, {
      rows: (c, job) => tableAnswer(c, job, 'rows'),
      cells: (c, job) => tableAnswer(c, job, 'cells'),
    }),
    ...operations.map(({ kind, store }) => jobsOfKind(kind.viewOf, store, OPERATION_RESULTS)),
  ];
  const all = [sweeps, ...operations.map(({ store }) => store)];
  return {
    queue,
    kinds,
    operations,
    sweeps,
    /** Number of jobs of each kind in each state. */
    counts: () =>
      kinds.flatMap(({ name, counts }) =>
        Object.entries(counts()).map(([state, count]) => ({ kind: name, state, count })),
      ),
    /**
     * Restores the stored jobs, and removes the files of killed servers. Returns what the operator should know
     * about other files.
     */
    async restore(): Promise<string[]> {
      for (const store of all) store.restore();
      return folders.restore(
        sweeps.list(SERVER).flatMap(({ state }) => state.result?.folder ?? []),
      );
    },
    /** Refuses new jobs, interrupts the others, and removes files that no server could find again. */
    async close(): Promise<void> {
      for (const store of all) store.closing();
      await queue.close();
      await folders.close();
    },
  };
}
