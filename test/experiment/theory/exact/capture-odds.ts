/**
 * @module
 * Exact odds of what k forged identities take among n honest ones. All IDs are uniform and
 * independent, so every order of the n+k is equally likely, and each result is a count of orders over
 * their number. `closed-forms.ts` has the doubles that sweeps need; these are the fractions they are
 * held against, and the odds under other rules of rank: by leading zeros only, or by work.
 */

import { assertInteger } from '../../../../src/experiment/theory/assertions.ts';
import type { Forging, Population } from '../../../../src/experiment/theory/closed-forms.ts';
import type { Fraction } from './fraction.ts';
import { complement, fraction, ONE, plus, times, ZERO } from './fraction.ts';

/** The limits of exact sums, whose terms get long: about a second of work. */
export const EXACT_ATTEMPTS_MAX = 256;
export const EXACT_BITS_MAX = 16;
export const EXACT_RIVALS_MAX = 64;

/** P(the `ranks` highest IDs are all forged) = Π (k−i)/(n+k−i), i < ranks. */
export function topRanks({ honest, forged }: Population, ranks: number): Fraction {
  assertInteger('honest', honest, { least: 0 });
  assertInteger('forged', forged, { least: 0 });
  assertInteger('ranks', ranks, { least: 0 });
  if (ranks > forged) return ZERO;
  let probability = ONE;
  for (let taken = 0; taken < ranks; taken += 1) {
    probability = times(probability, fraction(forged - taken, honest + forged - taken));
  }
  return probability;
}

/**
 * P(the next `successors` nodes after an honest victim are all forged) on a ring in the order of IDs:
 * Π (k−i)/(n−1+k−i). Seen from the victim the others are in random order, so any `successors` ranks
 * named beforehand have the same odds: both neighbours are the case 2, a successor list of s entries
 * is the case s. n counts the victim.
 */
export function successorsCaptured({ honest, forged }: Population, successors: number): Fraction {
  assertInteger('honest', honest, { least: 1 });
  return topRanks({ honest: honest - 1, forged }, successors);
}

/**
 * P(top) = E[K/(n+K)], K ~ Bin(N, 2^-c), as the sum Σ C(N,k)(2^c−1)^(N−k) k/(n+k) over 2^(cN). For up
 * to `EXACT_ATTEMPTS_MAX` attempts and `EXACT_BITS_MAX` bits; `topProbability` has no such limits.
 */
export function topExactly({ honest, attempts, difficultyBits }: Forging): Fraction {
  assertInteger('honest', honest, { least: 1 });
  assertInteger('attempts', attempts, { least: 0, most: EXACT_ATTEMPTS_MAX });
  assertInteger('difficultyBits', difficultyBits, { least: 0, most: EXACT_BITS_MAX });
  const outcomes = 1n << BigInt(difficultyBits);
  let sum = ZERO;
  let choices = 1n;
  for (let valid = 0; valid <= attempts; valid += 1) {
    const weight = choices * (outcomes - 1n) ** BigInt(attempts - valid);
    sum = plus(sum, fraction(weight * BigInt(valid), honest + valid));
    choices = (choices * BigInt(attempts - valid)) / BigInt(valid + 1);
  }
  return times(sum, fraction(1, outcomes ** BigInt(attempts)));
}

/** P(none of the first k forged IDs beats all n honest ones) = n/(n+k). */
export function passesLater({ honest, forged }: Population): Fraction {
  return complement(topRanks({ honest, forged }, 1));
}

/**
 * The mean of min(T, M), T the valid IDs it takes to beat all n honest ones, M the limit at which the
 * adversary gives up: Σ n/(n+k) over k < M = n(H(n+M−1) − H(n−1)). It grows with ln M for ever: T
 * itself has no mean, for which reason no function says one.
 */
export function identitiesForTopMean(honest: number, identitiesMax: number): number {
  assertInteger('honest', honest, { least: 1 });
  assertInteger('identitiesMax', identitiesMax, { least: 0 });
  let sum = 0;
  for (let forged = identitiesMax - 1; forged >= 0; forged -= 1) sum += honest / (honest + forged);
  return sum;
}

/** Above P(two of m uniform IDs of these bits are equal): m²/2^(bits+1). */
export function tieBound({ ids, bits }: { readonly ids: number; readonly bits: number }): number {
  return ids ** 2 / 2 ** (bits + 1);
}

/**
 * P(one of m hashes has more leading zeros than each other) = m Σ_j 2^-(j+1) (1−2^-j)^(m−1). It swings
 * about 1/(2 ln 2) without a limit: where zeros alone are the rank, 28 % of elections are ties.
 */
export function uniqueMostZeros(rivals: number): number {
  assertInteger('rivals', rivals, { least: 1 });
  let sum = 0;
  // Below the last term what is left out is less than m·2^-1075.
  for (let zeros = 1074; zeros >= 0; zeros -= 1) {
    sum += 2 ** -(zeros + 1) * (1 - 2 ** -zeros) ** (rivals - 1);
  }
  return rivals * sum;
}

/** The same exactly, by the binomial theorem: m Σ_i (−1)^i C(m−1,i) 2^i/(2^(i+1)−1). */
export function uniqueMostZerosExactly(rivals: number): Fraction {
  assertInteger('rivals', rivals, { least: 1, most: EXACT_RIVALS_MAX });
  let sum = ZERO;
  let choices = 1n;
  for (let index = 0; index < rivals; index += 1) {
    const weight = index % 2 === 0 ? choices : -choices;
    sum = plus(sum, fraction(weight << BigInt(index), (2n << BigInt(index)) - 1n));
    choices = (choices * BigInt(rivals - 1 - index)) / BigInt(index + 1);
  }
  return times(fraction(rivals, 1), sum);
}

/**
 * P(the adversary leads) where the smallest hash of all attempts wins: its share of the work,
 * N_a/(N_a+N_h), N_h the attempts of all honest nodes together. No difficulty enters.
 */
export function workShare(attempts: {
  readonly adversary: number;
  readonly honest: number;
}): Fraction {
  return topRanks({ honest: attempts.honest, forged: attempts.adversary }, 1);
}
