/**
 * @module
 * Waits for what no event announces, such as the state of other processes.
 */

import { setTimeout as delay } from 'node:timers/promises';

export interface Patience {
  readonly waitMs: number;
  readonly signal?: AbortSignal;
  /** Time between two looks, in ms. */
  readonly everyMs?: number;
}

const EVERY_MS = 10;

/** Whether something holds before the time is over and the signal aborts. It is looked at least once. */
export async function holdsWithin(
  holds: () => boolean | Promise<boolean>,
  { waitMs, signal, everyMs = EVERY_MS }: Patience,
): Promise<boolean> {
  const deadline = Date.now() + waitMs;
  while (!(await holds())) {
    if (Date.now() >= deadline || signal?.aborted === true) return false;
    await delay(everyMs);
  }
  return true;
}
