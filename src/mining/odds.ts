/**
 * @module
 * What a search will cost. Mining has no memory: attempts until the first success are geometric, so
 * the mean is 1/p and the q-quantile ⌈ln(1−q)/ln(1−p)⌉, whatever was spent before.
 */

import { STORJ_FREE_BITS } from '../identity/ids/storj.ts';
import type { Policy } from '../identity/policy.ts';
import { demandedBits } from './demand.ts';
import type { Goal } from './goal.ts';
import { goalProbability } from './goal.ts';
import { realBits } from './policy-cost.ts';

export interface Odds {
  readonly expected: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * The probability that one attempt wins. Static puzzle and goal are independent, but under the rule
 * of Yggdrasil, where both look at the head of the key, and that of Storj, whose IDs end in zeros.
 */
export function winProbability(policy: Policy, goal: Goal): number {
  const { c1 } = realBits(policy, demandedBits(policy));
  if (policy.idRule === 'yggdrasil') return goalProbability(goal, c1);
  const endingZeros = policy.idRule === 'storj' ? c1 + STORJ_FREE_BITS : 0;
  return 2 ** -c1 * goalProbability(goal, 0, endingZeros);
}

/** Attempts until success when each succeeds with `probability` in (0, 1]; Infinity for 0. */
export function attemptOdds(probability: number): Odds {
  if (!(probability >= 0 && probability <= 1)) {
    throw new RangeError(`"probability" expected 0..1, got ${probability}`);
  }
  return {
    expected: 1 / probability,
    p50: attemptQuantile(probability, 0.5),
    p90: attemptQuantile(probability, 0.9),
    p95: attemptQuantile(probability, 0.95),
    p99: attemptQuantile(probability, 0.99),
  };
}

/** The standard deviation of those attempts, √(1−p)/p. */
export function attemptDeviation(probability: number): number {
  return Math.sqrt(1 - probability) / probability;
}

/** The same odds in seconds at a rate of candidates per second. */
export function timeOdds(odds: Odds, candidatesPerSecond: number): Odds {
  const seconds = (attempts: number) => attempts / candidatesPerSecond;
  return {
    expected: seconds(odds.expected),
    p50: seconds(odds.p50),
    p90: seconds(odds.p90),
    p95: seconds(odds.p95),
    p99: seconds(odds.p99),
  };
}

/** P(found by now) = 1 − (1−p)^attempts, without cancellation for tiny p. */
export function foundProbability(probability: number, attempts: number): number {
  // Without this line 0 · ln 0 would make certainty before the first attempt NaN.
  if (attempts === 0) return 0;
  return -Math.expm1(attempts * Math.log1p(-probability));
}

/**
 * The attempts by which a search that succeeds with `probability` a time is over with probability
 * `quantile`: ⌈ln(1−q)/ln(1−p)⌉.
 */
export function attemptQuantile(probability: number, quantile: number): number {
  if (probability === 1) return 1;
  return Math.ceil(Math.log1p(-quantile) / Math.log1p(-probability));
}
