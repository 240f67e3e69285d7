/**
 * @module
 * The law behind Raft's split votes, exactly: f = n−1 followers begin their election time-outs together
 * as the leader dies, messages all take equally long, every log is fit. A rival of the first candidate
 * is a node that times out before its request arrives; with more than f−q rivals no node has a majority
 * q = ⌊n/2⌋+1. Doubles are in election/quorum/raft-odds.ts (after D. Ongaro and J. Ousterhout, USENIX
 * ATC 2014, section 9.3).
 */

import { assertInteger } from '../../../../src/experiment/theory/assertions.ts';
import type { Fraction } from './fraction.ts';
import { complement, fraction, plus, power, times, ZERO } from './fraction.ts';

/** Time-outs uniform in a range. */
export interface RaftTimeouts {
  /** n, the dead leader included; at least 3, as two cannot do without one. */
  readonly members: number;
  /** δ, the latency over the range of the time-outs, 0..1. */
  readonly delta: Fraction;
}

/** Time-outs of whole ticks, each of `spreadTicks` equally likely. */
export interface RaftTicks {
  readonly members: number;
  readonly spreadTicks: number;
  /** How many ticks after its own a candidate's request arrives; 0 is within the tick. */
  readonly latencyTicks: number;
}

export const RAFT_MEMBERS_MAX = 128;
export const RAFT_TICKS_MAX = 2 ** 12;

/** P(M = `rivals`) = C(f,m) δ^m (1−δ)^(f−m) for m ≤ f−2, and all that is left for m = f−1. */
export function rivalsExactly({ members, delta }: RaftTimeouts, rivals: number): Fraction {
  assertMembers(members);
  const followers = members - 1;
  if (!(rivals >= 0 && rivals < followers)) return ZERO;
  const exactly = (count: number) => binomial(followers, count, delta);
  if (rivals < followers - 1) return exactly(rivals);
  // No node can be late if even the first time-out is within δ of the end of the range.
  return plus(exactly(followers - 1), exactly(followers));
}

/** P(split) = P(M ≥ f−q+1) = P(Bin(f, δ) ≥ f−q+1). */
export function splitVoteExactly(timeouts: RaftTimeouts): Fraction {
  const { members } = timeouts;
  let sum = ZERO;
  for (let rivals = splittingRivals(members); rivals < members - 1; rivals += 1) {
    sum = plus(sum, rivalsExactly(timeouts, rivals));
  }
  return sum;
}

/** Elections until one is not split, on average: 1/(1−P); P below 1. */
export function meanElectionsExactly(split: Fraction): Fraction {
  const { numerator, denominator } = complement(split);
  return fraction(denominator, numerator);
}

/** The mean of the first time-out, T + R/(f+1) = T + R/n: least time-out T, range R, in one unit. */
export function firstTimeoutMean(timeouts: {
  readonly members: number;
  readonly least: number;
  readonly range: number;
}): number {
  assertMembers(timeouts.members);
  return timeouts.least + timeouts.range / timeouts.members;
}

/**
 * P(M = `rivals`) with whole ticks, Σ_t C(f,m+1) (w^(m+1) − (w−1)^(m+1)) (S−t−w)^(f−m−1) over S^f: the
 * first candidate and its rivals are in the w ticks from t on, one at least in the tick t, and all
 * others later.
 */
export function tickRivalsExactly(ticks: RaftTicks, rivals: number): Fraction {
  const { members, spreadTicks, latencyTicks } = ticks;
  assertMembers(members);
  assertInteger('spreadTicks', spreadTicks, { least: 1, most: RAFT_TICKS_MAX });
  assertInteger('latencyTicks', latencyTicks, { least: 0, most: RAFT_TICKS_MAX });
  const followers = members - 1;
  if (!(rivals >= 0 && rivals < followers)) return ZERO;
  const early = BigInt(rivals + 1);
  const late = BigInt(followers) - early;
  let count = 0n;
  for (let first = 0; first < spreadTicks; first += 1) {
    const open = BigInt(Math.min(latencyTicks + 1, spreadTicks - first));
    const later = BigInt(spreadTicks - first) - open;
    count += (open ** early - (open - 1n) ** early) * later ** late;
  }
  return fraction(choose(followers, rivals + 1) * count, BigInt(spreadTicks) ** BigInt(followers));
}

/** P(split) with whole ticks. */
export function tickSplitExactly(ticks: RaftTicks): Fraction {
  let sum = ZERO;
  for (let rivals = splittingRivals(ticks.members); rivals < ticks.members - 1; rivals += 1) {
    sum = plus(sum, tickRivalsExactly(ticks, rivals));
  }
  return sum;
}

/** The fewest rivals that split the vote, f−q+1. */
function splittingRivals(members: number): number {
  return members - 1 - Math.floor(members / 2);
}

function binomial(trials: number, successes: number, probability: Fraction): Fraction {
  const pattern = times(
    power(probability, successes),
    power(complement(probability), trials - successes),
  );
  return times(fraction(choose(trials, successes), 1), pattern);
}

function choose(from: number, count: number): bigint {
  let product = 1n;
  for (let index = 1; index <= count; index += 1) {
    product = (product * BigInt(from - count + index)) / BigInt(index);
  }
  return product;
}

function assertMembers(members: number): void {
  assertInteger('members', members, { least: 3, most: RAFT_MEMBERS_MAX });
}
