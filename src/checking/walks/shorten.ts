/**
 * @module
 * A shorter list of actions with the same violation: parts of the list are removed, the largest first, as long as the
 * rest violates the same property (delta debugging: A. Zeller and R. Hildebrandt, 2002). Actions that are not possible
 * without those before them are left out, too. No single action of the result can be removed. It need not be the
 * shortest list.
 */

import { TooManyValuesError } from '../interner.ts';
import type { RandomWalks, WalkedBreach } from './random-walks.ts';

/** Actions that are carried out for this at most. */
const ACTIONS_MAX = 5_000_000;

/** Shortens the execution of a walk as far as this takes a bounded number of actions. */
export function shortened(walks: RandomWalks, found: WalkedBreach): WalkedBreach {
  walks.judgeOnly(found.property);
  let best = found;
  let left = ACTIONS_MAX;
  const without = (from: number, to: number): boolean => {
    const { path } = best;
    left -= path.length;
    const shorter = walks.follow([...path.slice(0, from), ...path.slice(to)]);
    if (shorter === null || shorter.path.length >= path.length) return false;
    best = shorter;
    return true;
  };
  try {
    for (let size = best.path.length; size >= 1 && left > 0; ) {
      let isShorter = false;
      for (let from = 0; from < best.path.length && left > 0; ) {
        if (without(from, from + size)) isShorter = true;
        else from += size;
      }
      size = size === 1 && isShorter ? 1 : Math.floor(size / 2);
    }
  } catch (error) {
    if (!(error instanceof TooManyValuesError)) throw error;
  }
  return best;
}
