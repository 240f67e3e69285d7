/**
 * @module
 * The binomial law in doubles for up to 2^60 trials. A probability is the normal one with exact
 * corrections (the saddle-point form of C. Loader, "Fast and Accurate Computation of Binomial
 * Probabilities", 2000), so that nothing cancels when N is 2^60 and Np is 3. A tail is a sum of terms that
 * ends when a term adds nothing.
 */

import { randomBinomial } from 'd3-random';
import type { Random } from '../../random.ts';
import { assertInteger } from './assertions.ts';

export interface Trials {
  /** N, an integer in 0..2^60. */
  readonly trials: number;
  /** Probability that one trial succeeds, 0..1. */
  readonly probability: number;
}

/** Limit of `least` in a tail. Beyond it the sum takes too long. */
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
  // Successes are above their mean by as much as failures are below theirs.
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
  return 1 - binomialLowerTail(law, least - 1);
}

/** P(K ≤ `most`), to about 1e-12 relative below the mean; `most` in 0..`SUCCESSES_MAX`. */
export function binomialLowerTail({ trials, probability }: Trials, most: number): number {
  assertInteger('most', most, { least: 0, most: SUCCESSES_MAX });
  if (most >= trials || probability === 0) return 1;
  if (probability === 1) return 0;
  const law = { trials, probability };
  if (most >= trials * probability) return 1 - binomialTail(law, most + 1);
  const odds = probability / (1 - probability);
  const falling = (below: number) => {
    const at = most - below;
    return at / (trials - at + 1) / odds;
  };
  return Math.min(1, binomialProbability(law, most) * sumOfRatios(0, most, falling));
}

/**
 * 1 + r(first) + r(first)·r(first+1) + …, up to r(last − 1), for falling ratios. The sum ends early at a
 * term that adds nothing.
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

/** ln n! − ln(√(2πn) (n/e)^n): by the factorial for small n, by its series for large n. */
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
 * Draws as `drawBinomial` does, for many draws of one law. If few successes or few failures are expected, it adds
 * up the gaps between them as d3 does, without a sampler for each draw.
 */
export function binomialDrawer({ trials, probability }: Trials): (random: Random) => number {
  const isRare = probability < 0.5;
  const rare = isRare ? probability : 1 - probability;
  if (rare <= 0 || trials * rare > D3_GAPS_MEAN_MAX) {
    return (random) => drawBinomial(random, trials, probability);
  }
  const scale = Math.log1p(-rare);
  return (random) => {
    let count = 0;
    let at = 1 + Math.floor(Math.log1p(-random.unit()) / scale);
    while (at <= trials) {
      count += 1;
      at += 1 + Math.floor(Math.log1p(-random.unit()) / scale);
    }
    return isRare ? count : trials - count;
  };
}

/** d3 divides a law with more successes and more failures than this. */
const D3_GAPS_MEAN_MAX = 16;

/**
 * Draws the number of successes of `trials` independent trials. Each draw creates its own sampler: the
 * sampler of d3 keeps the second half of a normal pair, which would make a run depend on the run before.
 */
export function drawBinomial(random: Random, trials: number, probability: number): number {
  return randomBinomial.source(() => random.unit())(trials, probability)();
}
