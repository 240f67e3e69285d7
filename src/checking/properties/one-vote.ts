/**
 * @module
 * One vote per voter and epoch (S4 of the fault matrix). Votes are the claims that a protocol's messages state: a node
 * may send each only once with the same numbers. A node that asks for votes votes for itself. A voter that forgets its
 * vote and votes again breaks it, whether or not two leaders follow.
 */

import { claimIn, hasClaims } from '../../election/defences/signed-claims.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import type { Message, Rank } from '../../election/machine.ts';
import { memberOf } from '../../election/message-members.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { toRank } from '../../election/world/cast.ts';
import type { CheckedProperty, History, NodeStep } from '../property.ts';

/** A voter, the election that it votes in, and what it votes for: a rank, or another text of signed-claims.ts. */
type Vote = readonly [voter: number, slot: string, content: number | string];

/** Each vote once, in the order of voters, elections and contents. */
export const VOTES: History<readonly Vote[], Vote> = {
  first: [],
  notesOf: (step) => sentIn(step).flatMap(([to, body]) => votesIn(step, to, body)),
  fold(past, note) {
    if (past.some((each) => isSame(each, note))) return past;
    return inOrder([...past, note]);
  },
  renamed: (past, rankOf) =>
    inOrder(
      past.map(([voter, slot, content]) => [
        ...([rankOf(voter), slot] as const),
        typeof content === 'number' ? rankOf(content) : content,
      ]),
    ),
};

function inOrder(votes: readonly Vote[]): readonly Vote[] {
  return votes.toSorted((left, right) => (textOf(left) < textOf(right) ? -1 : 1));
}

function textOf([voter, slot, content]: Vote): string {
  return JSON.stringify([voter, slot, content]);
}

function isSame(left: Vote, right: Vote): boolean {
  return left[0] === right[0] && left[1] === right[1] && left[2] === right[2];
}

function sentIn({ effects }: NodeStep): (readonly [to: Rank, body: Message])[] {
  return effects.flatMap((effect) =>
    effect.type === 'send' ? [[effect.to, effect.message] as const] : [],
  );
}

function votesIn({ rank, protocol }: NodeStep, to: Rank, body: Message): readonly Vote[] {
  const vote = voteIn(protocol, rank, { to, body });
  if (vote !== null) return [vote];
  const { certificate } = PROTOCOLS[protocol];
  if (typeof certificate === 'string' || body.type !== certificate.question) return [];
  const own = ownVote(protocol, { rank, vote: certificate.vote, number: certificate.number, body });
  return own === null ? [] : [own];
}

/** The vote of a candidate for itself, in the form of the claims of other voters. */
function ownVote(
  protocol: ProtocolName,
  {
    rank,
    vote,
    number,
    body,
  }: {
    readonly rank: number;
    readonly vote: string;
    readonly number: string;
    readonly body: Message;
  },
): Vote | null {
  const facts = PROTOCOLS[protocol].messages[vote]?.claim ?? null;
  if (facts === null) return null;
  const answer = { ...facts.where, type: vote, [number]: memberOf(body, number) };
  return voteIn(protocol, rank, { to: toRank(rank), body: answer });
}

/** The vote that a message of this node is; null if it is none. */
function voteIn(
  protocol: ProtocolName,
  rank: number,
  sent: Parameters<typeof claimIn>[1],
): Vote | null {
  const claim = claimIn(protocol, sent);
  if (claim === null) return null;
  const { slot, content } = claim;
  const { members = {}, claim: facts = null } = PROTOCOLS[protocol].messages[sent.body.type] ?? {};
  const states = facts?.states ?? null;
  const isRank = states === null || members[states] === 'rank';
  return [rank, slot, isRank ? Number(content) : content];
}

/** Two votes of one voter in one election; null if there are none. */
function doubleVoteIn(votes: readonly Vote[]): readonly [Vote, Vote] | null {
  for (const [index, vote] of votes.entries()) {
    const next = votes[index + 1];
    if (next !== undefined && vote[0] === next[0] && vote[1] === next[1]) return [vote, next];
  }
  return null;
}

/** The type and the numbers of a vote, such as VOTE_REPLY 1. */
function slotText(slot: string): string {
  const parts: unknown = JSON.parse(slot);
  return Array.isArray(parts) ? parts.join(' ') : slot;
}

function unsupportedReason({ name, messages }: Protocol): string | null {
  // A protocol that is checked is registered, which its type does not say.
  return Object.keys(messages).length > 0 && hasClaims(name as ProtocolName)
    ? null
    : 'no node votes in it';
}

export const ONE_VOTE: CheckedProperty = {
  name: 'one-vote',
  kind: 'always',
  description: 'no honest node gives two votes in one election',
  claim: { unsupportedReason, matrix: ['S4'] },
  partner: 'someone-leads',
  histories: [VOTES],
  readings: [],
  isSymmetric: true,
  holds: (view) => doubleVoteIn(view.pastOf(VOTES)) === null,
  breach(view) {
    const double = doubleVoteIn(view.pastOf(VOTES));
    if (double === null) return 'each honest node gave one vote';
    const [[voter, slot, one], [, , other]] = double;
    return `node ${voter} gave two votes (${slotText(slot)}), to ${one} and to ${other}`;
  },
};
