/**
 * @module
 * This folder contains theory: closed forms, laws and statistics as functions of numbers. This file is
 * about an adversary that forges the top node ID. Every order of k forged and n honest uniform IDs is
 * equally likely, so the top one is forged with probability k/(n+k). An adversary that makes N attempts,
 * each valid with probability p = 2^-c, has K ~ Bin(N, p) valid IDs and leads with probability E[K/(n+K)].
 * The puzzle is on the hash of the node ID (S/Kademlia, Baumgart and Mies 2007), so work and rank are
 * independent.
 */

import { assertAtLeast } from './assertions.ts';
import { filteredTopProbability } from './filtered-odds.ts';
import { laplace } from './laplace.ts';

/** A network and an adversary that makes a number of attempts. */
export interface Forging {
  /** n, at least 1. */
  readonly honest: number;
  /** N, an integer in 0..2^60. */
  readonly attempts: number;
  /** c, the bits of the puzzle, in 0..256. */
  readonly difficultyBits: number;
  /**
   * Attempts if this share of all IDs is above the highest honest one, which the adversary knows. By default N, whatever
   * the share. With fewer IDs above it, fewer puzzles are evaluated, and the same work makes more attempts.
   */
  readonly attemptsAt?: ((share: number) => number) | undefined;
  /** The part of these attempts that judged adversaries make. By default all. */
  readonly partAt?: ((share: number) => number) | undefined;
}

/** An adversary that may stop before its attempts are used up. */
export interface CappedForging extends Forging {
  /** M: the adversary stops when it has this many valid identities. Unlimited if undefined. */
  readonly identitiesMax?: number | undefined;
}

/** A network and a fixed number k of forged identities. */
export interface Population {
  readonly honest: number;
  readonly forged: number;
}

/**
 * P(top) = E[K/(n+K)], to about 1e-14 relative. With k/(n+k) = 1 − n∫₀¹ t^(n+k−1) dt and t = e^(−u/n)
 * it is ∫₀^∞ e^(−u) (1 − (1 − p(1 − e^(−u/n)))^N) du, whose integrand is never negative, so
 * nothing cancels however small or large the result is.
 */
export function topProbability(forging: Forging): number {
  const { honest, attempts, difficultyBits, attemptsAt } = forging;
  if (attemptsAt !== undefined) return filteredTopProbability({ ...forging, attemptsAt });
  assertAtLeast('honest', honest, 1);
  assertAtLeast('attempts', attempts, 0);
  assertAtLeast('difficultyBits', difficultyBits, 0);
  const validProbability = 2 ** -difficultyBits;
  // Rounding can make the sum of the integration rule greater than 1.
  const probability = laplace((u) => {
    const lost = validProbability * Math.expm1(-u / honest);
    // log1p(−1) is −∞, and 0 times that is NaN.
    return attempts === 0 ? 0 : -Math.expm1(attempts * Math.log1p(lost));
  });
  return Math.min(1, probability);
}

export interface TiedForging {
  /** n, at least 1 and at most V. */
  readonly honest: number;
  /** V. */
  readonly ids: number;
  /** Probability that a key has one of these IDs. */
  readonly share: number;
  /** Attempts of the adversaries that register before the judged ones, of these, and of those after. */
  readonly attempts: { readonly before: number; readonly own: number; readonly later: number };
}

/** Terms of the sum. If it is longer, fewer than one of 10^5 runs tie. */
const TERMS_MAX = 2 ** 22;
/** The sum ends where its terms are below e^-45. */
const EXPONENT_MAX = 45;

/**
 * Where keys share IDs, n honest nodes have different ones of the V that satisfy the puzzle, and the ID of a tie is
 * taken. The probabilities that the best key of the judged adversaries is above all others (`above`), and that it has
 * the highest honest ID (`equal`). With g the number of IDs above all honest ones, `above` is the sum over j ≥ 1 of
 * P(g ≥ j) P(no adversary has one of the top j − 1 IDs, and the judged ones are the first to have the next one), to
 * about 1e-12. Null if the sum is too long.
 */
export function tiedTop({
  honest,
  ids,
  share,
  attempts,
}: TiedForging): { readonly above: number; readonly equal: number } | null {
  const all = attempts.before + attempts.own + attempts.later;
  if (attempts.own === 0) return { above: 0, equal: 0 };
  // Every ID of 2^bits is as likely.
  const chance = share / ids;
  const last = Math.min(ids, Math.ceil((EXPONENT_MAX * ids) / (honest + all * share)));
  if (last > TERMS_MAX) return null;
  let [above, equal, reached] = [0, 0, 1];
  for (let id = 1; id <= last && reached > 0; id += 1) {
    const [missed, missing] = [Math.log1p(-chance * (id - 1)), Math.log1p(-chance * id)];
    const first =
      Math.exp((all - attempts.before) * missed + (attempts.before && attempts.before * missing)) *
      -Math.expm1(attempts.own * (missing - missed));
    const next = (reached * (ids - id + 1 - honest)) / (ids - id + 1);
    above += next * first;
    equal += (reached - next) * first;
    reached = next;
  }
  return { above, equal };
}

/** The probability that the `ranks` highest IDs are all forged: Π (k−i)/(n+k−i), i < ranks. */
export function topRanksProbability({ honest, forged }: Population, ranks: number): number {
  // With more ranks than IDs the product has a factor of 0/0.
  if (ranks > forged) return 0;
  let probability = 1;
  for (let taken = 0; taken < ranks; taken += 1) {
    probability *= (forged - taken) / (honest + forged - taken);
  }
  return probability;
}

/**
 * A difficulty that keeps P(top) at or below `probability` for N attempts: log2(N(1−ε)/(nε)). It follows
 * from the upper bound λ/(n+λ), λ = N·2^-c (Jensen's inequality).
 */
export function safeDifficultyBits(
  { honest, attempts }: Pick<Forging, 'honest' | 'attempts'>,
  probability: number,
): number {
  return Math.log2((attempts * (1 - probability)) / (honest * probability));
}
