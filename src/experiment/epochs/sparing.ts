/**
 * @module
 * Computes how many of its valid keys an adversary registers if ranks are drawn and it wants to lead more epochs than its
 * share of the identities. Each claim is a bet on the epochs in which it counts. A dynamic program finds the best bet. Its
 * states are the epochs led so far minus the sum of the shares, and the claims that count. It assumes that each later window
 * draws its keys anew. `gridded.ts` does the same for large games, and for a budget that can be saved.
 */

import type { Trials } from '../theory/binomial-odds.ts';
import { isPuzzleSalted } from '../theory/epoch-conduct.ts';
import type { Bets } from './bets.ts';
import { chancesOf, keysMaxOf, lawsOf } from './bets.ts';
import { griddedQuota } from './gridded.ts';
import type { Quota } from './quota.ts';
import { remembering } from './quota.ts';

interface Moment {
  readonly epoch: number;
  /** Number of epochs led, minus the sum of the shares. */
  readonly ahead: number;
  /** Own claims by the number of further epochs in which they count. */
  readonly claims: readonly number[];
  readonly honest: number;
}

const NEGLIGIBLE = 1e-9;
/** Largest number of courses of a game that the program goes through one by one. */
const COURSES_MAX = 2 ** 17;
/** Sums that round to the same part of an epoch have one value. */
const CELLS = 2 ** 16;

/** Returns the function that computes the best number of keys to register. */
export const sparingQuota = remembering((bets: Bets): Quota => {
  const laws = lawsOf(bets);
  const keysMax = Math.max(...laws.map(keysMaxOf));
  const isExact = (2 * keysMax + 2) ** bets.epochs <= COURSES_MAX && !bets.isSaving;
  if (isExact) return exactQuota(bets, laws);
  let quota: Quota | null = null;
  return (standing) => {
    quota ??= griddedQuota({ ...bets, laws, keysMax });
    return quota(standing);
  };
});

/** Goes through every course of a small game. */
function exactQuota(bets: Bets, laws: readonly Trials[]): Quota {
  const { epochs, lifetimeEpochs, beacons } = bets;
  const known = new Map<string, number>();
  const chanceOf = chancesOf(laws);
  // A salted puzzle gives new keys in each window. Without a salt, the claims are among all valid keys.
  const isAnew = isPuzzleSalted(bets.salt);

  function after(own: number, { epoch, ahead, claims, honest }: Moment): number {
    const old = sumOf(claims);
    const newest = Math.min(lifetimeEpochs ?? epochs, epochs - epoch) - 1;
    const all = Array.from({ length: newest + 1 }, (_, left) => {
      return (claims[left] ?? 0) + (left === newest ? own - old : 0);
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
    const key = `${epoch} ${Math.round(ahead * CELLS)} ${honest} ${claims}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    let best = after(old, moment);
    let mean = best;
    for (let own = old + 1; ; own += 1) {
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
    const life = lifetimeEpochs ?? epochs;
    const claims = Array.from({ length: Math.min(life, epochs - epoch) }, (_, left) => {
      const isOf = (at: number) => Math.min(at + life, epochs) - epoch - 1 === left;
      return registered.filter(isOf).length;
    });
    const moment = { epoch, ahead, claims, honest };
    const old = registered.length;
    let [best, chosen] = [after(old, moment), old];
    for (let own = old + 1; own <= old + keys; own += 1) {
      const odds = after(own, moment);
      if (odds > best + NEGLIGIBLE) [best, chosen] = [odds, own];
    }
    return chosen - old;
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
