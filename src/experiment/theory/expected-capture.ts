/**
 * @module
 * What an adversary of N attempts captures on average: the odds of a fixed number of forged identities
 * over K ~ Bin(N, 2^-c), or over min(K, M) where it stops at M. Doubles for as many attempts as anybody
 * can make, and the same exactly for few.
 */

import { assertInteger } from './assert-integer.ts';
import { binomialProbability, binomialTail, SUCCESSES_MAX, sumOfRatios } from './binomial-odds.ts';
import {
  EXACT_ATTEMPTS_MAX,
  EXACT_BITS_MAX,
  successorsCaptured,
  topPlaces,
} from './capture-odds.ts';
import type { Forging } from './closed-forms.ts';
import { laplace, topPlacesProbability } from './closed-forms.ts';
import type { Fraction } from './fraction.ts';
import { fraction, ONE, plus, times, ZERO } from './fraction.ts';

/** An adversary that may stop before its attempts are used up. */
export interface CappedForging extends Forging {
  /** M: with so many valid identities it stops; as many as it finds where that is left out. */
  readonly identitiesMax?: number | undefined;
}

/** Places of one capture: more make the sums of the integral long. */
export const PLACES_MAX = 1024;

/**
 * P(the `places` highest IDs are all forged) = E[Π (K−i)/(n+K−i)], i < places, to about 1e-12. With
 * the highest honest ID at t that is n∫₀¹ t^(n−1) P(Bin(N, p(1−t)) ≥ places) dt; for one place it is
 * `topProbability`. With `identitiesMax` it is the sum over K itself, from its largest term outwards.
 */
export function expectedTopPlaces(forging: CappedForging, places: number): number {
  const { honest, attempts, identitiesMax = attempts } = forging;
  assertInteger('honest', honest, { least: 0 });
  assertInteger('places', places, { least: 0, most: PLACES_MAX });
  if (places === 0) return 1;
  if (places > Math.min(attempts, identitiesMax)) return 0;
  const probability = 2 ** -forging.difficultyBits;
  if (honest === 0) return binomialTail({ trials: attempts, probability }, places);
  if (identitiesMax < attempts) return cappedTopPlaces(forging, identitiesMax, places);
  return laplace((u) => {
    const above = -probability * Math.expm1(-u / honest);
    return binomialTail({ trials: attempts, probability: above }, places);
  }, places);
}

/**
 * P(the next `successors` nodes after an honest victim on a ring in the order of IDs are all forged); n
 * counts the victim.
 */
export function expectedSuccessors(forging: CappedForging, successors: number): number {
  assertInteger('honest', forging.honest, { least: 1 });
  return expectedTopPlaces({ ...forging, honest: forging.honest - 1 }, successors);
}

/** P(K ≥ `count`): that so many forged identities are valid. */
export function forgedProbability(forging: CappedForging, count: number): number {
  const { attempts, difficultyBits, identitiesMax = attempts } = forging;
  if (count > identitiesMax) return 0;
  return binomialTail({ trials: attempts, probability: 2 ** -difficultyBits }, count);
}

/** P(more than half of all n+K identities are forged) = P(K ≥ n+1): a quorum of Sybils alone. */
export function majorityProbability(forging: CappedForging): number {
  return forgedProbability(forging, forging.honest + 1);
}

/** `expectedTopPlaces` exactly, within the limits of `topExactly`. */
export function expectedTopPlacesExactly(forging: CappedForging, places: number): Fraction {
  const { honest } = forging;
  return meanExactly(forging, (forged) => topPlaces({ honest, forged }, places));
}

/** `expectedSuccessors` exactly, within the limits of `topExactly`. */
export function expectedSuccessorsExactly(forging: CappedForging, successors: number): Fraction {
  const { honest } = forging;
  return meanExactly(forging, (forged) => successorsCaptured({ honest, forged }, successors));
}

/** `forgedProbability` exactly, within the limits of `topExactly`. */
export function forgedExactly(forging: CappedForging, count: number): Fraction {
  return meanExactly(forging, (forged) => (forged >= count ? ONE : ZERO));
}

/** `majorityProbability` exactly, within the limits of `topExactly`. */
export function majorityExactly(forging: CappedForging): Fraction {
  return forgedExactly(forging, forging.honest + 1);
}

/** Σ P(K = k) f(k) below the cap M, and P(K ≥ M) f(M); as f and the law are log-concave, so are the terms. */
function cappedTopPlaces(forging: CappedForging, cap: number, places: number): number {
  const { honest, attempts, difficultyBits } = forging;
  assertInteger('identitiesMax', cap, { least: 0, most: SUCCESSES_MAX });
  const law = { trials: attempts, probability: 2 ** -difficultyBits };
  const atCap = binomialTail(law, cap) * topPlacesProbability({ honest, forged: cap }, places);
  if (difficultyBits === 0 || cap === places) return atCap;
  const odds = law.probability / (1 - law.probability);
  const ratio = (forged: number) =>
    (((attempts - forged) / (forged + 1 - places)) * odds * (honest + forged + 1 - places)) /
    (honest + forged + 1);
  const mode = firstFalling(ratio, places, cap - 1);
  const above = sumOfRatios(mode, cap - 1, ratio);
  const below = sumOfRatios(0, mode - places, (index) => 1 / ratio(mode - 1 - index));
  const most =
    binomialProbability(law, mode) * topPlacesProbability({ honest, forged: mode }, places);
  return atCap + most * (above + below - 1);
}

/** The first index from which a falling ratio is below 1, or `last`. */
function firstFalling(ratio: (index: number) => number, first: number, last: number): number {
  let [low, high] = [first, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (ratio(middle) < 1) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Σ P(K = k) f(min(k, M)). */
function meanExactly(forging: CappedForging, value: (forged: number) => Fraction): Fraction {
  const { attempts, difficultyBits, identitiesMax = attempts } = forging;
  assertInteger('attempts', attempts, { least: 0, most: EXACT_ATTEMPTS_MAX });
  assertInteger('difficultyBits', difficultyBits, { least: 0, most: EXACT_BITS_MAX });
  const outcomes = 1n << BigInt(difficultyBits);
  let sum = ZERO;
  let choices = 1n;
  for (let valid = 0; valid <= attempts; valid += 1) {
    const weight = fraction(choices * (outcomes - 1n) ** BigInt(attempts - valid), 1);
    sum = plus(sum, times(weight, value(Math.min(valid, identitiesMax))));
    choices = (choices * BigInt(attempts - valid)) / BigInt(valid + 1);
  }
  return times(sum, fraction(1, outcomes ** BigInt(attempts)));
}
