/**
 * @module
 * Behaviours of a node that does not pass on messages as they are: it swallows them, or alters tokens.
 */

import { factsOf } from '../../../election/authentication/candidacies.ts';
import { carriedBy } from '../../../election/authentication/message-forms.ts';
import { settingsOf } from '../../../election/defences/defended.ts';
import { RECEIPTS } from '../../../election/defences/receipts.ts';
import { SUCCESSOR_LIST } from '../../../election/defences/settings.ts';
import { GREATEST, STORE_ALONE } from '../../../election/definition/forgery.ts';
import type { Alteration } from '../../../election/definition/message-definition.ts';
import { isDetectorType } from '../../../election/detectors/detector.ts';
import type { Json, Message, Rank } from '../../../election/machine.ts';
import { memberOf } from '../../../election/message-members.ts';
import type { ProtocolName } from '../../../election/registry.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import type { ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { bestAccomplice, createByzantine } from '../byzantine-machine.ts';

/**
 * A3: passes nothing on and answers no message, but sends its own as if it had received none, and is up
 * for every detector. Signatures do not help: a unidirectional ring has one path, and this node is on it.
 */
export const SWALLOW = defineBehaviour({
  name: 'swallow',
  attack: 'A3',
  summary: 'Drops every message that it should pass on or answer, and is up all the same.',
  aim: 'stop',
  needsTopId: false,
  comesLate: false,
  stage: () => ({}),
  unsupportedReason: (protocol) => (PROTOCOLS[protocol].store === null ? null : STORE_ALONE),
  remains: (protocol) =>
    isBlocked(protocol)
      ? 'The tokens pass every node, and no defence leads them round one that drops them.'
      : PROTOCOLS[protocol].overLinks && PROTOCOLS[protocol].returnsToOrigin
        ? 'A wave comes back only if every node answers it.'
        : null,
  wrap: (machine, byzantineNode) =>
    createByzantine(machine, byzantineNode, {
      init: () => null,
      intercept: (_forger, event) => event.type !== 'deliver' || isDetectorType(event.message.type),
    }),
});

/**
 * Whether the protocol is such a ring. Rings in which no defence leads the tokens round a node that drops or changes
 * them. Receipts and a second successor do, so the ring must have both, or be carried by a robust ring that has
 * them.
 */
export function isBlocked(protocol: ProtocolName): boolean {
  if (PROTOCOLS[protocol].family !== 'ring') return false;
  const isCarried = SUCCESSOR_LIST.unsupportedReason(protocol) === null;
  const carrier = isCarried ? settingsOf([SUCCESSOR_LIST.name], protocol).protocol : undefined;
  const played = carrier ?? protocol;
  return PROTOCOLS[played].successors === 1 || RECEIPTS.unsupportedReason(played) !== null;
}

/**
 * A11: alters the contents of tokens as it passes them on: deletes entries from lists, raises the best rank so far
 * to one that no node has, or claims the best attribute. From L2 on it can name only itself, because a name needs a
 * signature; no signature here prevents that a name is left out.
 */
export const TAMPER_TOKEN = defineBehaviour({
  name: 'tamper-token',
  attack: 'A11',
  summary:
    'Alters the contents of tokens as it passes them on: deletes others from lists, raises the best candidate so far, or replaces it by itself.',
  aim: 'stop',
  needsTopId: false,
  comesLate: false,
  stage: (protocol) => ({
    namesPhantom: true,
    ...(protocol === 'bully-improved' ? { events: ['leader-dies'] } : {}),
  }),
  unsupportedReason: unalterable,
  remains: (protocol) =>
    isBlocked(protocol)
      ? 'Each node may change the tokens that it passes on, and the next node does not know what they contained before.'
      : null,
  wrap: (machine, byzantineNode) =>
    createByzantine(machine, byzantineNode, {
      init: () => null,
      alter: (_forger, body) => tamper(body, byzantineNode),
    }),
});

function unalterable(protocol: ProtocolName): string | null {
  const { messages, store } = PROTOCOLS[protocol];
  if (store !== null) return STORE_ALONE;
  const isAltered = Object.values(messages).some(({ alterations }) => alterations !== null);
  return isAltered ? null : 'no node passes on messages of another';
}

/** The message with all alterations that the node can make. The same object if it can make none. */
function tamper(body: Message, byzantineNode: ByzantineNode): Message {
  const carried = carriedBy(byzantineNode.protocol, body);
  if (carried !== null) {
    const altered = tamper(carried, byzantineNode);
    return altered === carried ? body : withMember(body, 'message', altered);
  }
  const members = Object.entries(factsOf(byzantineNode.protocol, body.type)?.alterations ?? {});
  return members.reduce((message, [member, alteration]) => {
    if (alteration === 'none') return message;
    const value = alteredTo(alteration, byzantineNode);
    const isSame = JSON.stringify(memberOf(message, member)) === JSON.stringify(value);
    return isSame ? message : withMember(message, member, value);
  }, body);
}

function alteredTo(alteration: Alteration, byzantineNode: ByzantineNode): Json {
  switch (alteration) {
    case 'highest-rank':
      return topOf(byzantineNode);
    case 'own-rank':
      return bestAccomplice(byzantineNode);
    case 'own-ranks':
      return [...byzantineNode.accomplices];
    case 'greatest':
      return GREATEST;
    default:
      return alteration satisfies never;
  }
}

/** The highest rank that can be named without its signature. */
function topOf(byzantineNode: ByzantineNode): Rank {
  const { level } = byzantineNode.authentication;
  return level === 'L0' || level === 'L1' ? byzantineNode.phantom : bestAccomplice(byzantineNode);
}

function withMember(message: Message, member: string, value: unknown): Message {
  return { ...message, [member]: value };
}
