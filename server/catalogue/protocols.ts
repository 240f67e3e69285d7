/**
 * @module
 * The routes of the election protocols of the registry.
 */

import { z } from '@hono/zod-openapi';
import { readNumbers } from '../../src/election/definition/flags.ts';
import type { Kind, MessageFacts } from '../../src/election/definition/message-definition.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { listingRouter } from './entries.ts';

/** Meanings of the kinds of members, for authors of messages. */
const KINDS = {
  rank: 'the rank of a node',
  ranks: 'a list of ranks',
  integer: 'a whole number from 0 to 2^53 - 1',
  epoch: 'a whole number that numbers elections; receivers adopt a higher one',
  number: 'a number',
  boolean: 'true or false',
  token: 'a rank and a whole number, [3, 1]: the creator of a token and its serial number',
  carried: 'a message of the protocol in `carries`, of the same type',
  configuration:
    'an object with the `term`, `version`, `members` and `removed` of the members in force; absent while they are the founders',
  table: 'a list of pairs of a rank and a whole number',
  word: 'one of `words`',
} as const satisfies Record<Extract<Kind, string> | 'word', string>;

// Object.keys loses the types of the names.
const KIND_NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];
const KIND_MEANINGS = Object.entries(KINDS).map(([kind, meaning]) => `${kind}: ${meaning}`);

const messageSchema = z.object({
  type: z.string().meta({ example: 'COORDINATOR' }),
  members: z
    .array(
      z.object({
        name: z.string().meta({ example: 'leader' }),
        kind: z.enum(KIND_NAMES),
        words: z.array(z.string()).optional().describe('Values of a `word`.'),
      }),
    )
    .describe(`All members besides \`type\`. ${KIND_MEANINGS.join('; ')}.`),
  names: z
    .array(z.string())
    .describe(
      'The members that name candidates or leaders, in the carried message if there is one. At L2 and L3 `seal.candidacies` must contain the candidacy of each node that they name, which only that node can sign. A node that passes a message on, as in a ring, copies the candidacies from the message that it received.',
    ),
  stands: z.boolean().describe('Whether the candidacy of the sender is required as well.'),
});

const protocolSchema = z
  .object({
    name: z.enum(PROTOCOL_NAMES),
    family: z
      .string()
      .describe(
        'bully, ring, quorum, lease, graph or groups, or another that a protocol of the user names.',
      ),
    elects: z
      .enum(['highest', 'attribute', 'any'])
      .describe('The node that should win: the highest, the best by attribute, or any.'),
    fifo: z.boolean().describe('Whether links that reorder messages can break its safety.'),
    assumes: z.string(),
    messageBound: z.string().describe('Number of messages in words and formulas, with n members.'),
    source: z.string(),
    messageTypes: z.array(z.string()),
    messages: z
      .array(messageSchema)
      .describe(
        'The messages between nodes, by type; none if the nodes use only a store. At every level, a node drops a message without the right form.',
      ),
    carries: z
      .enum(PROTOCOL_NAMES)
      .nullable()
      .describe('The protocol whose messages its tokens carry; null for most protocols.'),
    flags: z
      .record(z.string(), z.array(z.string()))
      .describe('The flags of an election, and the values of each, the default first.'),
    numbers: z
      .array(
        z.object({
          name: z.string(),
          min: z.int(),
          max: z.int(),
          meaning: z.string(),
          default: z.int().describe('The default if a message takes one tick.'),
        }),
      )
      .describe('Flags with a whole number, as text.'),
    attributes: z
      .string()
      .nullable()
      .describe('Meaning of the `attributes` of an election; null if it has none.'),
  })
  .meta({ id: 'Protocol' });

/** The routes about protocols. */
export function createProtocolRoutes() {
  return listingRouter({
    plural: 'protocols',
    noun: 'protocol',
    id: 'Protocol',
    ids: 'Protocols',
    tag: 'elections',
    example: 'bully-oneshot',
    schema: protocolSchema,
    entries: () => PROTOCOL_NAMES.map(protocolView),
  });
}

/** The latency of an election that names none. */
const ONE_TICK = { latencyTicksMax: 1 };

function protocolView(name: (typeof PROTOCOL_NAMES)[number]): z.output<typeof protocolSchema> {
  const { family, elects, fifo, assumes, messageBound, source } = PROTOCOLS[name];
  const { messageTypes, messages, carries, flags, numbers, attributes } = PROTOCOLS[name];
  const usual = readNumbers(numbers, ONE_TICK, {});
  const listed = Object.entries(flags).map(([flag, values]) => [flag, [...values]]);
  return {
    name,
    family,
    elects,
    fifo,
    assumes,
    messageBound,
    source,
    messageTypes: [...messageTypes],
    messages: Object.entries(messages).map(([type, facts]) => messageView(type, facts)),
    carries: PROTOCOL_NAMES.find((each) => each === carries?.name) ?? null,
    flags: Object.fromEntries(listed),
    numbers: Object.entries(numbers).map(([number, { min, max, meaning }]) => {
      return { name: number, min, max, meaning, default: usual(number) };
    }),
    attributes,
  };
}

function messageView(type: string, facts: MessageFacts): z.output<typeof messageSchema> {
  return {
    type,
    members: Object.entries(facts.members).map(([name, kind]) =>
      typeof kind === 'string' ? { name, kind } : { name, kind: 'word', words: [...kind] },
    ),
    names: [...facts.candidates],
    stands: facts.senderStands,
  };
}
