/**
 * @module
 * Mining for attacks. Their searches are many and mostly short, so each begins on this thread, without the
 * cost of a worker. A long search continues on worker threads. Both give the same identities.
 */

import type { Forge, ForgeOrder } from '../../experiment/attack/population.ts';
import type { MiningTask } from '../../mining/phases.ts';
import { SEARCH_NOT_BEGUN } from '../../mining/phases.ts';
import { mine } from '../../mining/search.ts';
import { strongestDynamicStrategy } from '../../mining/strategies.ts';
import { plainVerifier } from '../openssl/plain-verifier.ts';
import { threadClocks } from './clocks.ts';
import { kernelSource } from './kernels.ts';
import type { MiningOptions } from './mining-pool.ts';
import { mineInThreads } from './mining-pool.ts';

/** About 50 ms. */
const SHORT_ATTEMPTS = 2 ** 15;

/** The forge of this machine. Throws LabError `file.missing` if the kernels were not built. */
export function createForge(
  options: Pick<MiningOptions, 'threads' | 'signal'> & {
    readonly onProgress: (
      order: ForgeOrder,
      progress: Parameters<NonNullable<MiningOptions['onProgress']>>[0],
    ) => void;
  },
): Forge {
  const kernels = kernelSource();
  return async (order) => {
    const { threads, signal, onProgress } = options;
    const task: MiningTask = {
      ...order,
      scheme: 'ed25519',
      dynamicStrategy: strongestDynamicStrategy(order.policy),
    };
    const { attempts = Number.POSITIVE_INFINITY } = order.budget;
    const budget = { ...order.budget, attempts: Math.min(attempts, SHORT_ATTEMPTS) };
    const short = mine({ ...task, budget }, threadClocks, kernels, SEARCH_NOT_BEGUN, plainVerifier);
    const isOver = short.found || short.ending !== 'attempts' || attempts <= SHORT_ATTEMPTS;
    if (isOver) return short;
    return mineInThreads(task, {
      threads,
      signal,
      begun: short.state,
      onProgress: (progress) => onProgress(order, progress),
    });
  };
}
