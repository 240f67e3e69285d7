/**
 * @module
 * An adversary under a salted puzzle: each window has a new puzzle for every key, also for those that were valid
 * or not before. What it tests, and in which order, follows from its plan.
 */

import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import { drawBinomial } from '../theory/binomial-odds.ts';
import { testsOthers, useOfWindow, wantedAbove } from '../theory/epoch-conduct.ts';
import type { Finds, Forger, ForgerPlan, Window } from './forger.ts';
import { assertMemory, drawAbove, movedBy, seenOnRing } from './forger.ts';
import { KeptKeys, validIndices } from './kept-keys.ts';
import { Purse, searchAbove } from './purse.ts';

/** What the parts of a window share. */
interface Moment {
  readonly random: Random;
  readonly purse: Purse;
  readonly difficultyBits: number;
  readonly wanted: number;
}

/** An adversary that must solve a new puzzle in every epoch. */
export function createRetester(plan: ForgerPlan, seed: Seed): Forger {
  const retester = new Retester(plan, seed);
  return seenOnRing(
    (window) => retester.forge(window),
    (by) => retester.move(by),
  );
}

class Retester {
  readonly #plan: ForgerPlan;
  readonly #seed: Seed;
  readonly #isKeeping: boolean;
  /** Whether the ID of a key decides if the adversary wants it. If not, all kept keys are equally good. */
  readonly #isPlaced: boolean;
  readonly #kept: KeptKeys;
  /** The depths of keys whose claims count. */
  readonly #claimed = new Map<number, number>();
  #number = 0;

  constructor(plan: ForgerPlan, seed: Seed) {
    this.#plan = plan;
    this.#seed = seed;
    this.#isKeeping = plan.conduct.plan !== 'fresh';
    this.#isPlaced = plan.conduct.wants !== 'many' && plan.salt === 'puzzle';
    this.#kept = new KeptKeys(createRandom(seed, 'kept'));
    if (this.#isKeeping) this.#kept.add(plan.stockKeys);
  }

  move(by: number): void {
    for (const [key, depth] of this.#claimed) this.#claimed.set(key, movedBy(depth, by));
    this.#kept.move(by);
  }

  forge({ epoch, difficultyBits, budget, registered, region, wanted }: Window): Finds {
    const { share } = region;
    for (const [key, depth] of this.#claimed) {
      if (registered.has(key)) continue;
      this.#claimed.delete(key);
      if (!this.#isKeeping) continue;
      if (this.#isPlaced) this.#kept.put(depth);
      else this.#kept.add(1);
    }
    const { hashes } = this.#plan.conduct;
    const purse = new Purse(budget, hashes);
    const random = createRandom(this.#seed, 'retester', epoch);
    const moment = { random, purse, difficultyBits, wanted: wanted ?? Number.POSITIVE_INFINITY };
    const use = useOfWindow(this.#plan, epoch);
    const found: number[] = [];
    if (use === 'above') {
      const own = [...this.#claimed.values()].filter((depth) => depth < share).length;
      found.push(...this.#reach(moment, share, wantedAbove(this.#plan, epoch) - own));
    }
    if (use === 'all') found.push(...this.#retest(moment));
    // If attempts alone are bounded, the test of a new key costs nothing more.
    if (use === 'all' || (use === 'hoard' && hashes.perWindow === Number.POSITIVE_INFINITY)) {
      found.push(...this.#searchNew({ ...moment, wanted: moment.wanted - found.length }));
    }
    if (this.#isKeeping && wanted === undefined) this.#hoard(purse);
    const candidates = found.map((depth) => {
      this.#number += 1;
      this.#claimed.set(this.#number, depth);
      return { key: this.#number, depth };
    });
    return { candidates, work: purse.spent };
  }

  /** Tests kept keys, the highest ID first. */
  #retest(moment: Moment): readonly number[] {
    const { random, purse, difficultyBits } = moment;
    const { perPuzzle } = this.#plan.conduct.hashes;
    const tests = Math.min(this.#kept.size, purse.affordable(perPuzzle));
    assertMemory(tests * 2 ** -difficultyBits);
    if (this.#isPlaced && this.#plan.conduct.wants === 'top') {
      purse.pay({ tested: tests });
      return this.#kept.takeFromTop(validIndices(random, tests, difficultyBits));
    }
    const { valid, tested } = validOf(moment, tests);
    purse.pay({ tested });
    this.#kept.drop(valid);
    return Array.from({ length: valid }, () => random.unit());
  }

  /** Makes and tests new keys. Returns the depths of the valid ones. */
  #searchNew(moment: Moment): readonly number[] {
    const { random, purse } = moment;
    const { perKey, perPuzzle } = this.#plan.conduct.hashes;
    const { valid, tested } = validOf(moment, purse.affordable(perKey + perPuzzle));
    purse.pay({ made: tested, tested });
    assertMemory(valid);
    if (this.#isKeeping) this.#kept.add(tested - valid);
    return Array.from({ length: valid }, () => random.unit());
  }

  /** Makes new keys for later windows. */
  #hoard(purse: Purse): void {
    const made = purse.affordable(this.#plan.conduct.hashes.perKey);
    purse.pay({ made });
    this.#kept.add(made);
  }

  /** Tests kept keys above a depth, then new ones, until `wanted` of them are valid. */
  #reach({ random, purse, difficultyBits }: Moment, share: number, wanted: number): number[] {
    const prices = this.#plan.conduct.hashes;
    const most = purse.affordable(prices.perPuzzle);
    const test = { most, wanted, validBits: difficultyBits, random };
    const { valid, tests } = this.#kept.testAbove(share, test);
    const found = [...valid];
    purse.pay({ tested: tests });
    const validProbability = 2 ** -difficultyBits;
    const missing = wanted - found.length;
    const make = drawAbove(random, share, validProbability);
    const made = searchAbove(purse, { wanted: missing, prices, make });
    this.#kept.add(made.failed, 0, share);
    const free = testsOthers(this.#plan) ? drawBinomial(random, made.below, validProbability) : 0;
    this.#kept.add(made.below - free, share, 1);
    assertMemory(made.valid + free);
    for (let count = 0; count < free; count += 1) found.push(share + (1 - share) * random.unit());
    for (let count = 0; count < made.valid; count += 1) found.push(share * random.unit());
    return found;
  }
}

/** Draws the number of valid keys among those that are tested. The tests end with the last wanted one. */
function validOf({ random, difficultyBits, wanted }: Moment, most: number) {
  if (wanted === Number.POSITIVE_INFINITY) {
    return { valid: drawBinomial(random, most, 2 ** -difficultyBits), tested: most };
  }
  let [valid, tested] = [0, 0];
  for (const index of wanted > 0 ? validIndices(random, most, difficultyBits) : []) {
    [valid, tested] = [valid + 1, index];
    if (valid === wanted) return { valid, tested };
  }
  return { valid, tested: wanted > 0 ? most : 0 };
}
