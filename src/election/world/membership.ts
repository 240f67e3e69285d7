/**
 * @module
 * The members while some have not joined yet: a cast without the absent nodes. The list of members omits
 * them and the ring is closed around them, so that a new member of any rank was absent before. Drivers hand a machine its new `self` with the `join` event.
 */

import type { Rank, Self } from '../machine.ts';
import type { Cast } from './cast.ts';
import { fromRank } from './cast.ts';

/** The cast as its members know it while `absent` ranks have not joined. */
export function castWithout(cast: Cast, absent: readonly number[]): Cast {
  if (absent.length === 0) return cast;
  const missing = new Set(absent);
  let members: readonly Rank[] | null = null;
  return {
    ...cast,
    selfOf(rank) {
      const self = cast.selfOf(rank);
      members ??= self.members.filter((member) => !missing.has(fromRank(member)));
      const successors = presentAfter(cast, self, missing);
      const predecessor = presentBefore(cast, self, missing);
      const ringNodes = self.ringNodes - missing.size;
      const neighbours = self.links?.neighbours.filter((member) => !missing.has(fromRank(member)));
      const links = self.links && { ...self.links, neighbours: neighbours ?? [] };
      return { ...self, members, successors, predecessor, ringNodes, links };
    },
  };
}

/** The present successors, as many as the whole ring lists, or all if fewer are present. */
function presentAfter(cast: Cast, self: Self, missing: ReadonlySet<number>): readonly Rank[] {
  const found: Rank[] = [];
  let next = self.successors[0] ?? self.rank;
  for (let steps = 0; steps < cast.nodes && found.length < self.successors.length; steps += 1) {
    if (next === self.rank || found.includes(next)) break;
    if (!missing.has(fromRank(next))) found.push(next);
    next = cast.selfOf(fromRank(next)).successors[0] ?? self.rank;
  }
  return found.length === 0 ? [self.rank] : found;
}

function presentBefore(cast: Cast, self: Self, missing: ReadonlySet<number>): Rank {
  let previous = self.predecessor;
  for (let steps = 0; steps < cast.nodes && missing.has(fromRank(previous)); steps += 1) {
    previous = cast.selfOf(fromRank(previous)).predecessor;
  }
  return previous;
}
