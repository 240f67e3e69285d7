/**
 * @module
 * The best number of claims for an adversary that wants to lead more epochs than its share, if ranks are drawn. It tries
 * every number in every window. Later windows find keys by their law, as if nothing had been found before. Nothing is
 * imported from the product.
 */

import { lawOf } from './orders.ts';

interface Standing {
  readonly epoch: number;
  readonly ahead: number;
  /** Own claims by the number of further epochs in which they count. */
  readonly claims: readonly number[];
  readonly honest: number;
}

/** How many further keys are registered, of those that are valid. */
export type Bettor = (standing: Standing & { readonly keys: number }) => number;

interface Bets {
  readonly honest: number;
  readonly c1: number;
  readonly epochs: number;
  readonly lifetime: number | null;
  readonly salt: string;
  readonly stock: number;
  /** The budget of a window, and what a key, the test of a kept key and that of a new one take of it. */
  readonly budget: number;
  readonly costs: { readonly key: number; readonly kept: number; readonly fresh: number };
  readonly beacons: number;
}

/** Probabilities this close are equal, and the smaller number of claims is chosen. */
const EQUAL = 1e-9;

/** The best bet, and with `value` the probability that it succeeds from the first window on. */
export function bettorOf(game: Bets): Bettor & { readonly value: () => number } {
  const { epochs, lifetime, c1, beacons, salt } = game;
  const laws = testsOf(game).map((tests) => lawOf(tests, 2 ** -c1));
  const known = new Map<string, number>();
  const total = (claims: readonly number[]) => claims.reduce((sum, each) => sum + each, 0);

  function odds(added: number, { epoch, ahead, claims, honest }: Standing): number {
    const newest = Math.min(lifetime ?? epochs, epochs - epoch) - 1;
    const all = Array.from({ length: newest + 1 }, (_, at) => claims[at] ?? 0);
    all[newest] = (all[newest] ?? 0) + added;
    const own = total(all);
    const share = own === 0 ? 0 : own / (own + honest);
    const lead = own === 0 ? 0 : 1 - (1 - share) ** beacons;
    const next = (led: number) => {
      const sum = Math.round((ahead + led - share) * 1e9) / 1e9;
      return mean({ epoch: epoch + 1, ahead: sum, claims: all.slice(1), honest });
    };
    return lead * next(1) + (1 - lead) * next(0);
  }

  function mean(standing: Standing): number {
    const { epoch, ahead, claims } = standing;
    if (epoch === epochs) return ahead > EQUAL * 1000 ? 1 : 0;
    const key = JSON.stringify(standing);
    const before = known.get(key);
    if (before !== undefined) return before;
    let best = 0;
    // Without a salt in the puzzle, the claims are among all valid keys.
    const held = salt === 'rank' ? total(claims) : 0;
    const law = laws[epoch] ?? [];
    const value = law.reduce((sum, weight, keys) => {
      if (keys >= held) best = Math.max(best, odds(keys - held, standing));
      return sum + weight * (keys < held ? odds(0, standing) : best);
    }, 0);
    known.set(key, value);
    return value;
  }

  const bet = ({ keys, ...standing }: Parameters<Bettor>[0]) => {
    let [best, chosen] = [odds(0, standing), 0];
    for (let added = 1; added <= keys; added += 1) {
      const value = odds(added, standing);
      if (value > best + EQUAL) [best, chosen] = [value, added];
    }
    return chosen;
  };
  const first = { epoch: 0, ahead: 0, claims: [], honest: game.honest };
  return Object.assign(bet, { value: () => mean(first) });
}

/** The tests of each window that may give a key: with a salted puzzle its own, else all so far. */
function testsOf({ epochs, salt, stock, budget, costs }: Bets): readonly number[] {
  const each = costs.key + costs.fresh;
  let kept = stock;
  return Array.from({ length: epochs }, (_, epoch) => {
    if (salt === 'rank') return stock + Math.floor((budget * (epoch + 1)) / each);
    const old = costs.kept === 0 ? kept : Math.min(kept, Math.floor(budget / costs.kept));
    const left = budget - old * costs.kept;
    const fresh = Math.floor(left / each);
    kept += fresh + Math.floor((left - fresh * each) / costs.key);
    return old + fresh;
  });
}
