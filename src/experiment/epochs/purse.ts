/**
 * @module
 * The budget of an adversary in one window, and the search for new keys that it pays for.
 */

import type { Random } from '../../random.ts';
import { drawBinomial } from '../theory/binomial-odds.ts';
import type { Conduct, Work } from '../theory/epoch-conduct.ts';
import { affordable } from '../theory/epoch-conduct.ts';

export class Purse {
  readonly #budget: Work;
  readonly #prices: Conduct['hashes'];
  #attempts = 0;
  #made = 0;
  #tested = 0;

  constructor(budget: Work, prices: Conduct['hashes']) {
    this.#budget = budget;
    this.#prices = prices;
  }

  get spent(): Work {
    const { perId, perPuzzle } = this.#prices;
    return { attempts: this.#attempts, hashes: this.#made * perId + this.#tested * perPuzzle };
  }

  get left(): Work {
    const { attempts, hashes } = this.#budget;
    const { perKey, perPuzzle } = this.#prices;
    const used = this.#made * perKey + this.#tested * perPuzzle;
    return { attempts: attempts - this.#attempts, hashes: hashes - used };
  }

  /** Number of keys that the rest pays for, each at this price. */
  affordable(hashesEach: number): number {
    return affordable(this.left, hashesEach);
  }

  /** Pays for new keys, and for the tests of these or of kept ones. */
  pay({ made = 0, tested = 0 }): void {
    this.#attempts += Math.max(made, tested);
    this.#made += made;
    this.#tested += tested;
  }
}

interface Search {
  /** The share of IDs above the depth. */
  readonly share: number;
  readonly validProbability: number;
  /** Number of valid keys after which the search ends. */
  readonly wanted: number;
  readonly prices: Conduct['hashes'];
}

/**
 * Makes new keys and tests those above a depth, until enough of them are valid or the purse is empty. Returns the
 * numbers of keys above that are valid, of those above that are not, and of those below.
 */
export function searchAbove(random: Random, purse: Purse, search: Search) {
  const { share, validProbability, wanted, prices } = search;
  let [valid, failed, below] = [0, 0, 0];
  for (;;) {
    // The number of keys that the purse pays for if the ID of each is above the depth.
    const made = purse.affordable(prices.perKey + prices.perPuzzle);
    if (valid >= wanted || made < 1) return { valid, failed, below };
    const above = drawBinomial(random, made, share);
    const found = drawBinomial(random, above, validProbability);
    purse.pay({ made, tested: above });
    valid += found;
    failed += above - found;
    below += made - above;
  }
}
