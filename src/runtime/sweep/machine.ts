/**
 * @module
 * This machine as operations use it.
 */

import { setImmediate } from 'node:timers/promises';
import type { Forge } from '../../experiment/attack/population.ts';
import { shellWord } from '../../experiment/reading/shell-word.ts';
import type { MiningProgress } from '../../mining/search.ts';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { Machine } from '../../operations/machine.ts';
import { codeVersion } from '../files/code-version.ts';
import { usedFiles } from '../load/used-files.ts';
import { plainVerifier } from '../openssl/plain-verifier.ts';
import type { Keeping } from './kept-sweep.ts';

/** This machine. `keeping` says what it keeps of sweeps. What an operation does not use is not loaded. */
export function thisMachine(keeping: Keeping): Machine {
  return {
    codeVersion,
    usedFiles,
    command: (words) => ['usurp', ...words].map(shellWord).join(' '),
    advantage: async (how) => (await import('../threads/advantage.ts')).measureAdvantage(how),
    calibrate: async (how) => (await import('../threads/calibration.ts')).calibrate(how),
    forge(how) {
      let forge: Forge | null = null;
      return async (order) => {
        forge ??= (await import('../threads/forge.ts')).createForge(how);
        return forge(order);
      };
    },
    async mine(task, { onProgress, ...threads }) {
      const { mineInThreads } = await import('../threads/mining-pool.ts');
      const onStep = (progress: MiningProgress) => onProgress(progress, task);
      return { task, result: await mineInThreads(task, { ...threads, onProgress: onStep }) };
    },
    plainVerifier,
    async miningRate(scheme, threads) {
      const { measureStrategy } = await import('../threads/calibration.ts');
      return (await measureStrategy({ ...threads, scheme, strategy: HONEST_STRATEGY })).perSecond;
    },
    async runs(asked, how) {
      return (await import('../threads/experiment-pool.ts')).runExperiment(asked, how);
    },
    async sweep(asked, how) {
      return (await import('./kept-sweep.ts')).sweepCells(asked, how, keeping);
    },
    check: async (request, how) => (await import('../threads/explore.ts')).explore(request, how),
    threatModel: async (id) => (await import('../files/catalogue.ts')).findInCatalogue(id),
    papers: async (name) => (await import('../files/papers.ts')).readPapers(name),
    pause: () => setImmediate(),
  };
}

/** This machine, which keeps no files. */
export const THIS_MACHINE: Machine = thisMachine({ files: null });
