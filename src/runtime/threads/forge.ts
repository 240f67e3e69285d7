/**
 * @module
 * Mining for attacks, whose searches are many and mostly short: each begins on this thread, where it costs
 * no worker, and goes on in threads where it is long. Both give the same identities.
 */

import type { Forge, ForgeOrder } from '../../experiment/attack/population.ts';
import type { MiningTask } from '../../mining/phases.ts';
import { SEARCH_NOT_BEGUN } from '../../mining/phases.ts';
import { mine } from '../../mining/search.ts';
import { strongestDynamicStrategy } from '../../mining/strategies.ts';
import { threadClocks } from './clocks.ts';
import { kernelSource } from './kernels.ts';
import type { MiningOptions } from './mining-pool.ts';
import { mineInThreads } from './mining-pool.ts';

/** Some 50 ms. */
const SHORT_ATTEMPTS = 2 ** 15;

/** The forge of this machine. Throws LabError `file.missing` where the kernels were not built. */
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
    const short = mine({ ...task, budget }, threadClocks, kernels, SEARCH_NOT_BEGUN);
    const isOver = short.found || short.ending !== 'attempts' || attempts <= SHORT_ATTEMPTS;
    if (isOver) return short;
    return mineInThreads(task, {
      ...{ threads, signal, begun: short.state },
      onProgress: (progress) => onProgress(order, progress),
    });
  };
}
