/**
 * @module
 * Random events for the machine of any protocol. Messages are made from the kinds of members that its
 * definition states, so that a new protocol needs no generator of its own.
 */

import type { Kind } from '../../election/definition/message-definition.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import type { Event, Json, Message } from '../../election/machine.ts';
import { toRank } from '../../election/world/cast.ts';
import type { Random } from '../../random.ts';

export const CONFORM_NODES = 5;
/** Types that no protocol has, and names that JavaScript objects have by birth. */
const FOREIGN_TYPES = ['UNKNOWN_MESSAGE', 'constructor', '__proto__', ''];
const INTEGERS_BELOW = 4;

/** A message of one of the protocol's types, as an honest node could send it. */
export function randomMessage(protocol: Protocol, random: Random): Message | null {
  const types = Object.keys(protocol.messages);
  const type = types[random.below(Math.max(1, types.length))];
  return type === undefined ? null : messageOf(protocol, type, random);
}

/** A message of a type that the protocol does not have. */
export function foreignMessage(random: Random): Message {
  return { type: FOREIGN_TYPES[random.below(FOREIGN_TYPES.length)] ?? '' };
}

/** One event. `timers` are names that the machine has set so far. */
export function randomEvent(
  protocol: Protocol,
  timers: readonly string[],
  random: Random,
): Event<Message> {
  const rank = () => toRank(1 + random.below(CONFORM_NODES));
  const message = randomMessage(protocol, random);
  const lot = random.below(10);
  if (lot < 5 && message !== null) return { type: 'deliver', from: rank(), message };
  if (lot === 5) return { type: 'start' };
  if (lot === 6)
    return { type: 'timeout', timer: timers[random.below(timers.length || 1)] ?? 'unset' };
  if (lot === 7) return { type: 'suspect', node: rank() };
  return lot === 8 ? { type: 'trust', node: rank() } : { type: 'recover', persisted: null };
}

function messageOf(protocol: Protocol, type: string, random: Random): Message {
  const members = Object.entries(protocol.messages[type]?.members ?? {}).map(
    ([name, kind]) => [name, memberOf(kind, { protocol, type, random })] as const,
  );
  return { ...Object.fromEntries(members), type };
}

function memberOf(
  kind: Kind,
  context: { readonly protocol: Protocol; readonly type: string; readonly random: Random },
): Json | Message {
  const { protocol, type, random } = context;
  const rank = () => toRank(1 + random.below(CONFORM_NODES));
  const integer = () => random.below(INTEGERS_BELOW);
  switch (kind) {
    case 'rank':
      return rank();
    case 'ranks':
      return Array.from({ length: random.below(CONFORM_NODES) }, rank);
    case 'integer':
    case 'epoch':
    case 'number':
      return integer();
    case 'boolean':
      return random.below(2) === 0;
    case 'token':
      return [rank(), integer()];
    case 'table':
      return Array.from({ length: random.below(CONFORM_NODES) }, () => [rank(), integer()]);
    case 'carried':
      return protocol.carries === null ? null : messageOf(protocol.carries, type, random);
    default:
      return kind[random.below(kind.length)] ?? null;
  }
}
