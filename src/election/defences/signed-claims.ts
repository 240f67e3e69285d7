/**
 * @module
 * Signed messages that a node shows to others, and what they claim. Some messages a node may send only once
 * in one election: about a leader or a vote. Two such signed messages with different content prove a lie to
 * every node. A voter that has lost its disk and votes again is caught by the same rule.
 */

import type { Authentication, SealedMessage } from '../authentication/authenticated.ts';
import { messageText } from '../authentication/authenticated.ts';
import { factsOf } from '../authentication/candidacies.ts';
import { isWellFormed, withoutExcess } from '../authentication/message-forms.ts';
import type { Message, Rank, Self } from '../machine.ts';
import { countOf, memberOf } from '../message-members.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';

/** A signed message, as it can be shown to others. */
export type Evidence = {
  readonly by: Rank;
  readonly to: Rank;
  readonly number: number;
  readonly body: { readonly type: string };
  readonly signature: string;
};

/** Whether any message of the protocol is a claim. */
export function hasClaims(protocol: ProtocolName): boolean {
  return Object.values(PROTOCOLS[protocol].messages).some(({ claim }) => claim !== null);
}

/**
 * What a message claims. Of two messages of one node with the same `slot` and different `content`, one is
 * a lie. Null if the message claims nothing.
 */
export function claimIn(
  protocol: ProtocolName,
  { to, body }: { readonly to: Rank; readonly body: Message },
): { readonly slot: string; readonly content: string } | null {
  const claim = factsOf(protocol, body.type)?.claim ?? null;
  if (claim === null) return null;
  const { within, states, where } = claim;
  const isClaim = Object.entries(where).every(
    ([name, value]) => value === 'any' || memberOf(body, name) === value,
  );
  if (!isClaim) return null;
  const slot = JSON.stringify([body.type, ...within.map((name) => memberOf(body, name))]);
  return { slot, content: JSON.stringify(states === null ? to : memberOf(body, states)) ?? '' };
}

/** Whether a node keeps a signed message, and shows it to others: one that an honest node can have sent. */
export function isKept(protocol: ProtocolName, self: Self, { body }: Evidence): boolean {
  return isWellFormed(protocol, body, { self }) && withoutExcess(protocol, body) === body;
}

/** A message that this node has received, in the form in which it is shown. Null without a signature. */
export function evidenceIn({ seal, ...body }: SealedMessage, by: Rank, to: Rank): Evidence | null {
  if (typeof seal?.signature !== 'string') return null;
  return { by, to, number: seal.number ?? 0, body, signature: seal.signature };
}

/** A shown message, if it has the form of a message between members. Null otherwise. */
export function evidenceOf({ members }: Self, shown: unknown): Evidence | null {
  if (typeof shown !== 'object' || shown === null) return null;
  const parts: Message = { type: 'EVIDENCE', ...shown };
  const by = members.find((member) => member === memberOf(parts, 'by'));
  const to = members.find((member) => member === memberOf(parts, 'to'));
  const number = countOf(memberOf(parts, 'number'));
  const signature = memberOf(parts, 'signature');
  const body = bodyOf(memberOf(parts, 'body'));
  if (by === undefined || to === undefined || number === null || body === null) return null;
  return typeof signature === 'string' ? { by, to, number, body, signature } : null;
}

/** Whether the node that is named as sender has signed it. `self` has the public keys. */
export function isSigned(
  authentication: Authentication,
  { rank }: Self,
  { by, to, number, body, signature }: Evidence,
): boolean {
  const text = messageText(authentication, { by, to, number, body });
  return authentication.keysOf(rank).verify(by, text, signature);
}

function bodyOf(value: unknown): Message | null {
  if (typeof value !== 'object' || value === null || !('type' in value)) return null;
  const { type } = value;
  return typeof type === 'string' ? { ...value, type } : null;
}
