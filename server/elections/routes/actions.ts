/**
 * @module
 * Routes about the actions on an election, and about the messages in flight that some actions name.
 */

import { z } from '@hono/zod-openapi';

import type { SentFlight } from '../../../src/simulation/run/intervention.ts';
import { HELD_TICKS_LIMIT } from '../../../src/simulation/run/intervention.ts';
import { countSchema, idParams } from '../../contract/members.ts';
import {
  mapPage,
  pageQuerySchema,
  pageResponse,
  pageTaken,
  unknownToken,
} from '../../contract/page.ts';
import { bodyRefusals, refusals } from '../../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../../contract/router.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { ElectionAction } from '../live/action.ts';
import {
  CUT_FORMS,
  EVENTS_PER_ADVANCE_MAX,
  isCut,
  outsideMessageSchema,
  recipientsSchema,
} from '../live/action.ts';
import { injectionSchema } from '../live/injection.ts';
import { rankSchema, ranksSchema, tickSchema } from '../live/request.ts';
import { ADVANCE_WAIT_MS_MAX } from '../live/waits.ts';
import type { ElectionStore } from '../storage/store.ts';
import EXAMPLES from './examples.json' with { type: 'json' };
import { assertTokenOfRank, nodeTokenSchema } from './node-token.ts';
import { electionSchema, electionView } from './view.ts';

/** More than a hundred links. */
const CUT_CHARACTERS_MAX = 1_000;

const messageSchema = z
  .int('must be the number of a message')
  .min(Number.MIN_SAFE_INTEGER)
  .max(Number.MAX_SAFE_INTEGER)
  .describe('The id of a message in flight, as GET …/messages lists it.');

const actionSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('start'), nodes: ranksSchema.optional() }),
    z.strictObject({ type: z.literal('crash'), rank: rankSchema }),
    z.strictObject({ type: z.literal('recover'), rank: rankSchema }),
    z
      .strictObject({ type: z.literal('suspect'), rank: rankSchema, by: ranksSchema.optional() })
      .refine(({ rank, by = [] }) => !by.includes(rank), {
        path: ['by'],
        error: 'must not name the rank itself',
      })
      .describe('Makes all other nodes, or those in `by`, suspect a node.'),
    z
      .strictObject({
        type: z.literal('partition'),
        cut: z
          .string(`must be ${CUT_FORMS}`)
          .max(CUT_CHARACTERS_MAX)
          .refine(isCut, `must be ${CUT_FORMS}`)
          .meta({ description: CUT_FORMS, example: 'isolate:3' }),
      })
      .describe('From now on, messages over this cut and earlier ones are lost.'),
    z.strictObject({ type: z.literal('heal') }).describe('Ends all partitions.'),
    z
      .strictObject({ type: z.literal('deliver'), message: messageSchema })
      .describe('Delivers a message now, whenever it is due.'),
    z.strictObject({ type: z.literal('drop'), message: messageSchema }),
    z
      .strictObject({
        type: z.literal('delay'),
        message: messageSchema,
        ticks: countSchema(1, HELD_TICKS_LIMIT),
      })
      .describe('Delays a message by these ticks. Later ones may overtake it.'),
    z
      .strictObject({
        type: z.literal('inject'),
        from: rankSchema,
        to: recipientsSchema,
        message: outsideMessageSchema,
      })
      .describe(
        'Sends a message in the name of any node. Its receivers check it by their level, and `injection` of the answer states which of them can process it. At L1 the network knows the sender of a message: it is a node that joined from outside, and its Node-Token is required.',
      ),
    z
      .strictObject({
        type: z.literal('advance'),
        until: z
          .union([z.literal('idle'), tickSchema], 'must be idle or a whole number of ticks')
          .default('idle'),
        events: countSchema(1, EVENTS_PER_ADVANCE_MAX).optional(),
        waits: z.boolean().default(true),
      })
      .describe(
        `If a node that is played from outside must answer and \`waits\` is false, the advance ends with bound \`outside\`. Otherwise it waits for the node, in real time, as long as the node requested when it joined, and then continues without the node until that answers again. After ${ADVANCE_WAIT_MS_MAX} ms in all, or if the server stops or cannot store the next part, it ends with bound \`outside\` as well. It ends with bound \`events\` also if too many messages are in flight, or the election has reached its number of events.`,
      ),
  ])
  .meta({ id: 'ElectionAction' });

const flightSchema = z
  .object({
    id: messageSchema,
    from: z.int().describe('A rank. The number after the highest is the store.'),
    to: z.int(),
    type: z.string().meta({ example: 'ELECTION' }),
    body: z.looseObject({}).describe('All members but the type, with the seal.'),
    sentAt: z.int().nullable().describe('A tick; null for a duplicate.'),
    due: z.int().describe('The tick at which it arrives.'),
  })
  .meta({ id: 'MessageInFlight' });

const actedSchema = electionSchema
  .extend({
    injection: injectionSchema
      .optional()
      .describe('After `inject`: which recipients can process the message.'),
  })
  .meta({ id: 'ElectionAfterAction' });

const route = routesOf('elections');
const path = '/v1/elections/{id}';

const actRoute = route('post', `${path}/actions`, {
  operationId: 'actOnElection',
  summary: 'Carry out an action on an election',
  description:
    'Actions are carried out in the order of the requests. The answer is the election after the action. Messages arrive and timers fire only in an `advance`, so that a caller can examine and change the election between two of them. `start` starts the initiators of the election or the named nodes; an `advance` until idle then elects. An action that this election does not allow now, such as a crash of a node that is down or that it does not have, is refused with 409 `election.conflict`, and nothing has changed.',
  params: idParams,
  headers: z.object({ 'node-token': nodeTokenSchema }),
  body: jsonRequest(actionSchema, { examples: EXAMPLES.actOnElection }),
  responses: {
    200: jsonAnswer(actedSchema, 'The election after the action.'),
    ...bodyRefusals(401, 404, 409, 503),
  },
});

const listMessagesRoute = route('get', `${path}/messages`, {
  operationId: 'listMessagesInFlight',
  summary: 'List the messages in flight',
  params: idParams,
  query: pageQuerySchema,
  responses: {
    ...pageResponse(flightSchema, 'A page of messages, in the order in which they were sent.'),
    ...refusals(404, 409, 503),
  },
});

export interface ActionRouteParts {
  readonly elections: ElectionStore;
  readonly lifecycle: Lifecycle;
}

/** The routes about actions. */
export function createActionRoutes({ elections, lifecycle }: ActionRouteParts) {
  return createRouter()
    .openapi(actRoute, async (c) => {
      const principal = c.get('principal');
      const { id } = c.req.valid('param');
      const requested = c.req.valid('json');
      const election = elections.get(id, principal, 'conduct');
      if (requested.type === 'inject' && election.plan.level === 'L1') {
        assertTokenOfRank(election, requested.from, c.req.valid('header')['node-token']);
      }
      const { action, waits } = withoutWaits(requested);
      const ends = waits ? lifecycle : null;
      await elections.act(id, action, { principal, ends });
      const injection = action.type === 'inject' ? await election.judge(action, principal) : null;
      const view = electionView(election, principal, elections);
      return c.json({ ...view, ...(injection !== null && { injection }) }, 200);
    })
    .openapi(listMessagesRoute, (c) => {
      const { id } = c.req.valid('param');
      const taken = (key: string | null, count: number) => {
        const after = key === null ? null : numberOf(key);
        return elections.flights(id, { after, count }, c.get('principal'));
      };
      const page = pageTaken(taken, (flight) => keyOf(flight.id), c.req.valid('query'));
      return c.json(mapPage(page, flightView), 200);
    });
}

/** Whether an advance waits is not part of the stored action. Its effects are. */
function withoutWaits(requested: z.output<typeof actionSchema>): {
  readonly action: ElectionAction;
  readonly waits: boolean;
} {
  if (requested.type !== 'advance') return { action: requested, waits: false };
  const { waits, ...action } = requested;
  return { action, waits };
}

function flightView({ id, from, to, message, sentAt, due }: SentFlight) {
  const { type, ...body } = message;
  return { id, from, to, type, body, sentAt, due };
}

/** A text that sorts like the number of a message. The numbers of duplicates are negative. */
function keyOf(id: number): string {
  return String(KEY_OFFSET + id);
}

function numberOf(key: string): number {
  if (!/^\d{16}$/.test(key)) throw unknownToken();
  return Number(key) - KEY_OFFSET;
}

/** Has the same number of digits after any number of a message is added. */
const KEY_OFFSET = 2 * 10 ** 15;
