/**
 * @module
 * This folder contains forgeries as jobs: searches for an identity that a policy admits and that meets a
 * goal. This file contains their routes. The secrets of a result are sent only to the caller that
 * submitted the job, and only if the request asks for them.
 */

import { createRoute, z } from '@hono/zod-openapi';

import { LabError } from '../../../src/errors.ts';
import { claimJsonSchema } from '../../../src/identity/claim.ts';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import { formatGoal } from '../../../src/mining/goal.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../../src/mining/strategy.ts';
import { callerOf, listedFor } from '../../callers/caller.ts';
import { JSON_BODY } from '../../contract/json-body.ts';
import { mapPage, pageOf, pageQuerySchema, pageResponse } from '../../contract/page.ts';
import { problemOf } from '../../contract/problem.ts';
import { problemSchema, refusals } from '../../contract/problem-schema.ts';
import { createRouter, NO_QUERY } from '../../contract/router.ts';
import { seedSchema } from '../../contract/seed-schema.ts';
import type { Services } from '../../services.ts';
import {
  cancelJob,
  cancelResponses,
  errorOf,
  jobParams,
  jobStatusSchema,
  resultOf,
  submitResponses,
} from '../job-schema.ts';
import type { JobSnapshot } from '../job-store.ts';
import { ledgerSchema } from '../ledger-schema.ts';
import type { ForgeryProgress, ForgeryResult } from './execution.ts';
import { forgeryOdds } from './execution.ts';
import type { ForgeryRequest } from './request.ts';
import { forgeryRequestSchema, parseForgeryRequest } from './request.ts';

const progressSchema = z
  .object({
    phase: z.enum(['stock', 'keys', 'solutions']),
    tested: z.int().meta({ description: 'Numbers tried in this phase.' }),
    perSecond: z.number(),
    bestBits: z.int().nullable().meta({ description: 'Null before there are any.' }),
    ledger: ledgerSchema.meta({ description: 'Should it end now.' }),
    odds: z
      .object({
        wanted: z.int().meta({ description: 'Identities sought; the times are of one.' }),
        foundProbability: z
          .number()
          .nullable()
          .meta({ description: 'P(found by now); null where several are wanted.' }),
        expectedSeconds: z.number(),
        p50Seconds: z.number().meta({ description: 'From any moment on, 50 % are done in this.' }),
        p95Seconds: z.number(),
      })
      .nullable()
      .meta({
        description:
          'A search has no memory, so there is no remaining time. Null where only the budget ends it.',
      }),
  })
  .meta({ id: 'ForgeryProgress' });

const keySchema = z.object({
  form: z.enum(['seed', 'scalar', 'torsion-scalar']),
  hex: z.string(),
});

const resultSchema = z
  .object({
    found: z.boolean(),
    ending: z.enum(['found', 'attempts', 'time', 'cancelled']),
    claim: claimJsonSchema.nullable(),
    claims: z
      .array(claimJsonSchema)
      .optional()
      .meta({ description: 'All of them, for the goal count.' }),
    measured: z.object({ c1: z.int(), c2: z.int() }).nullable(),
    ledger: ledgerSchema,
  })
  .meta({ id: 'ForgeryResult' });

export const forgerySchema = z
  .object({
    id: z.string().meta({ example: 'f_kq3vj5m2xw7ntb4d' }),
    status: jobStatusSchema,
    goal: z.string().meta({ description: 'With top and near resolved.', example: 'any' }),
    scheme: z.enum(SCHEME_NAMES),
    strategy: z.enum(STRATEGY_NAMES),
    dynamicStrategy: z.enum(DYNAMIC_STRATEGY_NAMES),
    c1: z.int(),
    c2: z.int(),
    budget: z.object({
      attempts: z.int().optional(),
      hashes: z.int().optional(),
      cpuSeconds: z.number().optional(),
      wallSeconds: z.number().optional(),
    }),
    seed: seedSchema
      .nullable()
      .meta({ description: 'The one that was asked for; null where one was drawn, a secret.' }),
    progress: progressSchema.nullable().meta({ description: 'Null before there is any.' }),
    result: resultSchema.optional().meta({ description: 'Partial when it was cancelled.' }),
    secret: z
      .object({ seed: seedSchema, keys: z.array(keySchema) })
      .optional()
      .meta({ description: 'With ?secret=true: the keys of the claims, in their order.' }),
    problem: problemSchema.optional().meta({ description: 'Why it failed.' }),
    links: z.object({ self: z.string(), events: z.string() }),
  })
  .meta({ id: 'Forgery' });

const json = { 'application/json': { schema: forgerySchema } };
const tags = ['identities'];
const path = '/v1/forgeries/{id}';

const submitRoute = createRoute({
  method: 'post',
  path: '/v1/forgeries',
  operationId: 'submitForgery',
  tags,
  summary: 'Mine an identity towards a goal, within a budget',
  middleware: JSON_BODY,
  request: {
    query: NO_QUERY,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: forgeryRequestSchema,
          example: { goal: 'any', c1: 8, budget: { attempts: 10_000 }, seed: '1' },
        },
      },
    },
  },
  responses: submitResponses(forgerySchema),
});

const listRoute = createRoute({
  method: 'get',
  path: '/v1/forgeries',
  operationId: 'listForgeries',
  tags,
  summary: 'Your forgeries, without their secrets',
  request: { query: pageQuerySchema },
  responses: {
    ...pageResponse(forgerySchema, 'A page of forgeries in the order of their ids.'),
    ...refusals(),
  },
});

const readRoute = createRoute({
  method: 'get',
  path,
  operationId: 'getForgery',
  tags,
  summary: 'How far a forgery is, and what it found',
  request: {
    params: jobParams,
    query: z.strictObject({
      secret: z
        .enum(['true', 'false'])
        .default('false')
        .meta({ description: 'Tell seed and keys too; only to who asked for the forgery.' }),
    }),
  },
  responses: { 200: { description: 'The forgery.', content: json }, ...refusals(404) },
});

const cancelRoute = createRoute({
  method: 'delete',
  path,
  operationId: 'cancelForgery',
  tags,
  summary: 'Stop a forgery; its ledger is kept',
  request: { params: jobParams, query: NO_QUERY },
  responses: cancelResponses(forgerySchema),
});

/** The routes about forgeries. */
export function forgeryRoutes({ jobs: { forgeries }, policy }: Services) {
  return createRouter()
    .openapi(submitRoute, (c) => {
      const request = parseForgeryRequest(c.req.valid('json'), policy);
      const forgery = forgeryView(forgeries.submit(request, callerOf(c)));
      c.header('Location', forgery.links.self);
      return c.json(forgery, 202);
    })
    .openapi(listRoute, (c) => {
      const page = pageOf(forgeries.list(listedFor(c)), ({ id }) => id, c.req.valid('query'));
      return c.json(mapPage(page, forgeryView), 200);
    })
    .openapi(readRoute, (c) => {
      const { id } = c.req.valid('param');
      const forgery = forgeries.get(id);
      if (c.req.valid('query').secret === 'false') return c.json(forgeryView(forgery), 200);
      if (forgery.caller !== callerOf(c))
        throw new LabError('not_found', `there is no forgery ${id}`);
      c.header('Cache-Control', 'no-store');
      return c.json({ ...forgeryView(forgery), secret: secretOf(forgery) }, 200);
    })
    .openapi(cancelRoute, (c) => {
      const { job, status } = cancelJob(forgeries, c.req.valid('param').id);
      return c.json(forgeryView(job), status);
    });
}

type Forgery = JobSnapshot<ForgeryRequest, ForgeryProgress | null, ForgeryResult>;

/** Everything but secrets. */
export function forgeryView({
  id,
  state,
  request,
  progress,
}: Forgery): z.output<typeof forgerySchema> {
  const { task, seed } = request;
  const result = resultOf(state);
  const error = errorOf(state);
  return {
    id,
    status: state.status,
    goal: formatGoal(task.goal),
    scheme: task.scheme,
    strategy: task.strategy,
    dynamicStrategy: task.dynamicStrategy,
    c1: task.policy.c1,
    c2: task.policy.c2,
    budget: { ...task.budget },
    seed,
    progress: progress && progressView(request, progress),
    ...(result !== null && { result: resultView(request, result) }),
    ...(error !== null && { problem: problemOf(error, id) }),
    links: { self: `/v1/forgeries/${id}`, events: `/v1/forgeries/${id}/events` },
  };
}

function progressView(
  { task }: ForgeryRequest,
  progress: ForgeryProgress,
): z.output<typeof progressSchema> {
  const { phase, tested, bestBits, wallSeconds, ledger } = progress;
  return {
    ...{ phase, tested, ledger },
    perSecond: tested / Math.max(wallSeconds, 1e-6),
    bestBits: bestBits < 0 ? null : bestBits,
    odds: forgeryOdds(task, progress),
  };
}

function resultView(
  { task }: ForgeryRequest,
  { found, ending, claims, measured, ledger }: ForgeryResult,
): z.output<typeof resultSchema> {
  const [claim = null] = claims;
  const several = task.goal.type === 'count' ? { claims: [...claims] } : {};
  return { found, ending, claim, ...several, measured, ledger };
}

function secretOf({ request, state }: Forgery): z.output<typeof forgerySchema>['secret'] {
  const keys = resultOf(state)?.secrets ?? [];
  return { seed: request.task.seed, keys: keys.map((key) => ({ ...key })) };
}
