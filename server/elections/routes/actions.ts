/**
 * @module
 * Routes about what is done to an election, action by action through virtual time, and the messages on
 * their way that some actions name.
 */

import { createRoute, z } from '@hono/zod-openapi';

import type { SentFlight } from '../../../src/simulation/run/intervention.ts';
import { HELD_TICKS_LIMIT } from '../../../src/simulation/run/intervention.ts';
import { idSchema } from '../../contract/ids.ts';
import { JSON_BODY } from '../../contract/json-body.ts';
import {
  mapPage,
  pageQuerySchema,
  pageResponse,
  pageTaken,
  unknownToken,
} from '../../contract/page.ts';
import { bodyRefusals, refusals } from '../../contract/problem-schema.ts';
import { createRouter, NO_QUERY } from '../../contract/router.ts';
import type { Services } from '../../services.ts';
import type { ElectionAction } from '../live/action.ts';
import { CUT_FORMS, EVENTS_PER_ADVANCE_MAX } from '../live/action.ts';
import { outsideMessageSchema } from '../live/outside-message.ts';
import { ADVANCE_WAIT_MS_MAX } from '../live/outside-wait.ts';
import { rankSchema, ranksSchema, tickSchema } from '../live/request.ts';
import { assertSpeaker, nodeTokenSchema } from './node-token.ts';
import { electionSchema, electionView } from './view.ts';

/** A hundred links and more. */
const CUT_CHARACTERS_MAX = 1_000;

const MESSAGE_DEMAND = 'must be the number of a message';

const messageSchema = z.int(MESSAGE_DEMAND).meta({
  description: 'The id of a message on its way, as GET …/messages lists them.',
});

const HELD_DEMAND = `must be a whole number of ticks, from 1 to ${HELD_TICKS_LIMIT}`;

const TO_DEMAND = 'must be a rank, a list of ranks, or all';

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
    z
      .strictObject({
        type: z.literal('inject'),
        from: rankSchema,
        to: z.union([rankSchema, ranksSchema, z.literal('all')], TO_DEMAND),
        message: outsideMessageSchema,
      })
      .meta({
        description:
          'Sends a message in the name of any node, whoever holds its place: receivers judge it as their level demands. At L1 the network knows its senders, and it takes the Node-Token of that node. `all` are all others that are up.',
      }),
    z
      .strictObject({
        type: z.literal('advance'),
        until: z
          .union([z.literal('idle'), tickSchema], 'must be idle or a whole number of ticks')
          .default('idle'),
        events: z.int().min(1).max(EVENTS_PER_ADVANCE_MAX).optional(),
        waits: z.boolean().default(true),
      })
      .meta({
        description: `Ends with bound \`outside\` where a node that is played from outside has something to answer and \`waits\` is false. Otherwise the node is waited for, in real time, as long as it said when it joined, and then goes on without until it answers again; after ${ADVANCE_WAIT_MS_MAX} ms in all, or when the server stops or what comes next cannot be stored, it ends so all the same. Ends with bound \`events\` also where more messages are in flight than are kept, or the election has had all its events.`,
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
  description:
    'One action, carried out after those that were asked for before it; the answer is the election as it stands then. Nothing happens by itself: messages arrive and timers fire in an `advance` alone, so that one has time between two to look and to meddle. `start` makes the initiators of the election begin, or the named nodes; then `advance` until it is idle elects. What the election does not allow as it stands, such as a crash of a node that is down or a message that is gone, is refused with 409 `election.conflict`, and nothing has changed.',
  middleware: JSON_BODY,
  request: {
    params,
    query: NO_QUERY,
    headers: z.object({ 'node-token': nodeTokenSchema }),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: actionSchema,
          examples: {
            start: { value: { type: 'start' } },
            crash: { value: { type: 'crash', rank: 5 } },
            recover: { value: { type: 'recover', rank: 5 } },
            deliver: { value: { type: 'deliver', message: 0 } },
            drop: { value: { type: 'drop', message: 1 } },
            delay: { value: { type: 'delay', message: 2, ticks: 100 } },
            suspect: { value: { type: 'suspect', rank: 3, by: [1] } },
            partition: { value: { type: 'partition', cut: 'isolate:3' } },
            heal: { value: { type: 'heal' } },
            inject: {
              value: {
                ...{ type: 'inject', from: 5, to: 'all' },
                message: { type: 'COORDINATOR', leader: 5 },
              },
            },
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
    ...bodyRefusals(401, 404, 409, 503),
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
    ...pageResponse(flightSchema, 'A page of messages, in the order in which they were sent.'),
    ...refusals(404, 409, 503),
  },
});

/** The routes about what is done to an election. */
export function actionRoutes({ elections, lifecycle }: Services) {
  return createRouter()
    .openapi(actRoute, async (c) => {
      const { id } = c.req.valid('param');
      const asked = c.req.valid('json');
      if (asked.type === 'inject' && elections.get(id).plan.level === 'L1') {
        assertSpeaker(elections.get(id), asked.from, c.req.valid('header')['node-token']);
      }
      const { action, waits } = withoutWaits(asked);
      const election = await elections.act(id, action, waits ? lifecycle : null);
      return c.json(electionView(election), 200);
    })
    .openapi(listMessagesRoute, (c) => {
      const { id } = c.req.valid('param');
      const page = pageTaken(
        (after, count) => elections.flights(id, after === null ? null : numberOf(after), count),
        (flight) => keyOf(flight.id),
        c.req.valid('query'),
      );
      return c.json(mapPage(page, flightView), 200);
    });
}

/** Whether somebody waited is no part of what happened: what came of it is. */
function withoutWaits(asked: z.output<typeof actionSchema>): {
  readonly action: ElectionAction;
  readonly waits: boolean;
} {
  if (asked.type !== 'advance') return { action: asked, waits: false };
  const { waits, ...action } = asked;
  return { action, waits };
}

function flightView({ id, from, to, message, sentAt, due }: SentFlight) {
  const { type, ...body } = message;
  return { id, from, to, type, body, sentAt, due };
}

/** Text in the order of the numbers, of which those of copies are below 0. */
function keyOf(id: number): string {
  return String(KEY_OFFSET + id);
}

function numberOf(key: string): number {
  if (!/^\d{16}$/.test(key)) throw unknownToken();
  return Number(key) - KEY_OFFSET;
}

/** Of as many digits with any number added: no election sends so many messages. */
const KEY_OFFSET = 2 * 10 ** 15;
