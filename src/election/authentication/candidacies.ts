/**
 * @module
 * Which nodes a message names as candidate or leader. Each of them must have signed its candidacy before
 * any node may name it. A relay that passes a name on only carries that signature along, so that a node
 * that does not exist cannot be named at all.
 */

import type { MessageFacts } from '../definition/message-definition.ts';
import type { Message, Rank } from '../machine.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import { carriedBy } from './message-forms.ts';

/** What a protocol states about a message type. Null if it has no such type. */
export function factsOf(protocol: ProtocolName, type: string): MessageFacts | null {
  const { messages } = PROTOCOLS[protocol];
  return Object.hasOwn(messages, type) ? (messages[type] ?? null) : null;
}

/** Whether only the node that a message names may send it. */
export function isCandidatesOwn(protocol: ProtocolName, { type }: Message): boolean {
  return factsOf(protocol, type)?.statementOf === 'candidate';
}

/** The nodes whose candidacies must accompany a message of `by`: those it names or puts forward. */
export function candidatesIn(protocol: ProtocolName, message: Message, by: Rank): readonly Rank[] {
  const named = namedIn(protocol, message);
  return factsOf(protocol, message.type)?.senderStands === true ? [by, ...named] : named;
}

/** The nodes that a message of this protocol names as candidate or leader, each once. */
export function namedIn(protocol: ProtocolName, message: Message): readonly Rank[] {
  // A token of a ring with successor lists carries a message of another protocol.
  const carried = carriedBy(protocol, message) ?? message;
  const members = factsOf(protocol, carried.type)?.candidates ?? [];
  if (members.length === 0) return [];
  const fields: Readonly<Record<string, unknown>> = { ...carried };
  const named = members.flatMap((member) => fields[member] ?? []);
  return [...new Set(named.filter(isRank))];
}

function isRank(value: unknown): value is Rank {
  return typeof value === 'number' || typeof value === 'string';
}
