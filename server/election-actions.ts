/**
 * @module
 * Routes about what is done to an election, action by action through virtual time, and the messages on
 * their way that some actions name.
 */

import { createRoute, z } from '@hono/zod-openapi';

import type { SentFlight } from '../src/simulation/intervention.ts';
import { HELD_TICKS_LIMIT } from '../src/simulation/intervention.ts';
import { CUT_FORMS, EVENTS_PER_ADVANCE_MAX } from './election-action.ts';
import { rankSchema, ranksSchema, tickSchema } from './election-request.ts';
import { electionSchema, electionView } from './election-view.ts';
import { idSchema } from './ids.ts';
import { JSON_BODY } from './json-body.ts';
import { pageOf, pageQuerySchema, pageSchema } from './page.ts';
import { bodyRefusals, refusals } from './problem-schema.ts';
import type { Router } from './router.ts';
import { createRouter, NO_QUERY } from './router.ts';
import type { Services } from './services.ts';

/** A hundred links and more. */
const CUT_CHARACTERS_MAX = 1_000;

const MESSAGE_DEMAND = 'must be the number of a message';

const messageSchema = z.int(MESSAGE_DEMAND).meta({
  description: 'The id of a message on its way, as GET …/messages lists them.',
});

const HELD_DEMAND = `must be a whole number of ticks, from 1 to ${HELD_TICKS_LIMIT}`;

const actionSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('start'), nodes: ranksSchema.optional() }),
    z.strictObject({ type: z.literal('crash'), rank: rankSchema }),
    z.strictObject({ type: z.literal('recover'), rank: rankSchema }),
    z
      .strictObject({ type: z.literal('suspect'), rank: rankSchema, by: ranksSchema.optional() })
      .meta({
        description: 'Says of a node that it is dead, to all others unless `by` names some.',
      }),
    z
      .strictObject({
        type: z.literal('partition'),
        cut: z
          .string()
          .max(CUT_CHARACTERS_MAX)
          .meta({ description: CUT_FORMS, example: 'isolate:3' }),
      })
      .meta({ description: 'Loses what is sent over the cut from now on, and over those before.' }),
    z.strictObject({ type: z.literal('heal') }).meta({ description: 'Ends all partitions.' }),
    z
      .strictObject({ type: z.literal('deliver'), message: messageSchema })
      .meta({ description: 'Hands a message over now, whenever it is due.' }),
    z.strictObject({ type: z.literal('drop'), message: messageSchema }),
    z
      .strictObject({
        type: z.literal('delay'),
        message: messageSchema,
        ticks: z.int(HELD_DEMAND).min(1, HELD_DEMAND).max(HELD_TICKS_LIMIT, HELD_DEMAND),
      })
      .meta({ description: 'Holds a message back for so long; later ones may overtake it.' }),
    z.strictObject({
      type: z.literal('advance'),
      until: z
        .union([z.literal('idle'), tickSchema], 'must be idle or a whole number of ticks')
        .default('idle'),
      events: z.int().min(1).max(EVENTS_PER_ADVANCE_MAX).optional(),
    }),
  ])
  .meta({ id: 'ElectionAction' });

const flightSchema = z
  .object({
    id: messageSchema,
    from: z.int().meta({ description: 'A rank; the number after the highest is the store.' }),
    to: z.int(),
    type: z.string().meta({ example: 'ELECTION' }),
    body: z.looseObject({}).meta({ description: 'Everything but the type, seals included.' }),
    sentAt: z.int().nullable().meta({ description: 'A tick; null for a copy.' }),
    due: z.int().meta({ description: 'The tick at which it arrives.' }),
  })
  .meta({ id: 'MessageInFlight' });

const tags = ['elections'];
const path = '/v1/elections/{id}';
const params = z.strictObject({ id: idSchema });

const actRoute = createRoute({
  method: 'post',
  path: `${path}/actions`,
  operationId: 'actOnElection',
  tags,
  summary: 'Start, crash, recover, cut, meddle with messages, or let virtual time pass',
  middleware: JSON_BODY,
  request: {
    params,
    query: NO_QUERY,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: actionSchema,
          examples: {
            start: { value: { type: 'start' } },
            suspect: { value: { type: 'suspect', rank: 3, by: [1] } },
            partition: { value: { type: 'partition', cut: 'isolate:3' } },
            heal: { value: { type: 'heal' } },
            advance: { value: { type: 'advance', until: 'idle' } },
          },
        },
      },
    },
  },
  responses: {
    200: {
      description: 'The election after the action.',
      content: { 'application/json': { schema: electionSchema } },
    },
    ...bodyRefusals(404, 409, 503),
  },
});

const listMessagesRoute = createRoute({
  method: 'get',
  path: `${path}/messages`,
  operationId: 'listMessagesInFlight',
  tags,
  summary: 'The messages on their way',
  request: { params, query: pageQuerySchema },
  responses: {
    200: {
      description: 'A page of messages, in the order in which they were sent.',
      content: { 'application/json': { schema: pageSchema(flightSchema) } },
    },
    ...refusals(404),
  },
});

/** The routes about what is done to an election. */
export function actionRoutes({ elections }: Services): Router {
  return createRouter()
    .openapi(actRoute, async (c) => {
      const election = await elections.act(c.req.valid('param').id, c.req.valid('json'));
      return c.json(electionView(election), 200);
    })
    .openapi(listMessagesRoute, (c) => {
      const flights = elections.get(c.req.valid('param').id).flights();
      const page = pageOf(flights, ({ id }) => keyOf(id), c.req.valid('query'));
      return c.json({ ...page, items: page.items.map(flightView) }, 200);
    });
}

function flightView({ id, from, to, message, sentAt, due }: SentFlight) {
  const { type, ...body } = message;
  return { id, from, to, type, body, sentAt, due };
}

/** Text in the order of the numbers: no schedule here makes copies, whose numbers are below 0. */
function keyOf(id: number): string {
  return String(id).padStart(KEY_DIGITS, '0');
}

/** More messages than any election sends. */
const KEY_DIGITS = 16;
