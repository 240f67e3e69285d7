/**
 * @module
 * Limits and bounds of the closed forms, which tests hold them against.
 */

import { assertAtLeast } from '../../../../src/experiment/theory/assertions.ts';
import type { Forging, Population } from '../../../../src/experiment/theory/closed-forms.ts';
import { topRanksProbability } from '../../../../src/experiment/theory/closed-forms.ts';
import { laplace } from '../../../../src/experiment/theory/laplace.ts';

/** The limit of `topProbability` for rare identities: K ~ Poisson(`mean`), mean = N·2^-c. */
export function topProbabilityPoisson({ honest, mean }: { honest: number; mean: number }): number {
  assertAtLeast('honest', honest, 1);
  assertAtLeast('mean', mean, 0);
  return laplace((u) => -Math.expm1(mean * Math.expm1(-u / honest)));
}

/** An upper bound on `topProbability`, by Jensen's inequality: λ/(n+λ), λ = N·2^-c. */
export function topProbabilityBound({ honest, attempts, difficultyBits }: Forging): number {
  const mean = attempts * 2 ** -difficultyBits;
  return mean / (honest + mean);
}

/**
 * The probability that the next `successors` nodes after an honest victim on a ring in the order of IDs
 * are all forged: Π (k−i)/(n−1+k−i), i < successors. n counts the victim.
 */
export function successorsProbability({ honest, forged }: Population, successors: number): number {
  assertAtLeast('honest', honest, 1);
  return topRanksProbability({ honest: honest - 1, forged }, successors);
}

/**
 * How many valid identities give the top one with probability `quantile`: ⌈n q/(1−q)⌉. Their number
 * has no mean (Σ n/(n+k) diverges), so only quantiles are offered.
 */
export function identitiesForTop(honest: number, quantile: number): number {
  // Rounded first: 9·0.9/(1−0.9) is a little more than 81 in doubles.
  return Math.ceil(Number(((honest * quantile) / (1 - quantile)).toPrecision(14)));
}
