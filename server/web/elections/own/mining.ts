/**
 * @module
 * Mining in the browser: a search in a thread of its own, with its odds. A search has no memory, so that no remaining
 * time is stated, but the probability that it would have succeeded by now.
 */

import { rankRuleOf } from '../../../../src/identity/ids/rank-key.ts';
import { oddsAgainst, positionOf, workBits } from '../../race/odds.ts';
import type { MinerMessage, MinerOrder } from './miner.ts';
import type { MinedKey, MiningOrder } from './own-key.ts';
import { numberedPolicy } from './own-key.ts';

export interface MiningProgress {
  /** Keys so far. */
  readonly tested: number;
  readonly perSecond: number;
  /** Keys that such an ID takes on average. */
  readonly expected: number;
  /** P(found by now). */
  readonly foundByNow: number;
}

interface MiningOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MiningProgress) => void;
}

/** Searches until a key is found, or null if it was aborted before. */
export function mineInThread(
  order: MiningOrder,
  { signal, onProgress }: MiningOptions,
): Promise<MinedKey | null> {
  const progressAfter = progressOf(order);
  onProgress(progressAfter(0, 0));
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('../../threads/mining-thread.ts', import.meta.url), {
      type: 'module',
    });
    const beganMs = performance.now();
    const end = (key: MinedKey | null) => {
      worker.terminate();
      resolve(key);
    };
    signal.addEventListener('abort', () => end(null), { once: true });
    worker.addEventListener('message', ({ data }: MessageEvent<MinerMessage>) => {
      if (data.type === 'found') end(data.key);
      else onProgress(progressAfter(data.keys, performance.now() - beganMs));
    });
    worker.addEventListener('error', ({ message }) => {
      worker.terminate();
      reject(new Error(`The search stopped: ${message}`));
    });
    worker.postMessage({ type: 'mine', order } satisfies MinerOrder);
  });
}

/** The progress after some keys and milliseconds. */
export function progressOf({ policy, above }: MiningOrder) {
  const rules = numberedPolicy(policy);
  const top = above === null ? 0 : positionOf(above, rankRuleOf(rules));
  const { expected, within } = oddsAgainst(top, workBits(rules.c1, rules));
  return (tested: number, ms: number): MiningProgress => ({
    tested,
    perSecond: ms === 0 ? 0 : (1000 * tested) / ms,
    expected,
    foundByNow: within(tested),
  });
}
