/**
 * @module
 * The measuring of this machine as a job, so that it is not measured while others mine: asked for by
 * whoever wants it first, executed once, kept for the life of the process.
 */

import type { Calibration, CalibrationOptions } from '../../../src/runtime/threads/calibration.ts';
import { SERVER_ITSELF } from '../job-queue.ts';
import type { Execute, JobDependencies } from '../job-store.ts';
import { JobStore } from '../job-store.ts';
import { executeInWorker } from '../worker-job.ts';

/** What is measured now, and how many measurements were begun. */
export interface CalibrationNews {
  readonly now: string;
  readonly begun: number;
}

export type ExecuteCalibration = Execute<null, CalibrationNews, Calibration>;

/** What the thread of a calibration is given. */
export type CalibrationOrder = Pick<CalibrationOptions, 'threads'>;

/** About so many, of 0.6 s and what it takes to start threads. */
const MEASUREMENTS = 15;
const MEASUREMENT_MS = 1000;

/** The calibration of this process. */
export class CalibrationCache {
  readonly #store: JobStore<null, CalibrationNews, Calibration>;
  #job: string | null = null;

  constructor(execute: ExecuteCalibration, dependencies: JobDependencies) {
    const remainingMs = (job: { progress: CalibrationNews }, elapsedMs: number) => {
      const { begun } = job.progress;
      const eachMs = begun < 2 ? MEASUREMENT_MS : elapsedMs / (begun - 1);
      return Math.max(0, MEASUREMENTS - begun + 1) * eachMs;
    };
    this.#store = new JobStore(
      {
        ...{
          letter: 'c',
          noun: 'calibration',
          path: '/v1/calibration',
          keptMax: 1,
          begun: WAITING,
        },
        ...{ execute, remainingMs },
      },
      dependencies,
    );
  }

  /**
   * The calibration, or what is measured now; begins to measure where nobody has. Throws OverloadError
   * where the queue is full, and once the LabError of a measurement that failed.
   */
  read(): { readonly calibration: Calibration } | { readonly measuring: string } {
    this.#job ??= this.#store.submit(null, SERVER_ITSELF).id;
    const { state, progress } = this.#store.get(this.#job);
    switch (state.status) {
      case 'queued':
      case 'running':
      case 'cancelling':
        return { measuring: progress.now };
      case 'done':
        return { calibration: state.result };
      case 'cancelled':
        return { measuring: 'nothing, the server is closing' };
      case 'failed':
      case 'interrupted':
        this.#job = null;
        throw state.error;
      default:
        return state satisfies never;
    }
  }
}

const WAITING: CalibrationNews = { now: 'nothing, other jobs go before', begun: 0 };

/** Measures with so many threads. */
export function calibrateInThreads(threads: number): ExecuteCalibration {
  return async (_request, execution) => {
    const order: CalibrationOrder = { threads };
    const result = await executeInWorker<CalibrationNews, Calibration>(
      CALIBRATION_WORKER,
      order,
      execution,
    );
    if (result === null) throw new DOMException('terminated', 'AbortError');
    return result;
  };
}

const CALIBRATION_WORKER = new URL('./worker.ts', import.meta.url);
