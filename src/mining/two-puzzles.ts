/**
 * @module
 * The attempts of a node that solves both puzzles one after the other: keys until the static puzzle is
 * solved, then solutions until the dynamic one is. Both are geometric. Quantiles of the sum follow from the
 * exponential law, which differs by less than one attempt for difficult puzzles.
 */

import type { Policy } from '../identity/policy.ts';
import { attemptOdds, attemptQuantile } from './odds.ts';
import { realBits } from './policy-cost.ts';

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
  return {
    expected: 1 / keys + 1 / solutions,
    p50: sumQuantile(keys, solutions, 0.5),
    p95: sumQuantile(keys, solutions, 0.95),
  };
}

/** Halvings after which the range of a quantile is below one attempt. */
const HALVINGS = 64;

/** The q-quantile of the sum of two waiting times, by bisection. */
function sumQuantile(one: number, other: number, quantile: number): number {
  let [low, high] = [0, attemptQuantile(one, quantile) + attemptQuantile(other, quantile)];
  // At q < 0.5 the sum can exceed the sum of the quantiles.
  while (missing(one, other, high) > 1 - quantile) high *= 2;
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (missing(one, other, middle) > 1 - quantile) low = middle;
    else high = middle;
  }
  return Math.ceil(high);
}

/** The probability that two exponential waiting times together exceed a number of attempts. */
function missing(one: number, other: number, attempts: number): number {
  if (one === other) return (1 + one * attempts) * Math.exp(-one * attempts);
  const tail = one * Math.exp(-other * attempts) - other * Math.exp(-one * attempts);
  return tail / (one - other);
}
