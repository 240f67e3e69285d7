/**
 * @module
 * Computes how many of its valid keys an adversary registers if ranks are drawn and it wants to lead more epochs than its
 * share of the identities. Each claim is a bet on the epochs in which it counts. A dynamic program finds the best bet. Its
 * states are the epochs led so far minus the sum of the shares, and the claims that count. It assumes that each later window
 * draws its keys anew. If there are many states, it compares fewer numbers, and assumes that all claims end with the newest.
 */

import type { Trials } from '../theory/binomial-odds.ts';
import { binomialTail } from '../theory/binomial-odds.ts';
import type { Spending } from '../theory/epoch-conduct.ts';
import { affordable, isPuzzleSalted, windowBudget } from '../theory/epoch-conduct.ts';

/** What an adversary knows in a window. */
interface Standing {
  readonly epoch: number;
  /** Number of epochs that it has led, minus the sum of its shares of the identities. */
  readonly ahead: number;
  /** Epoch of registration of each of its claims that count. */
  readonly registered: readonly number[];
  /** Further valid keys that it can register. */
  readonly keys: number;
  /** Honest claims. */
  readonly honest: number;
}

/** Returns the number of keys to register. */
export type Quota = (standing: Standing) => number;

export interface Bets extends Spending {
  readonly stockKeys: number;
  readonly difficultyBits: number;
  /** Number of beacons among which it chooses. */
  readonly beacons: number;
  /** Honest nodes that join in each epoch. */
  readonly newcomers: number;
}

interface Moment {
  readonly epoch: number;
  /** Number of epochs led, minus the sum of the shares. */
  readonly ahead: number;
  /** Own claims by the number of further epochs in which they count. */
  readonly claims: readonly number[];
  readonly honest: number;
}

interface Precision {
  /** Number of last epochs in which it registers keys. It registers none before them. */
  readonly horizon: number;
  /** All numbers of claims up to `all` are compared. Above it, each compared number is `factor` times the one before. */
  readonly all: number;
  readonly factor: number;
  /** Number of cells for one epoch that is led. Sums that round to the same cell have one value. */
  readonly cells: number;
  /** Whether all claims are taken as if they ended with the newest. */
  readonly isMerged: boolean;
}

const NEGLIGIBLE = 1e-9;
const CLAIMS_MAX = 2 ** 20;
/** Largest number of courses of a game that the program goes through one by one. */
const COURSES_MAX = 2 ** 17;

/** Maps the largest number of keys in a window to the number of last epochs whose sums are few enough. */
const FEW_KEYS_HORIZON: ReadonlyMap<number, number> = new Map([
  [1, 100],
  [2, 40],
  [3, 20],
]);

function precisionOf({ epochs, lifetimeEpochs }: Bets, keysMax: number): Precision {
  const isExact = (2 * keysMax + 2) ** epochs <= COURSES_MAX;
  if (isExact) return { horizon: epochs, all: keysMax, factor: 2, cells: 2 ** 16, isMerged: false };
  const few = lifetimeEpochs === 1 ? FEW_KEYS_HORIZON.get(keysMax) : undefined;
  if (few !== undefined) {
    return {
      horizon: Math.min(epochs, few),
      all: keysMax,
      factor: 2,
      cells: 2 ** 12,
      isMerged: true,
    };
  }
  if (lifetimeEpochs !== 1)
    return { horizon: Math.min(epochs, 6), all: 4, factor: 1.5, cells: 64, isMerged: true };
  const horizon = Math.min(epochs, 10);
  return { horizon, all: 12, factor: 1.2, cells: 2 ** 18 / horizon ** 3, isMerged: true };
}

/** Returns the function that computes the best number of keys to register. */
export function sparingQuota(bets: Bets): Quota {
  const { epochs, lifetimeEpochs, beacons } = bets;
  const laws = lawsOf(bets);
  const precision = precisionOf(bets, Math.max(...laws.map(keysMaxOf)));
  const { cells, isMerged } = precision;
  const from = epochs - precision.horizon;
  const known = new Map<string, number>();
  const chanceOf = chancesOf(laws);
  // A salted puzzle gives new keys in each window. Without a salt, the claims are among all valid keys.
  const isAnew = isPuzzleSalted(bets.salt);

  function after(own: number, { epoch, ahead, claims, honest }: Moment): number {
    const old = sumOf(claims);
    const newest = Math.min(lifetimeEpochs ?? epochs, epochs - epoch) - 1;
    const all = Array.from({ length: newest + 1 }, (_, left) => {
      const added = left === newest ? own - old : 0;
      return isMerged && own > old ? (left === newest ? own : 0) : (claims[left] ?? 0) + added;
    });
    const share = own === 0 ? 0 : own / (honest + own);
    const lead = own === 0 ? 0 : 1 - (1 - share) ** beacons;
    const later = { epoch: epoch + 1, claims: all.slice(1), honest: honest + bets.newcomers };
    const next = (by: number) => value({ ...later, ahead: ahead + by - share });
    return (lead && lead * next(1)) + (lead === 1 ? 0 : (1 - lead) * next(0));
  }

  function value(moment: Moment): number {
    const { epoch, ahead, claims, honest } = moment;
    const [old, left] = [sumOf(claims), epochs - epoch];
    if (ahead > (old === 0 ? 0 : left) + NEGLIGIBLE) return 1;
    if (ahead + left <= NEGLIGIBLE) return 0;
    const key = `${epoch} ${Math.round(ahead * cells)} ${honest} ${claims}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    let best = after(old, moment);
    let mean = best;
    for (const own of comparedAbove(old, old + CLAIMS_MAX, precision)) {
      const chance = chanceOf(epoch, isAnew ? own - old : own);
      if (chance < NEGLIGIBLE) break;
      const more = Math.max(0, after(own, moment) - best);
      best += more;
      mean += more * chance;
    }
    known.set(key, mean);
    return mean;
  }

  return ({ epoch, ahead, registered, keys, honest }) => {
    if (epoch < from) return 0;
    const life = lifetimeEpochs ?? epochs;
    const claims = Array.from({ length: Math.min(life, epochs - epoch) }, (_, left) => {
      const isOf = (at: number) => Math.min(at + life, epochs) - epoch - 1 === left;
      return registered.filter(isOf).length;
    });
    const moment = { epoch, ahead, claims, honest };
    const old = registered.length;
    let [best, chosen] = [after(old, moment), old];
    for (const own of comparedAbove(old, old + keys, precision)) {
      const odds = after(own, moment);
      if (odds > best + NEGLIGIBLE) [best, chosen] = [odds, own];
    }
    return chosen - old;
  };
}

/** Returns the function that computes the probability of at least `least` keys in a window. */
function chancesOf(laws: readonly Trials[]): (epoch: number, least: number) => number {
  const tails = laws.map(() => new Map<number, number>());
  return (epoch, least) => {
    const { trials = 0, probability = 0 } = laws[epoch] ?? {};
    if (least > trials) return 0;
    const chance = tails[epoch]?.get(least) ?? binomialTail({ trials, probability }, least);
    tails[epoch]?.set(least, chance);
    return chance;
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** Yields the numbers of claims to compare, above `old` and up to `most`. */
function* comparedAbove(old: number, most: number, { all, factor }: Precision): Generator<number> {
  let next = 1;
  while (next < Math.min(most, CLAIMS_MAX)) {
    if (next > old) yield next;
    next = next < all ? next + 1 : Math.ceil(next * factor);
  }
  if (most > old) yield most;
}

/** Returns the largest number of keys that a window is likely to give. */
function keysMaxOf({ trials, probability }: Trials): number {
  const mean = trials * probability;
  return probability === 1 ? trials : Math.min(trials, Math.ceil(mean + 6 * Math.sqrt(mean) + 6));
}

/** Returns the distribution of the number of keys that the adversary can register in each window. */
function lawsOf(bets: Bets): readonly Trials[] {
  const probability = 2 ** -bets.difficultyBits;
  return testsOf(bets).map((trials) => ({ trials, probability }));
}

/** Returns the number of tests of each window that can give a key to register. */
function testsOf(bets: Bets): readonly number[] {
  const { perKey, perPuzzle } = bets.conduct.hashes;
  let kept = bets.stockKeys;
  return Array.from({ length: bets.epochs }, (_, epoch) => {
    const { attempts, hashes } = windowBudget(bets, epoch);
    if (!isPuzzleSalted(bets.salt)) {
      const work = { attempts: attempts * (epoch + 1), hashes: hashes * (epoch + 1) };
      return bets.stockKeys + affordable(work, perKey + perPuzzle);
    }
    const old = Math.min(kept, affordable({ attempts, hashes }, perPuzzle));
    const left = { attempts: attempts - old, hashes: hashes - old * perPuzzle };
    const fresh = affordable(left, perKey + perPuzzle);
    const rest = left.hashes - fresh * (perKey + perPuzzle);
    kept += fresh + affordable({ attempts: left.attempts - fresh, hashes: rest }, perKey);
    return old + fresh;
  });
}
