/**
 * @module
 * The route by which a program outside learns what its node is told: it asks, and may wait for an
 * answer; the server calls nobody.
 */

import { createRoute, z } from '@hono/zod-openapi';

import { fromRank, toRank } from '../../../src/election/cast.ts';
import type { InboxEvent } from '../../../src/simulation/run/inboxes.ts';
import { charged } from '../../callers/principal.ts';
import { nextTurn } from '../../callers/work-turns.ts';
import { idSchema } from '../../contract/ids.ts';
import { refusals } from '../../contract/problem-schema.ts';
import { createRouter } from '../../contract/router.ts';
import { assertReady } from '../../request/lifecycle.ts';
import type { Services } from '../../services.ts';
import type { LiveElection } from '../live/live-election.ts';
import { noElection } from '../live/live-election.ts';
import { nameSigned } from '../live/outside-proof.ts';
import { NodePolls } from './node-polls.ts';
import { assertPlayer, nodeIdSchema, nodeTokenHeaders } from './node-token.ts';
import { electionStatusSchema, statusOfElection } from './view.ts';

/** In one answer; the rest is there at once for who asks again. */
export const INBOX_EVENTS_PER_ANSWER = 100;
/** Looked at between two of which others have their turn: signatures are verified. */
const EVENTS_PER_SLICE = 8;

const AFTER_DEMAND = 'must be the number of an event, from 0';
const WAIT_DEMAND = 'must be a whole number of milliseconds, from 0 to 30000';

const inboxEventSchema = z
  .object({
    number: z.int().meta({ description: 'From 1 without gaps, for each node apart.' }),
    at: z.int().meta({ description: 'Virtual time in ticks.' }),
    event: z.looseObject({ type: z.string() }).meta({
      description:
        'start; deliver with from and message, seal included; timeout with timer; suspect, trust, join or leave with node; recover.',
    }),
    election: z.string().nullable().optional().meta({
      description:
        'Of a message at L3: the name of the election that it is signed for. What answers it or hands it on is signed for the same one, and shows candidacies of that one. Null: it is signed for none that anything is under way of, and nobody need hear it.',
    }),
  })
  .meta({
    id: 'InboxEvent',
    example: {
      number: 2,
      at: 1,
      event: { type: 'deliver', from: 2, message: { type: 'ELECTION' } },
    },
  });

const inboxSchema = z
  .object({
    events: z
      .array(inboxEventSchema)
      .meta({ description: 'In order; empty if none came in time.' }),
    lost: z.int().meta({ description: 'Events dropped because a thousand were unanswered.' }),
    answered: z.int().meta({ description: 'Up to which number all are answered.' }),
    time: z.int().meta({ description: 'Virtual time in ticks.' }),
    status: electionStatusSchema,
  })
  .meta({
    id: 'Inbox',
    example: {
      events: [
        { number: 1, at: 0, event: { type: 'start' } },
        { number: 2, at: 1, event: { type: 'deliver', from: 2, message: { type: 'ELECTION' } } },
      ],
      ...{ lost: 0, answered: 0, time: 1, status: 'active' },
    },
  });

const inboxRoute = createRoute({
  method: 'get',
  path: '/v1/elections/{id}/nodes/{node}/inbox',
  operationId: 'readInbox',
  tags: ['elections'],
  summary: 'What a node that is played from outside was told and has not answered',
  description: `Answers at once if there are events above \`after\`, else when one comes, or with none when waitMs are over. A node has one waiting poll; a newer one ends the older. At most ${INBOX_EVENTS_PER_ANSWER} events in an answer.`,
  request: {
    params: z.strictObject({ id: idSchema, node: nodeIdSchema }),
    query: z.strictObject({
      after: z
        .string()
        .regex(/^\d{1,15}$/, AFTER_DEMAND)
        .default('0')
        .meta({ description: 'The number of the last event that the caller has.', example: '1' }),
      waitMs: z
        .string()
        .regex(/^(?:\d{1,4}|[12]\d{4}|30000)$/, WAIT_DEMAND)
        .default('0')
        .meta({ description: 'How long to wait for an event, at most 30000.', example: '10000' }),
    }),
    headers: nodeTokenHeaders,
  },
  responses: {
    200: {
      description: 'What it was told.',
      content: { 'application/json': { schema: inboxSchema } },
    },
    ...refusals(401, 404, 409, 503),
  },
});

/** The route of inboxes. */
export function inboxRoutes({ elections, lifecycle }: Services) {
  const polls = new NodePolls({ lifecycle, streams: elections.streams });
  return createRouter().openapi(inboxRoute, async (c) => {
    const { id, node } = c.req.valid('param');
    const query = c.req.valid('query');
    const election = elections.get(id);
    assertPlayer(election, node, c.req.valid('header')['node-token']);
    const after = Number(query.after);
    const waitMs = c.req.method === 'HEAD' ? 0 : Number(query.waitMs);
    const isReady = () => eventsAfter(election, node, after).length > 0;
    if (waitMs > 0 && !isReady()) {
      await polls.wait({ election, nodeId: node, isReady, waitMs, signal: c.req.raw.signal });
    }
    if (election.isDeleted) throw noElection(id);
    const events = eventsAfter(election, node, after).slice(0, INBOX_EVENTS_PER_ANSWER);
    if (events.length === 0) assertReady(lifecycle.phase);
    return c.json(await inboxView(election, node, events), 200);
  });
}

type Events = readonly InboxEvent[];

/** Where the node is may change until the election has begun. */
function eventsAfter(election: LiveElection, nodeId: string, after: number): Events {
  const rank = election.roster.seatOfId(nodeId)?.rank;
  if (rank === undefined) return [];
  return election.inbox(rank).events.filter(({ number }) => number > after);
}

async function inboxView(
  election: LiveElection,
  nodeId: string,
  events: Events,
): Promise<z.output<typeof inboxSchema>> {
  const rank = election.roster.seatOfId(nodeId)?.rank ?? 0;
  const views = await eventViews(election, rank, events);
  const { lost, answered } = election.inbox(rank);
  const { ticks } = election.status();
  return {
    events: views,
    lost,
    answered,
    time: ticks,
    status: statusOfElection(election),
  };
}

/** With the elections that messages are for, where they are signed for one. */
async function eventViews(
  election: LiveElection,
  rank: number,
  events: Events,
): Promise<z.output<typeof inboxEventSchema>[]> {
  const { keysOf, proofRules: rules } = election;
  const isNamed = rules.plan.level === 'L3' && keysOf !== null;
  const verify = isNamed ? keysOf(toRank(rank)).verify : null;
  const views: z.output<typeof inboxEventSchema>[] = [];
  for (const [index, { number, at, event }] of events.entries()) {
    const view = { number, at, event: { ...event } };
    if (verify !== null && index % EVENTS_PER_SLICE === 0) await nextTurn('tell');
    if (verify === null || event.type !== 'deliver') {
      views.push(view);
      continue;
    }
    const said = { by: fromRank(event.from), to: rank, message: event.message };
    views.push({ ...view, election: charged(() => nameSigned(rules, said, verify)) });
  }
  return views;
}
