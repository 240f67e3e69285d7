/**
 * @module
 * The heartbeat detector: a member is suspected when nothing came from it for so long. With a fixed
 * time-out it is perfect (P) where no two beats can arrive further apart, and wrong for ever where
 * they can. Adaptive, the time-out doubles after each false suspicion: where latencies have a bound
 * that nobody knows, each member is wrongly suspected finitely often, which makes it eventually
 * perfect, ◇P (Chandra and Toueg 1996 on partial synchrony; their time-outs grow by steps).
 */

import { createBeats } from './beats.ts';

export interface HeartbeatOptions {
  readonly everyTicks: number;
  readonly timeoutTicks: number;
  /** How far the time-out may grow; absent where it is fixed. */
  readonly timeoutTicksMax?: number | undefined;
}

type Memory = { timeoutTicks: number };

/** The detector of every node. A bound on the growth must exceed the real one, or mistakes go on. */
export function createHeartbeatDetector(options: HeartbeatOptions) {
  const { everyTicks, timeoutTicks, timeoutTicksMax = timeoutTicks } = options;
  return createBeats<Memory>(everyTicks, {
    begin: () => ({ timeoutTicks }),
    hear(memory, _now, wasSuspected) {
      if (!wasSuspected) return;
      const doubled = Math.min(2 * memory.timeoutTicks, timeoutTicksMax);
      memory.timeoutTicks = Math.max(memory.timeoutTicks, doubled);
    },
    deadlineTicks: (memory) => memory.timeoutTicks,
  });
}
