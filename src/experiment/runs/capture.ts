/**
 * @module
 * What of a ranking is in an adversary's hands: the highest places, and the neighbours of a victim on
 * a ring in the order of ranks. Lists hold members from the top down; the successor of a node is the
 * next higher one, and that of the highest the lowest.
 */

import type { Member } from '../epochs/epochs.ts';

/** Whether the `places` highest are all forged; not where there are fewer members. */
export function holdsTop(ranking: readonly Member[], places: number): boolean {
  return ranking.length >= places && ranking.slice(0, places).every(isForged);
}

/**
 * Whether the `successors` nodes after an honest victim on the ring are all forged. False where the
 * victim is no member, and where the ring is too small.
 */
export function holdsSuccessors(
  ranking: readonly Member[],
  { victim, successors }: { readonly victim: number; readonly successors: number },
): boolean {
  const place = ranking.findIndex(({ owner, number }) => owner === 'honest' && number === victim);
  if (place < 0 || ranking.length <= successors) return false;
  const above = ranking.slice(0, place).toReversed();
  const below = ranking.slice(place + 1).toReversed();
  return [...above, ...below].slice(0, successors).every(isForged);
}

function isForged({ owner }: Member): boolean {
  return owner === 'adversary';
}
