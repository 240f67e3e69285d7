/**
 * @module
 * The store of sweeps, and their execution. Each sweep has a private folder for its journal and tables,
 * which is removed when the job is forgotten.
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
/** Total size of their tables. Above it, the oldest sweep is forgotten earlier. */
export const SWEEP_BYTES_KEPT_MAX = 2 ** 30;

/** What the thread of a sweep receives. */
export interface SweepOrder {
  readonly request: SweepRequest;
  readonly folder: string;
  readonly threads: number;
}

/** What the thread of a sweep returns. */
export interface SweepOutcome {
  readonly counts: SweepCounts;
  /** Whether there are tables. */
  readonly isComplete: boolean;
  /** Size of all tables. */
  readonly bytes: number;
}

export interface SweepResult extends SweepOutcome {
  /** Contains `rows.csv`, `rows.cells.csv` and so on; null if there are no tables. */
  readonly folder: string | null;
}

/** Progress as the engine reports it; null before the first report. */
export type SweepJobProgress = SweepProgress | null;

export type ExecuteSweep = Execute<SweepRequest, SweepJobProgress, SweepResult>;

export type SweepStore = JobStore<SweepRequest, SweepJobProgress, SweepResult>;

/** The store of sweeps that are executed by this function. */
export function sweepStore(
  execute: ExecuteSweep,
  folders: SweepFolders,
  dependencies: JobDependencies,
): SweepStore {
  return new JobStore(
    {
      ...{ letter: 's', noun: 'sweep', path: '/v1/sweeps', keptMax: SWEEPS_KEPT_MAX, begun: null },
      weight: { of: ({ bytes }) => bytes, keptMax: SWEEP_BYTES_KEPT_MAX },
      execute,
      remainingMs({ progress }) {
        const secondsLeft = progress?.phase === 'computing' ? progress.secondsLeft : null;
        return 1000 * (secondsLeft ?? Number.POSITIVE_INFINITY);
      },
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

/** Executes each sweep with this number of computing threads. */
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
