/**
 * @module
 * Sweeps as jobs: each has a private folder for its journal and tables, which goes when the job does.
 */

import type { SweepProgress } from '../../../src/runtime/sweep/driver.ts';
import type { SweepCounts } from '../../../src/runtime/sweep/files.ts';
import type { Execute, JobDependencies } from '../job-store.ts';
import { JobStore } from '../job-store.ts';
import { executeInWorker } from '../worker-job.ts';
import type { SweepFolders } from './folders.ts';
import type { SweepRequest } from './request.ts';

/** Sweeps that are over and kept with their tables. */
export const SWEEPS_KEPT_MAX = 10;
/** Bytes of their tables together, with which the oldest goes earlier. */
export const SWEEP_BYTES_KEPT_MAX = 2 ** 30;

/** What the thread of a sweep is given. */
export interface SweepOrder {
  readonly request: SweepRequest;
  readonly folder: string;
  readonly threads: number;
}

/** What the thread of a sweep comes to. */
export interface SweepOutcome {
  readonly counts: SweepCounts;
  /** Else there are no tables. */
  readonly isComplete: boolean;
  /** Of all tables together. */
  readonly bytes: number;
}

export interface SweepResult extends SweepOutcome {
  /** Holds `rows.csv`, `rows.cells.csv` and so on; null where there are none. */
  readonly folder: string | null;
}

/** As the engine tells it; null before there is any. */
export type SweepNews = SweepProgress | null;

export type ExecuteSweep = Execute<SweepRequest, SweepNews, SweepResult>;

export type SweepStore = JobStore<SweepRequest, SweepNews, SweepResult>;

/** The store of sweeps over a way to execute them. */
export function sweepStore(
  execute: ExecuteSweep,
  folders: SweepFolders,
  dependencies: JobDependencies,
): SweepStore {
  return new JobStore(
    {
      ...{ letter: 's', noun: 'sweep', path: '/v1/sweeps', keptMax: SWEEPS_KEPT_MAX, begun: null },
      weight: { of: ({ bytes }) => bytes, keptMax: SWEEP_BYTES_KEPT_MAX },
      ...{ execute, remainingMs: ({ progress }) => 1000 * secondsLeft(progress) },
      restoreResult: (result) => ({ ...result, folder: folders.found(result.folder) }),
      onForget: ({ id, state }) => {
        const folder = state.status === 'done' ? state.result.folder : null;
        if (folder === null) return;
        folders.remove(folder).catch((error: unknown) => dependencies.onFault({ id, error }));
      },
    },
    dependencies,
  );
}

function secondsLeft(news: SweepNews): number {
  const left = news?.phase === 'computing' ? news.secondsLeft : null;
  return left ?? Number.POSITIVE_INFINITY;
}

/** Executes sweeps with so many computing threads each. */
export function sweepInThreads(threads: number, folders: SweepFolders): ExecuteSweep {
  return async (request, execution) => {
    const folder = await folders.make();
    let isKept = false;
    try {
      const order: SweepOrder = { request, folder, threads };
      const outcome = await executeInWorker<SweepProgress, SweepOutcome>(
        SWEEP_WORKER,
        order,
        execution,
      );
      if (outcome === null) throw new DOMException('terminated', 'AbortError');
      isKept = outcome.isComplete && !execution.signal.aborted;
      return { ...outcome, folder: isKept ? folder : null };
    } finally {
      if (!isKept) await folders.remove(folder);
    }
  };
}

const SWEEP_WORKER = new URL('./worker.ts', import.meta.url);
