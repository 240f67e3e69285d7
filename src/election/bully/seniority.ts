/**
 * @module
 * The order of the members that a node knows, the dead included: the higher members, which a Bully node
 * asks, and the lower members, to which it announces itself.
 */

import type { Rank, Self } from '../machine.ts';

/** Whether no member is higher, dead or alive. */
export function isHighest(self: Self): boolean {
  return self.members.at(-1) === self.rank;
}

/** Ascending. */
export function higherMembers(self: Self): readonly Rank[] {
  return self.members.slice(self.members.indexOf(self.rank) + 1);
}

/** Ascending. */
export function lowerMembers(self: Self): readonly Rank[] {
  return self.members.slice(0, self.members.indexOf(self.rank));
}

/** Whether `leader` is the next higher member. This node replaces it when it fails. */
export function isNextAfter(self: Self, leader: Rank): boolean {
  return self.members[self.members.indexOf(self.rank) + 1] === leader;
}
