/**
 * @module
 * The identities of an adversary over epochs, drawn instead of mined. If the puzzle is not salted, a valid key
 * stays valid, so tests add up. If it is, every epoch begins anew, and keys in stock are tested from the
 * highest ID down. A key is known by its number. Its ID is a depth, the share of all IDs that are higher,
 * uniform in [0, 1): near 0, where the highest IDs are, doubles are most precise.
 */

import { LabError } from '../../errors.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import { drawBinomial } from '../theory/binomial-odds.ts';

export interface Preparation {
  /** Keys made before the first window, an integer of at least 0. */
  readonly stockKeys: number;
  /** Keys that can be tested in one window, an integer of at least 0. */
  readonly testsPerWindow: number;
}

/** A key whose ID satisfies the puzzle of a window. */
export interface Candidate {
  readonly key: number;
  readonly depth: number;
  /** False if its solution was presented in an earlier epoch. */
  readonly isNew: boolean;
}

/** A window of registration. `registered` contains the keys whose claims still count. */
export interface Window {
  readonly epoch: number;
  readonly difficultyBits: number;
  readonly registered: ReadonlySet<number>;
}

/** Returns the keys that can be registered in a window. It is called in the order of epochs. */
export type Forger = (window: Window) => readonly Candidate[];

/** Limit of the identities, and of the keys in stock, in memory. */
const FORGER_KEYS_MAX = 2 ** 20;

/** An adversary whose valid keys stay valid: it registers each that has the bits of the epoch. */
export function createGrinder(preparation: Preparation, seed: Seed): Forger {
  const pool: { key: number; depth: number; bits: number; isNew: boolean }[] = [];
  let tested = 0;
  // Of all tested keys, only those with at least this number of bits were drawn.
  let leastBits = Number.POSITIVE_INFINITY;
  const add = (random: Random, count: number, bits: { least: number; below: number }) => {
    assertMemory(pool.length + count);
    for (let index = 0; index < count; index += 1) {
      const found = drawBits(random, bits);
      pool.push({ key: pool.length, depth: random.unit(), bits: found, isNew: true });
    }
  };
  return ({ epoch, difficultyBits, registered }) => {
    const random = createRandom(seed, 'grinder', epoch);
    const made = epoch === 0 ? preparation.stockKeys : 0;
    if (difficultyBits < leastBits) {
      // Some of the keys with too few bits are valid now.
      const [missed, all] = [2 ** -leastBits, 2 ** -difficultyBits];
      const chance = (all - missed) / (1 - missed);
      const found = drawBinomial(random, tested - pool.length, chance);
      add(random, found, { least: difficultyBits, below: leastBits });
      leastBits = difficultyBits;
    }
    const fresh = made + preparation.testsPerWindow;
    const found = drawBinomial(random, fresh, 2 ** -leastBits);
    add(random, found, { least: leastBits, below: Number.POSITIVE_INFINITY });
    tested += fresh;
    const good = pool.filter(({ key, bits }) => bits >= difficultyBits && !registered.has(key));
    const candidates = good.map(({ key, depth, isNew }) => ({ key, depth, isNew }));
    for (const key of good) key.isNew = false;
    return candidates;
  };
}

/** An adversary that must solve a new puzzle in every epoch, for its highest IDs first. */
export function createRetester(preparation: Preparation, seed: Seed): Forger {
  const { stockKeys, testsPerWindow } = preparation;
  const depthOf = createStock(stockKeys, seed);
  // New keys are numbered from here on. They are not kept.
  let freshKey = stockKeys;
  return ({ epoch, difficultyBits, registered }) => {
    const random = createRandom(seed, 'retester', epoch);
    const untested = [...registered].filter((key) => key < stockKeys).sort((a, b) => a - b);
    const found: Candidate[] = [];
    let test = drawGap(random, difficultyBits) - 1;
    while (test < testsPerWindow) {
      assertMemory(found.length + 1);
      let key = test;
      // A key whose claim still counts is not tested.
      for (const other of untested) if (other <= key) key += 1;
      if (key < stockKeys) {
        found.push({ key, depth: depthOf(key), isNew: true });
      } else {
        found.push({ key: freshKey, depth: random.unit(), isNew: true });
        freshKey += 1;
      }
      test += drawGap(random, difficultyBits);
    }
    return found;
  };
}

/** The depth of each key of the stock by its index, the highest ID first. Depths are drawn when needed. */
function createStock(stockKeys: number, seed: Seed): (index: number) => number {
  const random = createRandom(seed, 'stock');
  const depths: number[] = [];
  let last = 0;
  return (index) => {
    assertMemory(index + 1);
    while (depths.length <= index) {
      // The least of the remaining uniform values above the last one.
      const remaining = stockKeys - depths.length;
      last += (1 - last) * -Math.expm1(Math.log1p(-random.unit()) / remaining);
      depths.push(last);
    }
    return depths[index] ?? last;
  };
}

/** Number of tests up to and including the next success. It is geometric. */
function drawGap(random: Random, difficultyBits: number): number {
  return 1 + Math.floor(Math.log1p(-random.unit()) / Math.log1p(-(2 ** -difficultyBits)));
}

/** Draws the zero bits of a hash with at least `least` and fewer than `below`. */
export function drawBits(
  random: Random,
  { least, below }: { readonly least: number; readonly below: number },
): number {
  const kept = -Math.expm1(Math.LN2 * (least - below));
  return Math.min(below - 1, least + Math.floor(-Math.log2(1 - kept * random.unit())));
}

function assertMemory(keys: number): void {
  if (keys <= FORGER_KEYS_MAX) return;
  throw new LabError(
    'job.size',
    `the adversary would hold more than ${FORGER_KEYS_MAX} keys; raise the bits or lower its keys`,
  );
}
