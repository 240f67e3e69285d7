/**
 * @module
 * The value of preparation under each use of a beacon. Timeline of an epoch: the challenge opens a window
 * of registration. When it closes, the IDs that have met the puzzle are committed. Then the beacon of
 * the ranks is drawn. A salt in the puzzle alone does not protect the top rank: the highest IDs in stock
 * are tested first. A salt in the rank draws the winner again in every epoch. Only both together make
 * keys in stock worth no more than the tests of the window.
 */

import { foundProbability } from '../../mining/odds.ts';
import type { Theory } from './answer.ts';
import { noClosedForm, topTheory } from './answer.ts';
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

/** Several epochs, and an adversary that may withhold contributions to their beacons. */
export interface Epochs extends EpochForging {
  readonly epochs: number;
  /** t: it chooses among 2^t beacons. */
  readonly revealChoices: number;
  /** Epochs in which a claim counts. Null for all. */
  readonly lifetimeEpochs: number | null;
}

/** P(the adversary has the top rank of the last epoch). */
export function lastEpochTheory(plan: Epochs): Theory {
  const { epochs, salt, stockKeys, windowTests, difficultyBits, honest } = plan;
  // A solution that does not expire is renewed with its ID.
  const isKept = !isPuzzleSalted(salt);
  if (epochs > 1 && !isKept && plan.lifetimeEpochs !== 1) {
    return noClosedForm('claims outlive the epoch of their puzzle');
  }
  if (salt === 'puzzle') {
    const formula = `sum over the tests of ${stockKeys} keys from the top down`;
    return { probability: epochTopProbability(plan), formula };
  }
  const made = salt === 'both' ? 0 : stockKeys;
  const attempts = made + (isKept ? epochs : 1) * windowTests;
  const draws = isRankSalted(salt) ? 2 ** plan.revealChoices : 1;
  return topTheory({ attempts, difficultyBits, honest }, draws);
}

/** P(the adversary has the top rank of at least one epoch). */
export function anyEpochTheory(plan: Epochs): Theory {
  const { epochs, salt, stockKeys, windowTests, difficultyBits, honest } = plan;
  const choices = 2 ** plan.revealChoices;
  if (salt === 'both' && plan.lifetimeEpochs === 1) {
    const each = topTheory({ attempts: windowTests, difficultyBits, honest }, choices);
    if (each.probability === null) return each;
    const probability = -Math.expm1(epochs * Math.log1p(-each.probability));
    return { probability, formula: `1-(1-P)^${epochs}, P = ${each.formula}` };
  }
  if (isPuzzleSalted(salt) || plan.lifetimeEpochs !== null || windowTests > 0) {
    return noClosedForm('the epochs depend on each other');
  }
  const draws = salt === 'rank' ? epochs * choices : 1;
  return topTheory({ attempts: stockKeys, difficultyBits, honest }, draws);
}
