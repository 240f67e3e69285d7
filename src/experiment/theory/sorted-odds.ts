/**
 * @module
 * The odds of an adversary that makes its keys first, and then evaluates their puzzles from the highest ID down until the
 * first valid one.
 */

import { foundProbability } from '../../mining/odds.ts';
import type { Forging } from './closed-forms.ts';
import { topProbability } from './closed-forms.ts';
import type { BoundedWork } from './filtered-odds.ts';

/** The keys of such an adversary, and the evaluations that it pays for. */
export interface SortedWork {
  readonly keys: number;
  readonly evaluations: number;
}

type Network = Pick<Forging, 'honest' | 'difficultyBits'>;

/** Limit of the terms in the sum over tests. A longer sum takes seconds. */
export const STOCK_TESTS_MAX = 2 ** 26;
const NEGLIGIBLE = 1e-16;

/**
 * P(it has the top rank). Key j is the first valid one with probability p(1−p)^(j−1), and leads if the j highest IDs of all
 * are among its N keys: Σ p(1−p)^(j−1) Π_{i<j} (N−i)/(n+N−i), j ≤ T. For T = N that is E[K/(n+K)], K ~ Bin(N, p). The
 * difference for T < N is at most (1−p)^T.
 */
export function sortedTopProbability(
  { keys, evaluations }: SortedWork,
  { honest, difficultyBits }: Network,
): number {
  const validProbability = 2 ** -difficultyBits;
  if (1 - foundProbability(validProbability, evaluations) < NEGLIGIBLE) {
    return topProbability({ honest, difficultyBits, attempts: keys });
  }
  if (evaluations > STOCK_TESTS_MAX) {
    throw new RangeError(`"evaluations" expected at most ${STOCK_TESTS_MAX}, got ${evaluations}`);
  }
  let sum = 0;
  // The probability that a test happens, and that all higher IDs are among the keys.
  let reached = 1;
  for (let test = 0; test < evaluations && reached > NEGLIGIBLE; test += 1) {
    reached *= (keys - test) / (honest + keys - test);
    sum += validProbability * reached;
    reached *= 1 - validProbability;
  }
  return sum;
}

/** More evaluations than this many times 1/p are never worth their hashes. */
const EVALUATIONS_WORTH = 32;

/** The keys and evaluations of a budget that win most often. `keysMax` bounds the keys. */
export function sortedWork(
  { most, key, puzzle }: BoundedWork,
  keysMax: number,
  network: Network,
): SortedWork {
  const workOf = (evaluations: number) => {
    const keys = Math.min(keysMax, Math.floor((most - evaluations * puzzle) / key));
    return { keys, evaluations };
  };
  const inTurn = Math.min(keysMax, Math.floor(most / (key + puzzle)));
  let low = Math.min(1, inTurn);
  let high = Math.min(inTurn, Math.ceil(EVALUATIONS_WORTH * 2 ** network.difficultyBits));
  const oddsOf = (evaluations: number) => sortedTopProbability(workOf(evaluations), network);
  // The probability rises up to one number of evaluations, and falls after it.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (oddsOf(middle) < oddsOf(middle + 1)) low = middle + 1;
    else high = middle;
  }
  return workOf(low);
}
