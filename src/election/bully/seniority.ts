/**
 * @module
 * Who outranks whom among the members a node knows of, the dead included: to whom a Bully node turns
 * with a question, and to whom with an announcement.
 */

import type { Rank, Self } from '../machine.ts';

/** No member is higher, dead or alive. */
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

/** Whether `leader` is the next higher member: the one this node replaces when it fails. */
export function isNextAfter(self: Self, leader: Rank): boolean {
  return self.members[self.members.indexOf(self.rank) + 1] === leader;
}
