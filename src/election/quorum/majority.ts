/**
 * @module
 * What quorum protocols have in common: numbered terms, and majorities, any two of which share a member.
 */

import type { Rank, Self } from '../machine.ts';

/** The last term there is: a higher one would not be an exact number. */
export const TERM_LIMIT = Number.MAX_SAFE_INTEGER;

/** Of all members, the dead included: two such sets share one. */
export function majorityOf(self: Self): number {
  return Math.floor(self.members.length / 2) + 1;
}

/** Whether a message is another member's: strangers have no vote, and nobody two. */
export function isPeer(self: Self, from: Rank): boolean {
  return from !== self.rank && self.members.includes(from);
}

/** Whether a number from a disk or a peer can be a term. */
export function isTerm(term: unknown): term is number {
  return Number.isSafeInteger(term) && Number(term) >= 0;
}
