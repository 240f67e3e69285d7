/**
 * @module
 * The budget of an adversary in one window, and the search for new keys that it pays for.
 */

import type { Conduct, Spent, Work } from '../theory/epoch-conduct.ts';
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

  get spent(): Spent {
    const { perId, perPuzzle } = this.#prices;
    const hashes = this.#made * perId + this.#tested * perPuzzle;
    return { attempts: this.#attempts, hashes, keys: this.#made, cpuSeconds: 0 };
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
  /** Number of valid keys after which the search ends. */
  readonly wanted: number;
  readonly prices: Conduct['hashes'];
  /** Makes this number of keys, and tests those above a depth. Returns how many are above, and valid. */
  readonly make: (keys: number) => { readonly above: number; readonly valid: number };
}

/**
 * Makes new keys and tests those above a depth, until enough of them are valid or the purse is empty. Returns the
 * numbers of keys above that are valid, of those above that are not, and of those below.
 */
export function searchAbove(purse: Purse, { wanted, prices, make }: Search) {
  let [valid, failed, below] = [0, 0, 0];
  for (;;) {
    // The number of keys that the purse pays for if the ID of each is above the depth.
    const made = purse.affordable(prices.perKey + prices.perPuzzle);
    if (valid >= wanted || made < 1) return { valid, failed, below };
    const found = make(made);
    purse.pay({ made, tested: found.above });
    valid += found.valid;
    failed += found.above - found.valid;
    below += made - found.above;
  }
}
