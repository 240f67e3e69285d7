/**
 * @module
 * The route that lists the election protocols as the registry has them, in pages.
 */

import { createRoute, z } from '@hono/zod-openapi';

import { readNumbers } from '../../src/election/flags.ts';
import type { Kind, MessageFacts } from '../../src/election/message-definition.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { refusals } from '../contract/problem-schema.ts';
import { createRouter } from '../contract/router.ts';

/** What the kinds of members mean to a person who writes messages. */
const KINDS = {
  rank: 'the rank of a node',
  ranks: 'a list of ranks',
  integer: 'a whole number from 0 to 2^53 - 1',
  epoch: 'a whole number that numbers elections; receivers adopt a higher one',
  number: 'a number',
  boolean: 'true or false',
  token: 'a rank and a whole number, [3, 1]: the maker of a token and its serial number',
  carried: 'a message of the protocol in `carries`, of the same type',
  table: 'a list of pairs of a rank and a whole number',
  word: 'one of `words`',
} as const satisfies Record<Extract<Kind, string> | 'word', string>;

// The keys of an object are strings to the compiler.
const KIND_NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];
const KIND_WORDS = Object.entries(KINDS).map(([kind, meaning]) => `${kind}: ${meaning}`);

const messageSchema = z.object({
  type: z.string().meta({ example: 'COORDINATOR' }),
  members: z
    .array(
      z.object({
        name: z.string().meta({ example: 'leader' }),
        kind: z.enum(KIND_NAMES),
        words: z.array(z.string()).optional().meta({ description: 'What a `word` may be.' }),
      }),
    )
    .meta({ description: `Beside \`type\`, all of them. ${KIND_WORDS.join('; ')}.` }),
  names: z.array(z.string()).meta({
    description:
      'The members, of what is carried where something is, that name candidates or leaders. At L2 and L3 `seal.candidacies` has to have the candidacy of each node that they name, which it alone can sign: who passes on what another said, as on a ring, takes the candidacies along from the message that it heard.',
  }),
  stands: z
    .boolean()
    .meta({ description: 'Whether the candidacy of its sender has to be there too.' }),
});

const protocolSchema = z
  .object({
    name: z.enum(PROTOCOL_NAMES),
    family: z.enum(['bully', 'ring', 'quorum', 'lease']),
    elects: z.enum(['highest', 'attribute', 'any']).meta({
      description: 'Who is meant to win: the highest, the best by attribute, or anybody.',
    }),
    fifo: z.boolean().meta({ description: 'Whether a link that reorders can break its safety.' }),
    assumes: z.string(),
    messageBound: z.string().meta({ description: 'In words and formulas, n members.' }),
    source: z.string(),
    messageTypes: z.array(z.string()),
    messages: z.array(messageSchema).meta({
      description:
        'What nodes send each other, by type; none where they speak to a store alone. A message that is not of its form is dropped by whoever looks at it, so at every level.',
    }),
    carries: z.enum(PROTOCOL_NAMES).nullable().meta({
      description: 'The protocol whose messages its tokens carry; null for most.',
    }),
    flags: z.record(z.string(), z.array(z.string())).meta({
      description: 'What `flags` of an election may be, and the values of each, the default first.',
    }),
    numbers: z
      .array(
        z.object({
          name: z.string(),
          min: z.int(),
          max: z.int(),
          meaning: z.string(),
          default: z.int().meta({ description: 'Where a message takes one tick.' }),
        }),
      )
      .meta({ description: 'Members of `flags` that take a whole number, as text.' }),
    attributes: z
      .string()
      .nullable()
      .meta({ description: 'What `attributes` of an election mean; null where it takes none.' }),
  })
  .meta({ id: 'Protocol' });

const listRoute = createRoute({
  method: 'get',
  path: '/v1/protocols',
  operationId: 'listProtocols',
  tags: ['elections'],
  summary: 'The election protocols',
  request: { query: pageQuerySchema },
  responses: {
    ...pageResponse(protocolSchema, 'A page of protocols in the order of their names.'),
    ...refusals(),
  },
});

/** The route about protocols. */
export function protocolRoutes() {
  const ordered = PROTOCOL_NAMES.toSorted().map(protocolView);
  return createRouter().openapi(listRoute, (c) =>
    c.json(
      pageOf(ordered, ({ name }) => name, c.req.valid('query')),
      200,
    ),
  );
}

/** The latency of an election that names none. */
const ONE_TICK = { latencyTicksMax: 1 };

function protocolView(name: (typeof PROTOCOL_NAMES)[number]): z.output<typeof protocolSchema> {
  const { family, elects, fifo, assumes, messageBound, source } = PROTOCOLS[name];
  const { messageTypes, messages, carries, flags, numbers, attributes } = PROTOCOLS[name];
  const usual = readNumbers(numbers, ONE_TICK, {});
  const listed = Object.entries(flags).map(([flag, values]) => [flag, [...values]]);
  return {
    ...{ name, family, elects, fifo, assumes, messageBound, source },
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
