/**
 * @module
 * The identities of an adversary over epochs, drawn instead of mined. Where the puzzle is not salted,
 * what was once found stays good, so tests add up. Where it is, every epoch begins anew, and the keys
 * in stock are tested from the highest ID down. A key is known by its number; its ID is a depth, the
 * share of all IDs that are higher, uniform in [0, 1): near the top doubles tell depths apart best.
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

/** A key whose ID meets the puzzle of a window. */
export interface Candidate {
  readonly key: number;
  readonly depth: number;
  /** False where its solution was presented in an epoch before. */
  readonly isNew: boolean;
}

/** A window of registration; of the keys in `registered` the claims still count. */
export interface Window {
  readonly epoch: number;
  readonly difficultyBits: number;
  readonly registered: ReadonlySet<number>;
}

/** Tests in a window, to be called in the order of epochs: what can be registered anew. */
export type Forger = (window: Window) => readonly Candidate[];

/** The most identities, and the most keys in stock, that are held in memory. */
const FORGER_KEYS_MAX = 2 ** 20;

/** An adversary for whom a good key stays good: it registers each that meets the bits of the day. */
export function createGrinder(preparation: Preparation, seed: Seed): Forger {
  const pool: { key: number; depth: number; bits: number; isNew: boolean }[] = [];
  let tested = 0;
  // Only keys of at least so many bits were drawn, of all that were tested.
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
      // Of the keys that were not good enough, so many are now.
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

/** An adversary that must meet a new puzzle in every epoch, with the highest IDs it has. */
export function createRetester(preparation: Preparation, seed: Seed): Forger {
  const { stockKeys, testsPerWindow } = preparation;
  const depthOf = createStock(stockKeys, seed);
  // Fresh keys are numbered from here on; they are not kept.
  let freshKey = stockKeys;
  return ({ epoch, difficultyBits, registered }) => {
    const random = createRandom(seed, 'retester', epoch);
    const untested = [...registered].filter((key) => key < stockKeys).sort((a, b) => a - b);
    const found: Candidate[] = [];
    let test = drawGap(random, difficultyBits) - 1;
    while (test < testsPerWindow) {
      assertMemory(found.length + 1);
      let key = test;
      // A key whose claim still counts is left out.
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

/** The depth of the key in place 0, 1, … of the stock, the highest ID first: drawn as far as asked. */
function createStock(stockKeys: number, seed: Seed): (place: number) => number {
  const random = createRandom(seed, 'stock');
  const depths: number[] = [];
  let last = 0;
  return (place) => {
    assertMemory(place + 1);
    while (depths.length <= place) {
      // The least of m uniform values above the last one.
      const remaining = stockKeys - depths.length;
      last += (1 - last) * -Math.expm1(Math.log1p(-random.unit()) / remaining);
      depths.push(last);
    }
    return depths[place] ?? last;
  };
}

/** Tests until the next success at so many bits, itself counted; geometric. */
function drawGap(random: Random, difficultyBits: number): number {
  return 1 + Math.floor(Math.log1p(-random.unit()) / Math.log1p(-(2 ** -difficultyBits)));
}

/** Zero bits of a hash that has at least `least` and fewer than `below`: each more is half as likely. */
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
