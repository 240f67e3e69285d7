/**
 * @module
 * This machine as operations use it.
 */

import { setImmediate } from 'node:timers/promises';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { Machine } from '../../operations/machine.ts';
import { calibrate, measureRate } from './calibration.ts';
import { runExperiment } from './experiment-pool.ts';

export const THIS_MACHINE: Machine = {
  calibrate,
  miningRate: (scheme, threads) => measureRate({ ...threads, scheme, strategy: HONEST_STRATEGY }),
  async runs(experiment, { onProgress, ...threads }) {
    const { tally } = await runExperiment(experiment, {
      ...threads,
      onProgress: ({ done }) => onProgress(done),
    });
    return tally;
  },
  pause: () => setImmediate(),
};
