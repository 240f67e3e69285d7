/**
 * @module
 * What a caller may set of quorum-lease: for how long leases last, by how much clocks may drift, how
 * often candidates try; and the two ways in which leases are commonly counted wrong.
 */

import type { Flags, NumberFlags } from '../flags.ts';
import { chosenFlag, numbersOf } from '../flags.ts';
import { holderTicks, sitOutTicks } from '../lease-interval.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';
import type { QuorumLeaseOptions } from './quorum-lease-state.ts';

/**
 * The default comes first, and the others break safety at a moment.
 *
 * - drift: whether a master takes the drift of clocks off its lease, D(1−ρ)/(1+ρ), or counts D.
 * - countedFrom: what its lease is counted from, sending the request or the answer that completed the
 *   majority, up to a round trip later.
 */
export const QUORUM_LEASE_FLAGS = {
  drift: ['corrected', 'ignored'],
  countedFrom: ['send', 'answer'],
} as const;

export const QUORUM_LEASE_NUMBERS = {
  leaseTicks: {
    min: 10,
    max: 1_000_000_000,
    meaning: 'ticks for which a vote binds',
    byDefault: silenceTicks,
  },
  driftPpm: {
    min: 0,
    max: 500_000,
    meaning: 'drift of clocks that leases allow for, in parts per million',
    byDefault: () => 10_000,
  },
  retryTicks: {
    min: 1,
    max: 1_000_000_000,
    meaning: 'ticks R between two attempts, which come R to 2R-1 apart',
    // Twice a round trip: one that splits the votes is rare, and one that is lost costs little.
    byDefault: (timing: Timing) => 2 * answerTicks(timing),
  },
} as const satisfies NumberFlags;

/** Throws RangeError for flags that are not listed or out of bounds. */
export function quorumLeaseOptions(timing: Timing, flags: Flags): QuorumLeaseOptions {
  const { leaseTicks, driftPpm, retryTicks } = numbersOf(QUORUM_LEASE_NUMBERS, timing, flags);
  const isCorrected = chosenFlag('drift', QUORUM_LEASE_FLAGS.drift, flags) === 'corrected';
  return {
    promiseTicks: leaseTicks,
    holdTicks: isCorrected ? holderTicks({ leaseTicks, driftPpm }) : leaseTicks,
    sitOutTicks: sitOutTicks({ leaseTicks, driftPpm }),
    retryTicks,
    countedFrom: chosenFlag('countedFrom', QUORUM_LEASE_FLAGS.countedFrom, flags),
  };
}

/**
 * Twice a lease: one that is not renewed has run out by then, and so has the belief of followers in a
 * master that is gone.
 */
export function quorumLeaseSteadyTicks(timing: Timing, flags: Flags): number {
  return 2 * numbersOf(QUORUM_LEASE_NUMBERS, timing, flags).leaseTicks;
}
