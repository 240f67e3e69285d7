/**
 * @module
 * The identities of an adversary over epochs, drawn instead of mined. This file is about a puzzle without a salt:
 * a valid key stays valid, so tests add up. `retester.ts` is about a salted one. A key is known by its number.
 * Its ID is a depth, the share of all IDs that are higher, uniform in [0, 1): near 0, where the highest IDs are,
 * doubles are most precise.
 */

import { LabError } from '../../errors.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import { drawBinomial } from '../theory/binomial-odds.ts';
import type { Spending, Spent, Work } from '../theory/epoch-conduct.ts';
import { useOfWindow, wantedAbove } from '../theory/epoch-conduct.ts';
import { KeptKeys } from './kept-keys.ts';
import { Purse, searchAbove } from './purse.ts';

export interface ForgerPlan extends Spending {
  /** Keys made before the first window, an integer of at least 0. */
  readonly stockKeys: number;
}

/** A distance from the beginning of a region after that beginning has moved by `by`. All IDs form a ring of length 1. */
export function movedBy(distance: number, by: number): number {
  return distance >= by ? distance - by : distance + (1 - by);
}

/** A key whose ID satisfies the puzzle of a window. */
export interface Candidate {
  readonly key: number;
  readonly depth: number;
  /** Zero bits, if the puzzle has no salt. */
  readonly bits?: number;
  /** Only of mined identities. */
  readonly nodeId?: Uint8Array;
}

/** A window of registration. `registered` contains the keys whose claims still count. */
export interface Window {
  readonly epoch: number;
  readonly difficultyBits: number;
  readonly budget: Work;
  readonly registered: ReadonlySet<number>;
  readonly region: Region;
  /** Number of valid keys after which it ends its work in a window, and saves the rest. */
  readonly wanted?: number;
  /** Returns how many of this number of valid keys it presents. */
  readonly choose?: (keys: number) => number;
}

/** The IDs that an adversary wants: those above every honest one, or those from a victim up to the next honest one. */
export interface Region {
  /** The share of all IDs that are in the region; 1 if there is no honest ID. */
  readonly share: number;
  /** The depth of the victim. Null for the IDs above every honest one. */
  readonly origin: number | null;
}

/** The distance of an ID from the beginning of a region, as a share of all IDs. For a distance it returns the ID. */
export function seenFrom({ origin }: Region, depth: number): number {
  if (origin === null) return depth;
  return depth > origin ? origin - depth + 1 : origin - depth;
}

/**
 * A forger that stores each key by its distance from the beginning of the region (`seenFrom`). `move` is called when the
 * beginning moves, with the distance from the old beginning to the new one.
 */
export function seenOnRing(forge: Forger, move: (distance: number) => void): Forger {
  let last: Region | null = null;
  return (window) => {
    const { region } = window;
    if (last !== null && last.origin !== region.origin) move(seenFrom(last, region.origin ?? 0));
    last = region;
    const { candidates, work } = forge(window);
    const placed = candidates.map((each) => ({ ...each, depth: seenFrom(region, each.depth) }));
    return { candidates: placed, work };
  };
}

/** What an adversary finds in a window, and the work of it. */
export interface Finds {
  readonly candidates: readonly Candidate[];
  readonly work: Spent;
}

/** Returns the keys that can be registered in a window. It is called in the order of epochs. */
export type Forger = (window: Window) => Finds;

export interface Identity {
  /** The share of all IDs that are higher, in [0, 1]. */
  readonly depth: number;
  /** Zero bits of the ID, which decide whether a claim can be renewed if the puzzle is not salted. */
  readonly bits: number;
  /** Only of mined identities. */
  readonly nodeId?: Uint8Array;
}

/** What an honest node spends in a window, and its identity; null if its attempts were not enough. */
export interface Application {
  readonly spent: Spent;
  readonly identity: Identity | null;
}

export interface Identities {
  /**
   * The honest nodes of a window. The function is called for each of them, in the order of their numbers, and the
   * result for those that need an identity.
   */
  applications(window: {
    readonly epoch: number;
    readonly difficultyBits: number;
  }): (node: number) => () => Application;
  readonly forger: Forger;
  /** The function that gives each identity its depth under a beacon of an epoch. */
  underBeacon(epoch: number, beacon: number): (identity: Identity) => number;
}

/** Limit of the identities, and of the keys in stock, in memory. */
const FORGER_KEYS_MAX = 2 ** 20;

/** An adversary whose valid keys stay valid: it registers each that has the bits of the epoch. */
export function createGrinder(plan: ForgerPlan, seed: Seed): Forger {
  const prices = plan.conduct.hashes;
  const price = prices.perKey + prices.perPuzzle;
  const pool: { key: number; depth: number; bits: number }[] = [];
  // Keys whose IDs did not matter yet. They may matter after an honest node has left.
  const untested = new KeptKeys(createRandom(seed, 'untested'));
  let tested = 0;
  // Of all tested keys, only those with at least this number of bits were drawn.
  let leastBits = Number.POSITIVE_INFINITY;
  // Work on a key that the next window ends.
  let begun = 0;
  const add = (random: Random, count: number, bits: { least: number; below: number }, top = 1) => {
    assertMemory(pool.length + count);
    for (let index = 0; index < count; index += 1) {
      const found = drawBits(random, bits);
      pool.push({ key: pool.length, depth: top * random.unit(), bits: found });
    }
  };
  const forge: Forger = ({ epoch, difficultyBits, budget, registered, region }) => {
    const random = createRandom(seed, 'grinder', epoch);
    if (difficultyBits < leastBits) {
      // Some of the keys with too few bits are valid now.
      const [missed, all] = [2 ** -leastBits, 2 ** -difficultyBits];
      const chance = (all - missed) / (1 - missed);
      const found = drawBinomial(random, tested - pool.length, chance);
      add(random, found, { least: difficultyBits, below: leastBits });
      leastBits = difficultyBits;
    }
    const bits = { least: leastBits, below: Number.POSITIVE_INFINITY };
    const validProbability = 2 ** -leastBits;
    const purse = new Purse({ ...budget, hashes: budget.hashes + begun }, prices);
    const made = epoch === 0 ? plan.stockKeys : 0;
    const isAbove = useOfWindow(plan, epoch) === 'above';
    const fresh = isAbove ? 0 : purse.affordable(price);
    purse.pay({ made: fresh, tested: fresh });
    add(random, drawBinomial(random, made + fresh, validProbability), bits);
    tested += made + fresh;
    if (isAbove) {
      const { share } = region;
      const own = pool.filter(({ depth }) => depth < share).length;
      const wanted = wantedAbove(plan, epoch) - own;
      const most = purse.affordable(prices.perPuzzle);
      const kept = untested.testAbove(share, { most, wanted, validBits: leastBits, random });
      untested.dropFromTop(kept.tests - kept.valid.length);
      purse.pay({ tested: kept.tests });
      for (const depth of kept.valid) {
        pool.push({ key: pool.length, depth, bits: drawBits(random, bits) });
      }
      const make = drawAbove(random, share, validProbability);
      const made = searchAbove(purse, { wanted: wanted - kept.valid.length, prices, make });
      add(random, made.valid, bits, share);
      if (plan.isChanging) untested.add(made.below, share, 1);
    }
    begun = purse.left.hashes < price ? purse.left.hashes : 0;
    const good = pool.filter((each) => each.bits >= difficultyBits && !registered.has(each.key));
    const candidates = good.map(({ key, depth }) => ({ key, depth }));
    return { candidates, work: purse.spent };
  };
  return seenOnRing(forge, (by) => {
    for (const key of pool) key.depth = movedBy(key.depth, by);
    untested.move(by);
  });
}

/** An adversary that counts its valid keys by their zero bits, and presents those with the fewest first, each once. */
export function createHolder(plan: ForgerPlan, seed: Seed): Forger {
  const prices = plan.conduct.hashes;
  const price = prices.perKey + prices.perPuzzle;
  const held: number[] = [];
  let [presented, begun] = [0, 0];
  return ({ epoch, difficultyBits, budget, choose }) => {
    const random = createRandom(seed, 'holder', epoch);
    const purse = new Purse({ ...budget, hashes: budget.hashes + begun }, prices);
    const fresh = purse.affordable(price);
    purse.pay({ made: fresh, tested: fresh });
    begun = purse.left.hashes < price ? purse.left.hashes : 0;
    let left = fresh + (epoch === 0 ? plan.stockKeys : 0);
    for (let bits = 0; left > 0; bits += 1) {
      const own = drawBinomial(random, left, 1 / 2);
      held[bits] = (held[bits] ?? 0) + own;
      left -= own;
    }
    const valid = held.slice(difficultyBits).reduce((sum, keys) => sum + keys, 0);
    const wanted = Math.min(valid, choose?.(valid) ?? valid);
    assertMemory(wanted);
    const candidates: Candidate[] = [];
    for (let bits = difficultyBits; candidates.length < wanted; bits += 1) {
      const own = Math.min(held[bits] ?? 0, wanted - candidates.length);
      held[bits] = (held[bits] ?? 0) - own;
      for (let index = 0; index < own; index += 1) {
        candidates.push({ key: presented, depth: random.unit(), bits });
        presented += 1;
      }
    }
    return { candidates, work: purse.spent };
  };
}

/** Draws how many of new keys are above a depth, with this share of all IDs, and how many of those are valid. */
export function drawAbove(random: Random, share: number, validProbability: number) {
  return (keys: number) => {
    const above = drawBinomial(random, keys, share);
    return { above, valid: drawBinomial(random, above, validProbability) };
  };
}

/** Draws the zero bits of a hash with at least `least` and fewer than `below`. */
export function drawBits(
  random: Random,
  { least, below }: { readonly least: number; readonly below: number },
): number {
  const kept = -Math.expm1(Math.LN2 * (least - below));
  return Math.min(below - 1, least + Math.floor(-Math.log2(1 - kept * random.unit())));
}

export function assertMemory(keys: number): void {
  if (keys <= FORGER_KEYS_MAX) return;
  throw new LabError(
    'job.size',
    `the adversary would hold more than ${FORGER_KEYS_MAX} keys; raise the bits or lower its keys`,
  );
}
