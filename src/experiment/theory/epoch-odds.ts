/**
 * @module
 * What preparing is worth, by what a beacon salts. Timeline of an epoch: the challenge opens a window
 * of registration; whatever has met the puzzle when it closes is committed; then the beacon of the
 * ranks is drawn, so that nobody can register for it. A salt in the puzzle alone does not protect the
 * top rank: the highest IDs in stock are tested first. A salt in the rank draws the winner anew in
 * every epoch; only both together make keys in stock worthless beyond the tests of the window.
 */

import { foundProbability } from '../../mining/odds.ts';
import { assertInteger } from './assert-integer.ts';
import { topProbability } from './closed-forms.ts';
import type { Fraction } from './fraction.ts';
import { complement, fraction, power, times, ZERO } from './fraction.ts';

/** What depends on the epoch, nothing first. */
export const SALTS = ['none', 'puzzle', 'rank', 'both'] as const;

export type Salt = (typeof SALTS)[number];

/** One epoch, and an adversary that may have prepared for it. */
export interface EpochForging {
  /** n, at least 1. */
  readonly honest: number;
  readonly difficultyBits: number;
  /** Keys made before the window. Where the puzzle is not salted they were tested as well. */
  readonly stockKeys: number;
  /** Keys that it can test in the window: those in stock from the highest ID down, then fresh ones. */
  readonly windowTests: number;
  readonly salt: Salt;
}

/** Terms of the sum over tests; a longer one takes seconds. */
export const STOCK_TESTS_MAX = 2 ** 26;

/** The beacons that one adversary can choose from are 2^t for t up to this. */
export const REVEAL_CHOICES_MAX = 16;

export function isPuzzleSalted(salt: Salt): boolean {
  return salt === 'puzzle' || salt === 'both';
}

export function isRankSalted(salt: Salt): boolean {
  return salt === 'rank' || salt === 'both';
}

/** P(the adversary has the top rank of the epoch), to about 1e-14. */
export function epochTopProbability(forging: EpochForging): number {
  const { honest, difficultyBits, stockKeys, windowTests, salt } = forging;
  switch (salt) {
    case 'none':
    case 'rank':
      return topProbability({ honest, difficultyBits, attempts: stockKeys + windowTests });
    case 'puzzle':
      if (windowTests < stockKeys) return stockTopProbability(forging);
      return topProbability({ honest, difficultyBits, attempts: windowTests });
    case 'both':
      return topProbability({ honest, difficultyBits, attempts: windowTests });
    default:
      return salt satisfies never;
  }
}

/**
 * A stock of S keys is tested from the top, T < S of them. The j-th is the first that is valid with
 * probability p(1−p)^(j−1), and leads if the j highest IDs of all are in stock:
 * Σ p(1−p)^(j−1) Π_{i<j} (S−i)/(n+S−i), j ≤ T. For T = S that is E[K/(n+K)], K ~ Bin(S, p); the tests
 * that are missing take off no more than (1−p)^T.
 */
function stockTopProbability(forging: EpochForging): number {
  const { honest, difficultyBits, stockKeys, windowTests } = forging;
  const validProbability = 2 ** -difficultyBits;
  if (1 - foundProbability(validProbability, windowTests) < NEGLIGIBLE) {
    return topProbability({ honest, difficultyBits, attempts: stockKeys });
  }
  if (windowTests > STOCK_TESTS_MAX) {
    throw new RangeError(`"windowTests" expected at most ${STOCK_TESTS_MAX}, got ${windowTests}`);
  }
  let sum = 0;
  // That test j takes place, fails to be the last, and finds only IDs of the stock above it.
  let reached = 1;
  for (let test = 0; test < windowTests; test += 1) {
    reached *= (stockKeys - test) / (honest + stockKeys - test);
    sum += validProbability * reached;
    reached *= 1 - validProbability;
  }
  return sum;
}

const NEGLIGIBLE = 1e-16;

/** E epochs, in each of which the adversary holds the share q = k/(n+k) of the committed IDs. */
export interface EpochSeries {
  readonly share: Fraction;
  readonly epochs: number;
  /** One draw for ever where it is false; where it is true, one for each epoch. */
  readonly rankSalted: boolean;
}

/** P(the adversary has the top rank in exactly `wins` of the epochs): Bin(E, q), or all or nothing. */
export function epochWins({ share, epochs, rankSalted }: EpochSeries, wins: number): Fraction {
  if (!(wins >= 0 && wins <= epochs)) return ZERO;
  if (!rankSalted) {
    if (wins === epochs) return share;
    return wins === 0 ? complement(share) : ZERO;
  }
  let choices = 1n;
  for (let index = 0; index < wins; index += 1) {
    choices = (choices * BigInt(epochs - index)) / BigInt(index + 1);
  }
  const pattern = times(power(share, wins), power(complement(share), epochs - wins));
  return times(fraction(choices, 1), pattern);
}

/** The variance of the wins, Eq(1−q) salted and E²q(1−q) not; the mean is Eq either way. */
export function epochWinsVariance({ share, epochs, rankSalted }: EpochSeries): Fraction {
  const scale = rankSalted ? epochs : epochs ** 2;
  return times(fraction(scale, 1), times(share, complement(share)));
}

/**
 * P(the adversary has the top rank) where it reveals last and may withhold t contributions to the
 * beacon, each independently: it sees 2^t beacons and takes one that suits it, 1 − (1−q)^(2^t).
 */
export function lastRevealerTop(share: Fraction, choices: number): Fraction {
  assertInteger('choices', choices, { least: 0, most: REVEAL_CHOICES_MAX });
  return complement(power(complement(share), 2 ** choices));
}
