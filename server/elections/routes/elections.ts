/**
 * @module
 * This folder contains the routes about elections. This file creates, lists, reads, copies and deletes
 * them; actions.ts acts on them, nodes.ts lists and adds nodes, streams.ts follows them.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { charged } from '../../callers/principal.ts';
import { idSchema } from '../../contract/ids.ts';
import { JSON_BODY } from '../../contract/json-body.ts';
import { mapPage, pageOf, pageQuerySchema, pageResponse } from '../../contract/page.ts';
import { bodyRefusals, refusals } from '../../contract/problem-schema.ts';
import { createRouter, NO_QUERY } from '../../contract/router.ts';
import type { ServerEnv } from '../../request/env.ts';
import type { Services } from '../../services.ts';
import { electionRequestSchema, parseElectionRequest } from '../live/request.ts';
import { actionRoutes } from './actions.ts';
import { inboxRoutes } from './node-inbox.ts';
import { outboxRoutes } from './node-outbox.ts';
import { nodeRoutes } from './nodes.ts';
import { streamRoutes } from './streams.ts';
import {
  electionSchema,
  electionSummarySchema,
  electionView,
  summaryView,
  verdictSchema,
} from './view.ts';

const json = { 'application/json': { schema: electionSchema } };
const tags = ['elections'];
const path = '/v1/elections/{id}';
const params = z.strictObject({ id: idSchema });

const CREATION_EXAMPLES = {
  plain: { value: { protocol: 'bully-oneshot', nodes: 5, seed: '1' } },
  run: { value: { protocol: 'cr-join', nodes: 5, crash: 'highest', seed: '1', run: true } },
  joined: {
    summary: 'Identities cost eight bits, messages are signed, and two nodes may join later',
    value: {
      ...{ protocol: 'bully-oneshot', nodes: 5, level: 'L3' },
      ...{ policy: { c1: 8 }, newcomers: 2, seed: '1' },
    },
  },
  network: {
    summary: 'Messages are lost, and a partition comes and goes',
    value: {
      ...{ protocol: 'raft', nodes: 5, latency: 'uniform:10:50', seed: '1' },
      network: { loss: '5%', partition: 'halves@100-300' },
    },
  },
  byzantine: {
    summary: 'A node on the ring swallows what it should pass on',
    value: {
      ...{ protocol: 'cr-join', nodes: 5, level: 'L2', seed: '1' },
      byzantine: [{ rank: 2, behaviours: ['swallow'] }],
    },
  },
};

const createElectionRoute = createRoute({
  method: 'post',
  path: '/v1/elections',
  operationId: 'createElection',
  tags,
  summary: 'Make an election; it stands at time 0 unless it is run at once',
  description:
    'Time is virtual and passes only where an `advance` is asked for, so that an election waits for its next action as long as it is kept. With `run` it is started and advanced to idle at once. Nodes from outside join by `policy` before anything was done to it, or later in the places of `newcomers`; `level` says what proof messages need. `network`, `crash` and `byzantine` are what goes wrong by itself. The same body with the same seed gives the same election.',
  middleware: JSON_BODY,
  request: {
    query: NO_QUERY,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: electionRequestSchema,
          examples: CREATION_EXAMPLES,
        },
      },
    },
  },
  responses: {
    201: { description: 'Made; Location is where it stands.', content: json },
    ...bodyRefusals(409, 503),
  },
});

const listElectionsRoute = createRoute({
  method: 'get',
  path: '/v1/elections',
  operationId: 'listElections',
  tags,
  summary: 'The elections that there are',
  request: { query: pageQuerySchema },
  responses: {
    ...pageResponse(electionSummarySchema, 'A page of elections, in the order of their ids.'),
    ...refusals(),
  },
});

const readElectionRoute = createRoute({
  method: 'get',
  path,
  operationId: 'getElection',
  tags,
  summary: 'How an election stands',
  request: { params, query: NO_QUERY },
  responses: { 200: { description: 'The election.', content: json }, ...refusals(404, 409, 503) },
});

const readVerdictRoute = createRoute({
  method: 'get',
  path: `${path}/verdict`,
  operationId: 'getElectionVerdict',
  tags,
  summary: 'Whether what must hold in an election holds',
  request: { params, query: NO_QUERY },
  responses: {
    200: {
      description: 'The verdict, unknown as long as it can still go either way.',
      content: { 'application/json': { schema: verdictSchema } },
    },
    ...refusals(404, 409, 503),
  },
});

const forkElectionRoute = createRoute({
  method: 'post',
  path: `${path}/fork`,
  operationId: 'forkElection',
  tags,
  summary: 'Copy an election as it stands, or as it stood after one of its events',
  description:
    'The copy goes its own way from there. It holds the event and whatever happened in the same step, such as the other nodes that one action started.',
  middleware: JSON_BODY,
  request: {
    params,
    query: NO_QUERY,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z
            .strictObject({
              at: z
                .int('must be the number of an event')
                .min(0, 'must be the number of an event, from 0')
                .optional()
                .meta({ description: 'The `seq` of an event; left out, the copy has all.' }),
            })
            .meta({ id: 'ElectionFork' }),
          example: {},
        },
      },
    },
  },
  responses: {
    201: { description: 'The copy; Location is where it stands.', content: json },
    ...bodyRefusals(404, 409, 503),
  },
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

/** The routes about elections. */
export function electionRoutes(services: Services) {
  const { elections } = services;
  const router = createRouter();
  router.use('/v1/elections/:id/*', awakening(services));
  return router
    .openapi(createElectionRoute, async (c) => {
      const plan = parseElectionRequest(c.req.valid('json'), services.policy);
      // Who leaves meanwhile has nothing mined any more.
      const election = await elections.create(plan, c.req.raw.signal);
      const view = electionView(election);
      c.header('Location', view.links.self);
      return c.json(view, 201);
    })
    .openapi(listElectionsRoute, (c) => {
      const page = pageOf(elections.list(), ({ id }) => id, c.req.valid('query'));
      return c.json(mapPage(page, summaryView), 200);
    })
    .openapi(readElectionRoute, (c) => {
      const election = elections.get(c.req.valid('param').id);
      return c.json(
        charged(() => electionView(election)),
        200,
      );
    })
    .openapi(readVerdictRoute, (c) => {
      const election = elections.get(c.req.valid('param').id);
      const { verdict } = charged(() => electionView(election));
      return c.json(verdict, 200);
    })
    .openapi(forkElectionRoute, async (c) => {
      const copy = await elections.fork(c.req.valid('param').id, c.req.valid('json').at);
      const view = electionView(copy);
      c.header('Location', view.links.self);
      return c.json(view, 201);
    })
    .openapi(deleteElectionRoute, (c) => {
      elections.delete(c.req.valid('param').id);
      return c.body(null, 204);
    })
    .route('/', nodeRoutes(services))
    .route('/', actionRoutes(services))
    .route('/', streamRoutes(services))
    .route('/', inboxRoutes(services))
    .route('/', outboxRoutes(services));
}

/** All but deleting needs the election itself. */
function awakening({ elections, lifecycle }: Services): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const id = c.req.param('id');
    if (id !== undefined && c.req.method !== 'DELETE') await elections.awaken(id, lifecycle);
    await next();
  };
}
