/**
 * @module
 * A11: alters what tokens carry as it passes them on: deletes entries from lists, raises the best so far
 * to a rank that nobody holds, claims the best attribute there is. From L2 on it can name only whom it can
 * prove, itself: a signature keeps names from being added, and none here keeps one from being left out.
 */

import type { Json, Message, Rank } from '../../election/machine.ts';
import type { Alteration } from '../words.ts';
import { carriedIn, WORDS } from '../words.ts';
import type { Behaviour, ByzantineNode } from './behaviour.ts';
import { bestAccomplice, createCorrupted } from './corrupting.ts';

export const TAMPER_TOKEN: Behaviour = {
  name: 'tamper-token',
  attack: 'A11',
  summary:
    'Alters what tokens carry as it passes them on: deletes others from lists, raises the best so far, or puts itself in its place.',
  aim: 'stop',
  needsTopId: false,
  unsupportedReason: (protocol) => WORDS[protocol].lacks.alterations ?? null,
  corrupt: (machine, byzantineNode) =>
    createCorrupted(machine, byzantineNode, {
      init: () => null,
      alter: (_forger, body) => tamper(body, byzantineNode),
    }),
};

/** The same message, altered as far as the forger can; the very same where it cannot. */
function tamper(body: Message, byzantineNode: ByzantineNode): Message {
  const carried = carriedIn(body);
  if (carried !== null) {
    const altered = tamper(carried, byzantineNode);
    return altered === carried ? body : withMember(body, 'message', altered);
  }
  const { alterations } = WORDS[byzantineNode.protocol];
  if (!Object.hasOwn(alterations, body.type)) return body;
  const members = Object.entries(alterations[body.type] ?? {});
  return members.reduce((message, [member, alteration]) => {
    const value = alteredTo(alteration, byzantineNode);
    const isSame = JSON.stringify(memberOf(message, member)) === JSON.stringify(value);
    return isSame ? message : withMember(message, member, value);
  }, body);
}

function alteredTo(alteration: Alteration, byzantineNode: ByzantineNode): Json {
  switch (alteration) {
    case 'top':
      return topOf(byzantineNode);
    case 'own':
      return bestAccomplice(byzantineNode);
    case 'others':
      return [...byzantineNode.accomplices];
    case 'most':
      return Number.MAX_SAFE_INTEGER;
    default:
      return alteration satisfies never;
  }
}

/** The highest rank that can be named without its holder's word. */
function topOf(byzantineNode: ByzantineNode): Rank {
  const { level } = byzantineNode.authentication;
  return level === 'L0' || level === 'L1' ? byzantineNode.phantom : bestAccomplice(byzantineNode);
}

function memberOf(message: Message, member: string): unknown {
  const fields: Readonly<Record<string, unknown>> = { ...message };
  return fields[member];
}

function withMember(message: Message, member: string, value: unknown): Message {
  return { ...message, [member]: value };
}
