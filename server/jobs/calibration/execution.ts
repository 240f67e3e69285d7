/**
 * @module
 * The calibration as a job, so that the machine is not measured while other jobs use it. The first request
 * starts it; it is executed once and kept as long as the process runs.
 */

import type { Calibration, CalibrationOptions } from '../../../src/runtime/threads/calibration.ts';
import { SERVER } from '../../request/principal.ts';
import type { Execute, JobDependencies } from '../job-store.ts';
import { JobStore } from '../job-store.ts';
import { executeInWorker } from '../worker-job.ts';

export interface CalibrationProgress {
  /** What is measured now. */
  readonly now: string;
  /** Number of measurements that were begun. */
  readonly begun: number;
}

export type ExecuteCalibration = Execute<null, CalibrationProgress, Calibration>;

/** What the thread of a calibration receives. */
export type CalibrationOrder = Pick<CalibrationOptions, 'threads'>;

/** Approximate number of measurements, and time of each: 0.6 s and the start of its threads. */
const MEASUREMENTS = 15;
const MEASUREMENT_MS = 1000;

/** The calibration of this process. */
export class CalibrationCache {
  readonly #store: JobStore<null, CalibrationProgress, Calibration>;
  #job: string | null = null;

  constructor(execute: ExecuteCalibration, dependencies: JobDependencies) {
    this.#store = new JobStore(
      {
        ...{ letter: 'c', noun: 'calibration', path: '/v1/calibration', keptMax: 1 },
        ...{ begun: { now: 'nothing, other jobs go before', begun: 0 }, execute },
        remainingMs({ progress: { begun } }, elapsedMs) {
          const eachMs = begun < 2 ? MEASUREMENT_MS : elapsedMs / (begun - 1);
          return Math.max(0, MEASUREMENTS - begun + 1) * eachMs;
        },
      },
      dependencies,
    );
  }

  /**
   * The calibration, or what is being measured. Starts to measure if necessary. Throws OverloadError if
   * the queue is full, and once the LabError of a measurement that failed.
   */
  read(): { readonly calibration: Calibration } | { readonly measuring: string } {
    this.#job ??= this.#store.submit(null, SERVER).id;
    const { state, progress } = this.#store.get(this.#job, SERVER);
    if (state.status === 'done') return { calibration: state.result };
    if (state.status === 'cancelled') return { measuring: 'nothing, the server is closing' };
    if (state.error === undefined) return { measuring: progress.now };
    this.#job = null;
    throw state.error;
  }
}

/** Measures with this number of threads. */
export function calibrateInThreads(threads: number): ExecuteCalibration {
  return async (_request, execution) => {
    const order: CalibrationOrder = { threads };
    const result = await executeInWorker<CalibrationProgress, Calibration>(
      CALIBRATION_WORKER,
      order,
      execution,
    );
    if (result === null) throw new DOMException('terminated', 'AbortError');
    return result;
  };
}

const CALIBRATION_WORKER = new URL('./worker.ts', import.meta.url);
