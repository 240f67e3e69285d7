/**
 * @module
 * The value of preparation under each use of a beacon. Timeline of an epoch: the challenge opens a window
 * of registration. When it closes, the IDs that have met the puzzle are committed. Then the beacon of
 * the ranks is drawn. A salt in the puzzle alone does not protect the top rank: the highest IDs in stock
 * are tested first. A salt in the rank draws the winner again in every epoch. Only both together make
 * keys in stock worth no more than the tests of the window.
 */

import { foundProbability } from '../../mining/odds.ts';
import { topProbability } from './closed-forms.ts';

/** What the beacon of an epoch salts. */
export const SALTS = ['none', 'puzzle', 'rank', 'both'] as const;

export type Salt = (typeof SALTS)[number];

/** One epoch and an adversary that may have prepared for it. */
export interface EpochForging {
  /** n, at least 1. */
  readonly honest: number;
  readonly difficultyBits: number;
  /** Keys made before the window. If the puzzle is not salted they were also tested. */
  readonly stockKeys: number;
  /** Keys that it can test in the window: first the stock from the highest ID down, then new keys. */
  readonly windowTests: number;
  readonly salt: Salt;
}

/** Limit of the terms in the sum over tests. A longer sum takes seconds. */
export const STOCK_TESTS_MAX = 2 ** 26;

/** An adversary can choose among 2^t beacons for t up to this. */
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
 * T < S keys of a stock of S are tested, from the top down. Key j is the first valid one with probability
 * p(1−p)^(j−1), and leads if the j highest IDs of all are in stock:
 * Σ p(1−p)^(j−1) Π_{i<j} (S−i)/(n+S−i), j ≤ T. For T = S that is E[K/(n+K)], K ~ Bin(S, p). The difference
 * for T < S is at most (1−p)^T.
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
  // The probability that test j happens and all higher IDs are in stock.
  let reached = 1;
  for (let test = 0; test < windowTests; test += 1) {
    reached *= (stockKeys - test) / (honest + stockKeys - test);
    sum += validProbability * reached;
    reached *= 1 - validProbability;
  }
  return sum;
}

const NEGLIGIBLE = 1e-16;
