/**
 * @module
 * The accrual detectors: beats as in fd-heartbeat, and a member is suspected when φ of its silence
 * reaches a threshold. φ only grows during a silence, so the tick at which it gets there is computed
 * when a beat comes and set as the deadline. A member counts as heard once when watching begins, or
 * one that never sends a beat would never be suspected; only the textbook form does without, and
 * suspects everybody at once, then nobody until two intervals have been seen.
 *
 * Late beats train it (slow drip): the time to a suspicion grows with the mean that they leave in the
 * window. A ceiling on what one interval may teach ends that.
 */

import type { AccrualRule, Arrivals } from './arrivals.ts';
import { hearBeat, noArrivals, suspicionTicks } from './arrivals.ts';
import { createBeats } from './beats.ts';

/** The detector of every node. */
export function createPhiDetector(everyTicks: number, rule: AccrualRule) {
  return createBeats<Arrivals>(everyTicks, {
    begin(now) {
      const arrivals = noArrivals();
      if (rule.formula !== 'textbook') hearBeat(rule, arrivals, now);
      return arrivals;
    },
    hear: (arrivals, now) => hearBeat(rule, arrivals, now),
    deadlineTicks: (arrivals) => suspicionTicks(rule, arrivals),
  });
}
