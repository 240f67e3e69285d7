/**
 * @module
 * The thread that measures how fast this machine mines; what is measured are threads of its own.
 */

import { parentPort, workerData } from 'node:worker_threads';

import type { Calibration } from '../../../src/runtime/threads/calibration.ts';
import { calibrate } from '../../../src/runtime/threads/calibration.ts';
import { answerJob } from '../worker-job.ts';
import type { CalibrationNews, CalibrationOrder } from './execution.ts';

if (parentPort === null) throw new TypeError('calibration-worker.ts runs as a worker thread only');
// Who made this thread is the only sender of its data.
const { threads } = workerData as CalibrationOrder;

let begun = 0;
await answerJob<CalibrationNews, Calibration>(parentPort, ({ onProgress, signal }) =>
  calibrate({
    ...{ threads, signal },
    onProgress: (now) => {
      begun += 1;
      onProgress({ now, begun });
    },
  }),
);
