/**
 * @module
 * This machine as operations use it.
 */

import { setImmediate } from 'node:timers/promises';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { Machine } from '../../operations/machine.ts';
import { codeVersion } from '../files/code-version.ts';
import { plainVerifier } from '../openssl/plain-verifier.ts';
import { calibrate, measureRate } from '../threads/calibration.ts';
import { runExperiment } from '../threads/experiment-pool.ts';
import { explore } from '../threads/explore.ts';
import { createForge } from '../threads/forge.ts';
import { mineInThreads } from '../threads/mining-pool.ts';
import type { Keeping } from './kept-sweep.ts';

/** This machine. `keeping` says what it keeps of sweeps. */
export function thisMachine(keeping: Keeping): Machine {
  return {
    codeVersion,
    calibrate,
    forge: createForge,
    mine: async (task, { onProgress, ...threads }) => ({
      task,
      result: await mineInThreads(task, {
        ...threads,
        onProgress: (progress) => onProgress(progress, task),
      }),
    }),
    plainVerifier,
    miningRate: (scheme, threads) => measureRate({ ...threads, scheme, strategy: HONEST_STRATEGY }),
    runs: runExperiment,
    async sweep(asked, how) {
      // Loaded only for a sweep: its tables take long to load.
      const { sweepCells } = await import('./kept-sweep.ts');
      return sweepCells(asked, how, keeping);
    },
    check: (request, how) => explore(request, how),
    pause: () => setImmediate(),
  };
}

/** This machine, which keeps no files. */
export const THIS_MACHINE: Machine = thisMachine({ files: null });
