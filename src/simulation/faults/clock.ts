/**
 * @module
 * Clocks that run fast or slow: the ticks that the timer of a node takes. Machines have no clock, so that a
 * skew changes only their timers.
 */

import type { Schedule } from './schedule.ts';

/** The ticks that a timer of `ticks` takes at a node if it is set at `now`. */
export type Clock = (rank: number, ticks: number, now: number) => number;

/** Null if all clocks run evenly. Several skews of one node are multiplied. */
export function createClock({ faults, calm }: Schedule): Clock | null {
  const rates = new Map<number, number>();
  for (const fault of faults) {
    if (fault.type !== 'skew') continue;
    const rate = (rates.get(fault.rank) ?? 1) * (fault.numerator / fault.denominator);
    rates.set(fault.rank, rate);
  }
  if (rates.size === 0) return null;
  const calmAt = calm?.at ?? Number.POSITIVE_INFINITY;
  return (rank, ticks, now) => {
    const rate = now < calmAt ? rates.get(rank) : undefined;
    // A timer of 0 ticks stays one. Every other timer takes at least one tick.
    return rate === undefined || ticks === 0 ? ticks : Math.max(1, Math.round(ticks * rate));
  };
}
