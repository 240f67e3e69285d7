/**
 * @module
 * The odds of a search. Mining has no memory: the number of attempts until the first success is geometric, so
 * the mean is 1/p and the q-quantile is ⌈ln(1−q)/ln(1−p)⌉, however long the search has lasted.
 */

import { idRuleOf, nodeIdBytesOf, staticBits } from '../identity/ids/node-id.ts';
import type { Policy } from '../identity/policy.ts';
import type { Goal } from './goal.ts';
import { goalProbability } from './goal.ts';
import { pairAttempts, realBits, requiredBits } from './policy-cost.ts';

export interface Odds {
  readonly expected: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * The probability that one attempt wins. Static puzzle and goal are independent unless they depend on the same
 * bits of the ID, or all IDs that solve the puzzle end with zeros.
 */
export function winProbability(policy: Policy, goal: Goal): number {
  const { c1 } = realBits(policy);
  const { isKey, constantBits } = idRuleOf(policy);
  if (isKey) return goalProbability(goal, c1);
  return 2 ** -c1 * goalProbability(goal, 0, constantBits === 0 ? 0 : c1 + constantBits);
}

/** Node IDs that are so short that several keys have the same one. A network admits each ID once. */
export interface ShortIds {
  /** Number of the IDs that satisfy the static puzzle. */
  readonly admissible: number;
  /** Probability that a key has one of them. */
  readonly share: number;
}

/** Longer IDs are shared by a million nodes and the best key of an adversary in one of a million runs. */
const SHORT_BITS_MAX = 40;
/** IDs of which each is tested. Of longer ones the expected number is used. */
const COUNTED_BITS_MAX = 16;
const COUNTED_MAX = 256;
/** Counts by policy. A sweep has few policies. */
const COUNTED = new Map<string, number>();

/** The IDs of a policy if they are short. Else null. */
export function shortIdsOf(policy: Policy): ShortIds | null {
  const bits = 8 * nodeIdBytesOf(policy) - idRuleOf(policy).constantBits;
  const { c1 } = realBits(policy);
  if (bits - c1 > SHORT_BITS_MAX) return null;
  const isCounted = c1 > 0 && bits <= COUNTED_BITS_MAX && policy.puzzle.function === 'hash';
  const admissible = isCounted ? countedIds(policy) : 2 ** (bits - c1);
  return { admissible, share: admissible / 2 ** bits };
}

function countedIds(policy: Policy): number {
  const key = JSON.stringify(policy);
  const known = COUNTED.get(key);
  if (known !== undefined) return known;
  const ids = Array.from({ length: 2 ** COUNTED_BITS_MAX }, (_, id) => [id >> 8, id & 0xff]);
  const { c1 } = requiredBits(policy);
  const count = ids.filter((id) => staticBits(Uint8Array.from(id), policy) >= c1).length;
  if (COUNTED.size >= COUNTED_MAX) COUNTED.clear();
  COUNTED.set(key, count);
  return count;
}

/** Attempts until success if each succeeds with `probability` in (0, 1]. Infinity for 0. */
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

/** The same odds in seconds at a rate of candidates per second. */
export function timeOdds(
  { expected, p50, p90, p95, p99 }: Odds,
  candidatesPerSecond: number,
): Odds {
  const seconds = (attempts: number) => attempts / candidatesPerSecond;
  return {
    expected: seconds(expected),
    p50: seconds(p50),
    p90: seconds(p90),
    p95: seconds(p95),
    p99: seconds(p99),
  };
}

/** P(found by now) = 1 − (1−p)^attempts, without cancellation for tiny p. */
export function foundProbability(probability: number, attempts: number): number {
  // Otherwise 0 · ln 0 makes a certain success NaN before the first attempt.
  if (attempts === 0) return 0;
  return -Math.expm1(attempts * Math.log1p(-probability));
}

/** The probability that two admitted keys of this number of tested keys have one ID, by the birthday bound. */
export function pairProbability(policy: Policy, attempts: number): number {
  // With n pairs of admitted keys, each with one ID with probability 1/N: 1 − e^(−n/N).
  return -Math.expm1((-Math.PI / 4) * (attempts / pairAttempts(policy)) ** 2);
}

/**
 * The number of attempts within which a search succeeds with probability `quantile`, if each attempt succeeds
 * with `probability`: ⌈ln(1−q)/ln(1−p)⌉.
 */
export function attemptQuantile(probability: number, quantile: number): number {
  if (probability === 1) return 1;
  return Math.ceil(Math.log1p(-quantile) / Math.log1p(-probability));
}
