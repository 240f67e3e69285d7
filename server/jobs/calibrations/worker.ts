/**
 * @module
 * The thread that measures how fast this machine mines. It starts the threads that mine.
 */

import type { Calibration } from '../../../src/runtime/threads/calibration.ts';
import { calibrate } from '../../../src/runtime/threads/calibration.ts';
import { answerJob } from '../worker-job.ts';
import type { CalibrationOrder, CalibrationProgress } from './calibration.ts';

let begun = 0;
await answerJob<CalibrationOrder, CalibrationProgress, Calibration>(
  ({ threads }, { onProgress, signal }) =>
    calibrate({
      ...{ threads, signal },
      onProgress: (now) => {
        begun += 1;
        onProgress({ now, begun });
      },
    }),
);
