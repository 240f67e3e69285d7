/**
 * @module
 * The games in which each claim of an adversary is a bet on the epochs in which it counts, and the keys that their windows
 * give.
 */

import type { Trials } from '../theory/binomial-odds.ts';
import { binomialTail } from '../theory/binomial-odds.ts';
import type { Spending } from '../theory/epoch-conduct.ts';
import { affordable, isPuzzleSalted, windowBudget } from '../theory/epoch-conduct.ts';

export interface Bets extends Spending {
  readonly stockKeys: number;
  readonly difficultyBits: number;
  /** Number of beacons among which it chooses. */
  readonly beacons: number;
  /** Honest nodes of the first epoch, and those that join in each later one. */
  readonly nodes: number;
  readonly newcomers: number;
  /** Whether a window can spend what earlier ones have saved. */
  readonly isSaving: boolean;
}

/** Returns the function that computes the probability of at least `least` keys in a window. */
export function chancesOf(laws: readonly Trials[]): (epoch: number, least: number) => number {
  const tails = laws.map(() => new Map<number, number>());
  return (epoch, least) => {
    const { trials = 0, probability = 0 } = laws[epoch] ?? {};
    if (least > trials) return 0;
    const chance = tails[epoch]?.get(least) ?? binomialTail({ trials, probability }, least);
    tails[epoch]?.set(least, chance);
    return chance;
  };
}

/** Returns the largest number of keys that a window is likely to give. */
export function keysMaxOf({ trials, probability }: Trials): number {
  const mean = trials * probability;
  return probability === 1 ? trials : Math.min(trials, Math.ceil(mean + 6 * Math.sqrt(mean) + 6));
}

/** Returns the distribution of the number of keys that the adversary can register in each window. */
export function lawsOf(bets: Bets): readonly Trials[] {
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
