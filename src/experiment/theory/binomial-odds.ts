/**
 * @module
 * The binomial law in doubles, for as many trials as an adversary can make. A probability is the
 * normal one with exact corrections (the saddle-point form of C. Loader, "Fast and Accurate Computation
 * of Binomial Probabilities", 2000), so that nothing cancels where N is 2^60 and Np is 3; tails are sums
 * from there outwards, until nothing is added.
 */

import { randomBinomial } from 'd3-random';
import type { Random } from '../../random.ts';
import { assertInteger } from './assert-integer.ts';

export interface Trials {
  /** N, an integer in 0..2^60. */
  readonly trials: number;
  /** Of each trial to succeed, 0..1. */
  readonly probability: number;
}

/** Above it a tail has more terms than anybody waits for. */
export const SUCCESSES_MAX = 2 ** 32;

/** P(K = `successes`), to about 1e-13. */
export function binomialProbability({ trials, probability }: Trials, successes: number): number {
  if (successes < 0 || successes > trials) return 0;
  const failing = 1 - probability;
  if (successes === 0) return trials === 0 ? 1 : Math.exp(trials * Math.log1p(-probability));
  if (successes === trials) return probability ** trials;
  if (probability === 0 || failing === 0) return 0;
  const failures = trials - successes;
  const mean = trials * probability;
  // What successes are above their mean failures are below theirs: one difference for both.
  const excess = successes - mean;
  const exponent =
    stirlingError(trials) -
    stirlingError(successes) -
    stirlingError(failures) -
    mean * deviance(excess / mean) -
    trials * failing * deviance(-excess / (trials * failing));
  const scale = Math.sqrt(trials / (2 * Math.PI * successes * failures));
  return Math.exp(exponent) * scale;
}

/** P(K ≥ `least`), to about 1e-12 relative; `least` at most `SUCCESSES_MAX`. */
export function binomialTail({ trials, probability }: Trials, least: number): number {
  assertInteger('least', least, { least: 0, most: SUCCESSES_MAX });
  if (least === 0) return 1;
  if (least > trials || probability === 0) return 0;
  if (probability === 1) return 1;
  const law = { trials, probability };
  const odds = probability / (1 - probability);
  if (least >= trials * probability) {
    const rising = (at: number) => ((trials - at) / (at + 1)) * odds;
    return Math.min(1, binomialProbability(law, least) * sumOfRatios(least, trials, rising));
  }
  const falling = (below: number) => {
    const at = least - 1 - below;
    return at / (trials - at + 1) / odds;
  };
  return 1 - binomialProbability(law, least - 1) * sumOfRatios(0, least - 1, falling);
}

/**
 * 1 + r(first) + r(first)·r(first+1) + …, up to r(last − 1), for ratios that fall; ended by a term that
 * adds nothing.
 */
export function sumOfRatios(first: number, last: number, ratio: (index: number) => number): number {
  let [sum, term] = [1, 1];
  for (let index = first; index < last; index += 1) {
    term *= ratio(index);
    if (sum + term === sum) break;
    sum += term;
  }
  return sum;
}

/** ln n! − ln(√(2πn) (n/e)^n): by the factorial while it is small, then by its series. */
function stirlingError(count: number): number {
  if (count < FACTORIALS_BELOW) {
    let factorial = 1;
    for (let factor = 2; factor <= count; factor += 1) factorial *= factor;
    return (
      Math.log(factorial) - (count + 0.5) * Math.log(count) + count - 0.5 * Math.log(2 * Math.PI)
    );
  }
  const square = count * count;
  return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / count;
}

/** From here on the next term of the series, 1/(1188 n^9), is below 1e-14. */
const FACTORIALS_BELOW = 17;

/** (1+x) ln(1+x) − x, for x > −1. */
function deviance(excess: number): number {
  if (Math.abs(excess) > 0.3) return (1 + excess) * Math.log1p(excess) - excess;
  // Σ (−x)^j/(j(j−1)) from j = 2: the difference above would cancel.
  let [sum, power] = [0, -excess];
  for (let index = 2; index < 36; index += 1) {
    power *= -excess;
    sum += power / (index * (index - 1));
  }
  return sum;
}

/**
 * Successes of `trials` independent trials. The sampler is made anew for every draw, since d3's
 * keeps the second half of a normal pair, which would tie one run to the one before it.
 */
export function drawBinomial(random: Random, trials: number, probability: number): number {
  return randomBinomial.source(() => random.unit())(trials, probability)();
}
