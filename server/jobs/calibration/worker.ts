/**
 * @module
 * The thread that measures how fast this machine mines. It starts the threads that mine.
 */

import { parentPort, workerData } from 'node:worker_threads';

import type { Calibration } from '../../../src/runtime/threads/calibration.ts';
import { calibrate } from '../../../src/runtime/threads/calibration.ts';
import { answerJob } from '../worker-job.ts';
import type { CalibrationOrder, CalibrationProgress } from './execution.ts';

if (parentPort === null) throw new TypeError('calibration-worker.ts runs as a worker thread only');
// Only calibrateInThreads starts this thread.
const { threads } = workerData as CalibrationOrder;

let begun = 0;
await answerJob<CalibrationProgress, Calibration>(parentPort, ({ onProgress, signal }) =>
  calibrate({
    ...{ threads, signal },
    onProgress: (now) => {
      begun += 1;
      onProgress({ now, begun });
    },
  }),
);
