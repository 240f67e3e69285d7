/**
 * @module
 * The options of quorum-lease: how long leases last, how much clocks may drift, how often candidates
 * try, and the two common mistakes in counting a lease.
 */

import type { Flags, NumberFlags } from '../definition/flags.ts';
import { chosenFlag, numbersOf } from '../definition/flags.ts';
import { holderTicks, sitOutTicks } from '../lease-interval.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';
import type { QuorumLeaseOptions } from './quorum-lease-state.ts';

/**
 * The default comes first. The other values break safety at a moment.
 *
 * - drift: whether a master subtracts the drift of clocks from its lease, D(1−ρ)/(1+ρ), or counts D.
 * - countedFrom: whether its lease begins when it sends the request, or with the answer that completes
 *   the majority, up to a round trip later.
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
    shortTicks: 80,
  },
  driftPpm: {
    min: 0,
    max: 500_000,
    meaning: 'drift of clocks that leases allow for, in parts per million',
    byDefault: () => 10_000,
    shortTicks: null,
  },
  retryTicks: {
    min: 1,
    max: 1_000_000_000,
    meaning: 'ticks R between two attempts, which come R to 2R-1 apart',
    // Twice a round trip: split votes are rare, and a lost attempt costs little.
    byDefault: (timing: Timing) => 2 * answerTicks(timing),
    shortTicks: 19,
  },
} as const satisfies NumberFlags;

/** Throws RangeError for a value that is not listed or out of bounds. */
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
 * Twice a lease: by then a lease that is not renewed has run out, and followers no longer believe in a
 * master that is down.
 */
export function quorumLeaseSteadyTicks(timing: Timing, flags: Flags): number {
  return 2 * numbersOf(QUORUM_LEASE_NUMBERS, timing, flags).leaseTicks;
}
