/**
 * @module
 * The attempts of a node that solves both puzzles one after the other: keys until the static puzzle is
 * solved, then solutions until the dynamic one is. Both are geometric. Quantiles of the sum follow from the
 * exponential law, which differs by less than one attempt for difficult puzzles.
 */

import type { Policy } from '../identity/policy.ts';
import { attemptOdds } from './odds.ts';
import { realBits, sparedShare } from './policy-cost.ts';

export interface AttemptQuantiles {
  readonly expected: number;
  readonly p50: number;
  readonly p95: number;
}

/** Attempts for both puzzles of a policy together. */
export function twoPuzzleAttempts(policy: Policy): AttemptQuantiles {
  const { c1, c2 } = realBits(policy);
  const [keys, solutions] = [2 ** -c1, 2 ** -c2];
  if (c1 === 0 || c2 === 0) {
    const { expected, p50, p95 } = attemptOdds(Math.min(keys, solutions));
    // The easy puzzle needs no attempts of its own: each key satisfies it.
    return { expected, p50, p95 };
  }
  // Some keys need no solution.
  const spared = sparedShare(policy);
  const missing = (attempts: number) =>
    spared * Math.exp(-keys * attempts) + (1 - spared) * missingBoth(keys, solutions, attempts);
  return {
    expected: 1 / keys + (1 - spared) / solutions,
    p50: sumQuantile(0.5, missing),
    p95: sumQuantile(0.95, missing),
  };
}

/** Halvings after which the range of a quantile is below one attempt. */
const HALVINGS = 64;

/** The q-quantile of a waiting time by bisection, from the probability that it exceeds a number of attempts. */
function sumQuantile(quantile: number, missing: (attempts: number) => number): number {
  let [low, high] = [0, 1];
  while (missing(high) > 1 - quantile) high *= 2;
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (missing(middle) > 1 - quantile) low = middle;
    else high = middle;
  }
  return Math.ceil(high);
}

/** The probability that two exponential waiting times together exceed a number of attempts. */
function missingBoth(one: number, other: number, attempts: number): number {
  if (one === other) return (1 + one * attempts) * Math.exp(-one * attempts);
  const tail = one * Math.exp(-other * attempts) - other * Math.exp(-one * attempts);
  return tail / (one - other);
}
