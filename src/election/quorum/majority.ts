/**
 * @module
 * What quorum protocols share: numbered terms, majorities, any two of which have a common member, and
 * which events a voter must not act on.
 */

import type { Effects, Message, Rank, Self } from '../machine.ts';

/** The last term. A higher one would not be an exact number. */
export const TERM_LIMIT = Number.MAX_SAFE_INTEGER;

/** The size of a majority of all members, the dead included. Two such sets have a common member. */
export function majorityOf(self: Self): number {
  return Math.floor(self.members.length / 2) + 1;
}

/** Whether a message is from another member. Strangers have no vote, and no node has two. */
export function isPeer(self: Self, from: Rank): boolean {
  return from !== self.rank && isMember(self.members, from);
}

/** Up to this many members, a search from the first is faster. */
const LINEAR_MEMBERS_MAX = 32;

/** Whether a rank is among these, which are ascending. */
export function isMember(members: readonly Rank[], rank: Rank): boolean {
  if (members.length <= LINEAR_MEMBERS_MAX) return members.includes(rank);
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const member = members[middle];
    if (member === rank) return true;
    if (member !== undefined && member < rank) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** Whether a number from a disk or a peer can be a term. */
export function isTerm(term: unknown): term is number {
  return Number.isSafeInteger(term) && Number(term) >= 0;
}

/** Sends a message to every other member, the dead included. */
export function broadcast<M extends Message>(
  { self, effects }: { readonly self: Self; readonly effects: Effects<M> },
  message: NoInfer<M>,
): void {
  for (const member of self.members) {
    if (member !== self.rank) effects.send(member, message);
  }
}
