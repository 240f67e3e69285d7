/**
 * @module
 * Which messages of one node contradict each other: those that it may send only once in one election,
 * about a leader or a vote. Two such signed messages with different content prove a lie to every node. A
 * voter that has lost its disk and votes again is caught by the same rule.
 */

import { factsOf } from '../authentication/candidacies.ts';
import type { Message, Rank } from '../machine.ts';
import { memberOf } from '../message-members.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';

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
