/**
 * @module
 * The smallest set of defences that stops an attack which no single one stops: all compatible pairs, those
 * with a level first, then all triples, within a limit. A level of authentication is one defence of a set
 * and includes the lower levels, so a set has at most one.
 */

import { z } from 'zod';
import type { AttackDefence } from '../document/defence-names.ts';
import {
  CHOSEN_DEFENCE_NAMES,
  NETWORK_DEFENCE_NAMES,
  networkDefence,
} from '../document/defence-names.ts';
import type { Defended } from '../staging/defences.ts';
import { defencesOff, isChosen, isLevel, setFault } from '../staging/defences.ts';

/** The largest sets that are tried. */
export const SET_SIZE_MAX = 3;
/** Limit of the sets that are tried against one attack. */
export const SETS_MAX = 200;

/** A defence that an attack can be tried against. */
export const defenceSchema = z.enum([
  ...new Set([...CHOSEN_DEFENCE_NAMES, ...NETWORK_DEFENCE_NAMES]),
]);

/**
 * `complete`: whether all sets were tried that are smaller than the smallest, or all up to SET_SIZE_MAX if there is none.
 * It is false if the limit ended the search, or an election was too large to watch.
 */
export const setSearchSchema = z.object({
  smallest: z.array(defenceSchema).readonly().nullable(),
  tried: z.int(),
  complete: z.boolean(),
});

export type SetSearch = z.output<typeof setSearchSchema>;

/** Whether a set stops the attack. Null if that is unknown. */
type Stops = (set: readonly AttackDefence[]) => Promise<boolean | null | 'cancelled'>;

/**
 * Searches from sets of `sizeMin` defences on. A higher level includes the lower ones, so these are tried
 * only beside defences that stop the attack at the highest level. Null if that was interrupted.
 */
export async function findSmallestSet(
  defended: Defended,
  search: {
    readonly sizeMin: number;
    /** The most defences besides a level. */
    readonly othersMax: number;
    /** Whether a defence can be tried at all. */
    readonly isPlayable: (defence: AttackDefence) => boolean;
    readonly stops: Stops;
  },
): Promise<SetSearch | null> {
  const { sizeMin, othersMax, isPlayable, stops } = search;
  const parts = defencesOff(defended).flatMap(({ defence }) =>
    isPlayable(defence) ? [defence] : [],
  );
  const levels = parts.filter(isLevel).map((level) => [level]);
  const others = parts.filter((part) => !isLevel(part));
  let tried = 0;
  let complete = true;
  for (let size = sizeMin; size <= SET_SIZE_MAX; size += 1) {
    for (const sets of alternatives({ levels, others, size, othersMax })) {
      // The highest level comes last and is tried first.
      const compatible = sets.filter((set) => setFault(withSet(defended, set)) === null);
      let found: readonly AttackDefence[] | null = null;
      for (const set of [...compatible.slice(-1), ...compatible.slice(0, -1)]) {
        if (tried === SETS_MAX) return { smallest: found, tried, complete: false };
        tried += 1;
        const isStopped = await stops(set);
        if (isStopped === 'cancelled') return null;
        if (isStopped === null) complete = false;
        if (isStopped === true) found = set;
        // Either not even the highest level helps, or this lower one is enough.
        if ((isStopped !== true) === (set === compatible.at(-1))) break;
      }
      if (found !== null) return { smallest: found, tried, complete };
    }
  }
  return { smallest: null, tried, complete };
}

/** The sets of a size, in groups that differ only in their level, the lowest first. */
function* alternatives(given: {
  readonly levels: readonly (readonly AttackDefence[])[];
  readonly others: readonly AttackDefence[];
  readonly size: number;
  readonly othersMax: number;
}): Generator<readonly (readonly AttackDefence[])[]> {
  const { levels, others, size, othersMax } = given;
  if (levels.length > 0 && size - 1 <= othersMax) {
    for (const set of setsOf(others, size - 1)) {
      yield levels.map((level) => [...level, ...set]);
    }
  }
  if (size > othersMax) return;
  for (const set of setsOf(others, size)) yield [set];
}

/** What an attack is against with a set of defences beside its own. */
export function withSet<D extends Pick<Defended, 'level' | 'defences'>>(
  defended: D,
  set: readonly AttackDefence[],
): D {
  const [level = defended.level] = set.flatMap((each) => networkDefence(each)?.level ?? []);
  return { ...defended, level, defences: [...defended.defences, ...set.filter(isChosen)] };
}

/** All sets of this size, each in the order of the items. */
export function* setsOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  if (size === 0) yield [];
  else {
    for (const [index, item] of items.entries()) {
      for (const rest of setsOf(items.slice(index + 1), size - 1)) yield [item, ...rest];
    }
  }
}
