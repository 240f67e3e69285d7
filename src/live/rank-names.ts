/**
 * @module
 * Replaces the ranks of live nodes by numbers, in values, in names of members, and in texts such as names of timers.
 */

import type { Json } from '../election/machine.ts';

/** A text that can be the rank of a live node. */
const RANK_FORM = /[0-9a-f]{16,}/g;

/** Replaces every rank that has a number; undefined is one that has none. */
export function ranksAsNumbers(
  numberOf: (rank: string) => number | undefined,
): (value: Json) => Json {
  const convert = (value: Json): Json => {
    if (typeof value === 'string') {
      const within = () => value.replace(RANK_FORM, (rank) => String(numberOf(rank) ?? rank));
      return numberOf(value) ?? within();
    }
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(convert);
    const members = Object.entries(value).map(([name, member]): [string, Json] => [
      String(numberOf(name) ?? name),
      convert(member),
    ]);
    return Object.fromEntries(members);
  };
  return convert;
}
