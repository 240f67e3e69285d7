/**
 * @module
 * This folder contains the routes about elections. This file creates, lists, reads, copies and deletes them;
 * actions.ts acts on them, nodes.ts lists and adds nodes, streams.ts follows them.
 */

import { z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';

import type { Policy } from '../../../src/identity/policy.ts';
import type { Admission } from '../../claims/claim-checks.ts';
import type { Nonces } from '../../claims/nonces.ts';
import { chargedForBody } from '../../contract/json-body.ts';
import { idParams, newestFirst, ownerQuerySchema } from '../../contract/members.ts';
import { mapPage, pageOf, pageQuerySchema, pageResponse } from '../../contract/page.ts';
import { bodyRefusals, refusals } from '../../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../../contract/router.ts';
import type { Course } from '../../exercises/course.ts';
import type { ServerEnv } from '../../request/env.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { OnFault } from '../../request/refusals.ts';
import { electionRequestSchema, parseElectionRequest } from '../live/request.ts';
import type { ElectionStore } from '../storage/store.ts';
import { createActionRoutes } from './actions.ts';
import EXAMPLES from './examples.json' with { type: 'json' };
import { createInboxRoutes } from './node-inbox.ts';
import { createOutboxRoutes } from './node-outbox.ts';
import { createNodeRoutes } from './nodes.ts';
import { createSharingRoutes } from './sharing.ts';
import { createStreamRoutes } from './streams.ts';
import {
  electionSchema,
  electionSummarySchema,
  electionView,
  summaryStatusSchema,
  summaryView,
} from './view.ts';

const route = routesOf('elections');
const path = '/v1/elections/{id}';

const createElectionRoute = route('post', '/v1/elections', {
  operationId: 'createElection',
  summary: 'Create an election; its time is 0 unless it runs at once',
  description:
    'Time is virtual and passes only in an `advance`, so that an election can wait for its next action. With `run` it is started and advanced to idle at once. Nodes from outside join by `policy` before the first action, or later at the ranks that `newcomers` keeps. `level` says what proof messages need. `network`, `crash` and `byzantine` are faults that occur without an action. The same body with the same seed gives the same election.',
  body: jsonRequest(electionRequestSchema, { examples: EXAMPLES.createElection }),
  responses: {
    201: jsonAnswer(electionSchema, 'The election was created. Location is its path.'),
    ...bodyRefusals(409, 503),
  },
});

const listElectionsRoute = route('get', '/v1/elections', {
  operationId: 'listElections',
  summary: 'List the elections',
  query: pageQuerySchema.extend({
    status: summaryStatusSchema.optional().describe('Only elections with this status.'),
    owner: ownerQuerySchema,
  }),
  responses: {
    ...pageResponse(electionSummarySchema, 'A page of elections, the newest first.'),
    ...refusals(),
  },
});

const readElectionRoute = route('get', path, {
  operationId: 'getElection',
  summary: 'Get the state of an election',
  params: idParams,
  responses: { 200: jsonAnswer(electionSchema, 'The election.'), ...refusals(404, 409, 503) },
});

const forkSchema = z
  .strictObject({
    at: z
      .int('must be the number of an event')
      .min(0, 'must be the number of an event, from 0')
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('The `seq` of an event. All events are copied by default.'),
  })
  .meta({ id: 'ElectionFork' });

const forkElectionRoute = route('post', `${path}/fork`, {
  operationId: 'forkElection',
  summary: 'Copy an election as it is now, or as it was after one of its events',
  description:
    'The copy is independent of the election. It includes everything in the same step as the event, such as the other nodes that the same action started.',
  params: idParams,
  body: jsonRequest(forkSchema, { example: {} }),
  responses: {
    201: jsonAnswer(electionSchema, 'The copy. Location is its path.'),
    ...bodyRefusals(404, 409, 503),
  },
});

const deleteElectionRoute = route('delete', path, {
  operationId: 'deleteElection',
  summary: 'Delete an election',
  params: idParams,
  responses: { 204: { description: 'It was deleted.' }, ...refusals(404, 409, 503) },
});

export interface ElectionRouteParts {
  readonly elections: ElectionStore;
  readonly admission: Admission;
  readonly nonces: Nonces;
  readonly course: Pick<Course, 'assertVerifiable'>;
  /** The policy of a request that names none. */
  readonly policy: Policy;
  readonly lifecycle: Lifecycle;
  readonly onFault: OnFault;
}

/** The routes about elections. */
export function createElectionRoutes({ policy, ...parts }: ElectionRouteParts) {
  const { elections, lifecycle, admission, nonces, course, onFault } = parts;
  const router = createRouter();
  router.use('/v1/elections/:id/*', restoreFirst(elections, lifecycle));
  return router
    .openapi(createElectionRoute, async (c) => {
      const principal = c.get('principal');
      const plan = chargedForBody(c, () => parseElectionRequest(c.req.valid('json'), policy));
      const election = await elections.create(plan, principal, c.req.raw.signal);
      const view = electionView(election, principal, elections);
      c.header('Location', view.links.self);
      return c.json(view, 201);
    })
    .openapi(listElectionsRoute, (c) => {
      const principal = c.get('principal');
      const { status, owner, ...query } = c.req.valid('query');
      const listed = elections.list(principal).map((election) => {
        const { id, request } = election;
        const view = () => summaryView(election, principal, elections);
        return { id, createdMs: request.createdMs ?? 0, view };
      });
      const selected = listed
        .filter(({ view }) => status === undefined || view().status === status)
        .filter(({ view }) => owner === undefined || view().owner === owner);
      const page = pageOf(selected, newestFirst, query);
      return c.json(
        mapPage(page, ({ view }) => view()),
        200,
      );
    })
    .openapi(readElectionRoute, (c) => {
      const principal = c.get('principal');
      const election = elections.get(c.req.valid('param').id, principal);
      return c.json(electionView(election, principal, elections), 200);
    })
    .openapi(forkElectionRoute, async (c) => {
      const principal = c.get('principal');
      const { at } = c.req.valid('json');
      const copy = await elections.fork(c.req.valid('param').id, at, principal);
      const view = electionView(copy, principal, elections);
      c.header('Location', view.links.self);
      return c.json(view, 201);
    })
    .openapi(deleteElectionRoute, (c) => {
      elections.delete(c.req.valid('param').id, c.get('principal'));
      return c.body(null, 204);
    })
    .route('/', createSharingRoutes(elections))
    .route('/', createNodeRoutes({ elections, admission, nonces, course }))
    .route('/', createActionRoutes({ elections, lifecycle }))
    .route('/', createStreamRoutes({ elections, lifecycle, onFault }))
    .route('/', createInboxRoutes({ elections, lifecycle }))
    .route('/', createOutboxRoutes(elections));
}

/** Restores the election of a request. Only deleting does not need it. */
function restoreFirst(
  elections: ElectionStore,
  lifecycle: Lifecycle,
): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const id = c.req.param('id');
    if (id !== undefined && c.req.method !== 'DELETE') {
      await elections.restore(id, c.get('principal'), lifecycle);
    }
    await next();
  };
}
