/**
 * @module
 * Routes about elections: made, read, driven action by action through virtual time, deleted.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { Verdict } from '../src/election/properties.ts';
import { PROPERTY_NAMES } from '../src/election/properties.ts';
import { ALGORITHM_NAMES } from '../src/election/registry.ts';
import { latencyText } from '../src/simulation/latency.ts';
import {
  electionRequestSchema,
  parseElectionRequest,
  rankSchema,
  ranksSchema,
  tickSchema,
} from './election-request.ts';
import { idSchema } from './ids.ts';
import { JSON_BODY } from './json-body.ts';
import type { LiveElection } from './live-election.ts';
import { EVENTS_PER_ADVANCE_MAX } from './live-election.ts';
import { bodyRefusals, refusals } from './problem-schema.ts';
import type { Router } from './router.ts';
import { createRouter, NO_QUERY } from './router.ts';
import { seedSchema } from './seed-schema.ts';
import type { Services } from './services.ts';

const truthSchema = z.enum(['true', 'false', 'unknown']);
const propertySchema = z.object({ value: truthSchema, witnessed: z.boolean() });

const verdictSchema = z
  .object({
    value: truthSchema,
    reason: z.string(),
    properties: z.record(z.enum(PROPERTY_NAMES), propertySchema),
  })
  .meta({ id: 'ElectionVerdict' });

const electionSchema = z
  .object({
    id: z.string().meta({ example: 'e_kq3vj5m2xw7ntb4d' }),
    algorithm: z.enum(ALGORITHM_NAMES),
    flags: z.record(z.string(), z.string()).meta({
      description: 'Where the protocol is not its default; numbers as text.',
      example: { electionTicks: '150' },
    }),
    nodes: z.int(),
    seed: seedSchema,
    ring: z.array(z.int()).meta({ description: 'The ranks in clockwise order.' }),
    latency: z.string(),
    time: z.int().meta({ description: 'Virtual time in ticks.' }),
    ticks: z.int().meta({ description: 'Time of the last delivery, timer or fault.' }),
    status: z.enum(['created', 'active', 'idle']).meta({
      description:
        'created: nothing was done yet. idle: nothing is left to happen, or where leaders send heartbeats one that all follow has lasted.',
    }),
    bound: z
      .enum(['idle', 'until', 'events'])
      .nullable()
      .meta({ description: 'Why the last advance ended; null before the first.' }),
    leader: z
      .object({ rank: z.int(), nodeId: z.string() })
      .nullable()
      .meta({ description: 'Whom all live nodes follow.' }),
    agreed: z.boolean(),
    messages: z
      .record(z.string(), z.int())
      .meta({ description: 'Sends by type, and total.', example: { PROBE: 5, total: 5 } }),
    inFlight: z.int(),
    verdict: verdictSchema,
    links: z.object({ self: z.string(), actions: z.string() }),
  })
  .meta({ id: 'Election' });

const actionSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('start'), nodes: ranksSchema.optional() }),
    z.strictObject({ type: z.literal('crash'), rank: rankSchema }),
    z.strictObject({ type: z.literal('recover'), rank: rankSchema }),
    z.strictObject({
      type: z.literal('advance'),
      until: z
        .union([z.literal('idle'), tickSchema], 'must be idle or a whole number of ticks')
        .default('idle'),
      events: z.int().min(1).max(EVENTS_PER_ADVANCE_MAX).optional(),
    }),
  ])
  .meta({ id: 'ElectionAction' });

const json = { 'application/json': { schema: electionSchema } };
const tags = ['elections'];
const path = '/v1/elections/{id}';
const params = z.strictObject({ id: idSchema });

const createElectionRoute = createRoute({
  method: 'post',
  path: '/v1/elections',
  operationId: 'createElection',
  tags,
  summary: 'Make an election; it stands at time 0 unless it is run at once',
  middleware: JSON_BODY,
  request: {
    query: NO_QUERY,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: electionRequestSchema,
          example: { algorithm: 'bully-oneshot', nodes: 5, seed: '1' },
        },
      },
    },
  },
  responses: {
    201: { description: 'Made; Location is where it stands.', content: json },
    ...bodyRefusals(409, 503),
  },
});

const readElectionRoute = createRoute({
  method: 'get',
  path,
  operationId: 'getElection',
  tags,
  summary: 'How an election stands',
  request: { params, query: NO_QUERY },
  responses: { 200: { description: 'The election.', content: json }, ...refusals(404) },
});

const deleteElectionRoute = createRoute({
  method: 'delete',
  path,
  operationId: 'deleteElection',
  tags,
  summary: 'Forget an election',
  request: { params, query: NO_QUERY },
  responses: { 204: { description: 'It is gone.' }, ...refusals(404, 503) },
});

const actRoute = createRoute({
  method: 'post',
  path: `${path}/actions`,
  operationId: 'actOnElection',
  tags,
  summary: 'Start, crash, recover, or let virtual time pass',
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
            advance: { value: { type: 'advance', until: 'idle' } },
          },
        },
      },
    },
  },
  responses: {
    200: { description: 'The election after the action.', content: json },
    ...bodyRefusals(404, 503),
  },
});

/** The routes about elections. */
export function electionRoutes({ elections }: Services): Router {
  return createRouter()
    .openapi(createElectionRoute, async (c) => {
      const election = await elections.create(parseElectionRequest(c.req.valid('json')));
      const view = electionView(election);
      c.header('Location', view.links.self);
      return c.json(view, 201);
    })
    .openapi(readElectionRoute, (c) => {
      return c.json(electionView(elections.get(c.req.valid('param').id)), 200);
    })
    .openapi(deleteElectionRoute, (c) => {
      elections.delete(c.req.valid('param').id);
      return c.body(null, 204);
    })
    .openapi(actRoute, async (c) => {
      const election = await elections.act(c.req.valid('param').id, c.req.valid('json'));
      return c.json(electionView(election), 200);
    });
}

function electionView(election: LiveElection): z.output<typeof electionSchema> {
  const { id, plan } = election;
  const { verdict, agreed, leader, idle, ticks, lastEventTicks, ...status } = election.status();
  const rank = agreed ? leader : null;
  return {
    id,
    algorithm: plan.algorithm,
    flags: { ...plan.flags },
    nodes: plan.nodes,
    seed: plan.seed,
    ring: [...plan.ring],
    latency: latencyText(plan.latency),
    time: ticks,
    ticks: lastEventTicks,
    status: election.isUntouched ? 'created' : idle ? 'idle' : 'active',
    bound: status.bound,
    leader: rank === null ? null : { rank, nodeId: election.nodeIdOf(rank) },
    agreed,
    messages: { ...status.messages },
    inFlight: status.inFlight,
    verdict: election.isUntouched ? UNSTARTED : verdict,
    links: { self: `/v1/elections/${id}`, actions: `/v1/elections/${id}/actions` },
  };
}

/** An election at rest because nobody started it has not failed. */
const UNSTARTED: Verdict = {
  value: 'unknown',
  reason: 'the election has not been started',
  properties: {
    agreement: { value: 'unknown', witnessed: false },
    uniqueness: { value: 'unknown', witnessed: false },
    termination: { value: 'unknown', witnessed: false },
    highestLiveWins: { value: 'unknown', witnessed: false },
  },
};
