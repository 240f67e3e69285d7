/**
 * @module
 * No message of a member makes a node keep or pass on much more than honest messages have, whatever the protocol: what a type
 * does not state is bounded at every depth, and so are all lists.
 */

import { describe, expect, it } from 'vitest';
import {
  ACCOMPANYING,
  EXCESS_LENGTH_MAX,
  hasShortLists,
  isWellFormed,
  withoutExcess,
} from '../../src/election/authentication/message-forms.ts';
import type { Kind } from '../../src/election/definition/message-definition.ts';
import type { Protocol } from '../../src/election/definition/protocol.ts';
import type { Message } from '../../src/election/machine.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { selfOf } from '../adversary/staging/byzantine-node.ts';

const MEMBERS = 3;
const LIMITS = { ranks: MEMBERS, tables: 8 };
const JUNK = 'x'.repeat(EXCESS_LENGTH_MAX);

/** What a hostile sender adds to each message, at every depth. */
interface Added {
  readonly junk?: string;
  readonly entries?: number;
}

/** The longest message of a type that has its form. */
function longest(protocol: Protocol, type: string, added: Added = {}): Message {
  const form = protocol.messages[type]?.members ?? ACCOMPANYING[type] ?? {};
  const members = Object.entries<Kind>(form).map(([name, kind]) => [
    name,
    longestOf(kind, { protocol, type, added }),
  ]);
  return { type, ...Object.fromEntries(members), ...(added.junk && { junk: added.junk }) };
}

function longestOf(
  kind: Kind,
  {
    protocol,
    type,
    added,
  }: { readonly protocol: Protocol; readonly type: string; readonly added: Added },
): unknown {
  const { entries = 0 } = added;
  const counted = [MEMBERS, Number.MAX_SAFE_INTEGER];
  switch (kind) {
    case 'rank':
      return MEMBERS;
    case 'ranks':
      return Array(entries + LIMITS.ranks).fill(MEMBERS);
    case 'integer':
    case 'epoch':
      return Number.MAX_SAFE_INTEGER;
    case 'number':
      return -Number.MIN_VALUE;
    case 'boolean':
      return false;
    case 'token':
      return counted;
    case 'table':
      return Array(entries + LIMITS.tables).fill(counted);
    case 'configuration': {
      const members = Array(entries + LIMITS.tables).fill(MEMBERS);
      return { term: Number.MAX_SAFE_INTEGER, version: 0, members, removed: [] };
    }
    case 'carried':
      if (protocol.carries === null) throw new TypeError('"carries" expected a protocol, got none');
      return longest(protocol.carries, type, added);
    default:
      return kind[0];
  }
}

const ALL_TYPES = PROTOCOL_NAMES.map((name) => {
  const protocol = PROTOCOLS[name];
  const types = [...Object.keys(protocol.messages), ...Object.keys(ACCOMPANYING)];
  return { name, protocol, types };
});

describe('a message of a member', () => {
  it.each(ALL_TYPES)('of $name stays as it is if an honest node can have sent it', (given) => {
    const { name, protocol, types } = given;
    for (const type of types) {
      const message = longest(protocol, type);

      expect(isWellFormed(name, message, { self: selfOf({ protocol: name }) }), type).toBe(true);
      expect(withoutExcess(name, message), type).toBe(message);
      expect(hasShortLists(name, message, LIMITS), type).toBe(true);
    }
  });

  it.each(ALL_TYPES)('of $name loses what no type states, at every depth', (given) => {
    const { name, protocol, types } = given;
    for (const type of types) {
      const honest = longest(protocol, type);
      const message = longest(protocol, type, { junk: JUNK });

      expect(isWellFormed(name, message, { self: selfOf({ protocol: name }) }), type).toBe(true);
      expect(withoutExcess(name, message), type).toEqual(honest);
    }
  });

  it.each(ALL_TYPES)('of $name with a list that is too long is found, at every depth', (given) => {
    const { name, protocol, types } = given;
    for (const type of types) {
      const honest = longest(protocol, type);
      const message = longest(protocol, type, { entries: 1 });
      const hasList = JSON.stringify(message) !== JSON.stringify(honest);

      expect(hasShortLists(name, message, LIMITS), type).toBe(!hasList);
    }
  });

  it('keeps a little that its type does not state', () => {
    const message = { type: 'PROBE', candidate: 1, junk: 'x'.repeat(EXCESS_LENGTH_MAX - 20) };
    const token = { type: 'PROBE', election: 1, token: [1, 1], message };

    expect(withoutExcess('ring-robust', token)).toBe(token);
  });
});
