/**
 * @module
 * Routes about runs of threat models: long work, so that asking for it answers 202 and a place to
 * look (AIP-151), and deleting it stops it.
 */

import { createRoute, z } from '@hono/zod-openapi';

import { idSchema } from './ids.ts';
import { JSON_BODY } from './json-body.ts';
import { problemOf } from './problem.ts';
import { bodyRefusals, problemSchema, refusals } from './problem-schema.ts';
import type { Router } from './router.ts';
import { createRouter, NO_QUERY } from './router.ts';
import type { RunSnapshot } from './run-queue.ts';
import { parseRunRequest, runRequestSchema } from './run-request.ts';
import { seedSchema } from './seed-schema.ts';
import type { Services } from './services.ts';

const ledgerSchema = z
  .object({
    attempts: z.number(),
    hashes: z.number(),
    groupOperations: z.number(),
    cpuSeconds: z.number(),
    wallSeconds: z.number(),
    overshoot: z.number(),
  })
  .meta({ id: 'Ledger' });

/** What `usurp run --json` prints. */
const reportSchema = z
  .object({
    threatModel: z.string(),
    verdict: z.object({
      value: z.enum(['true', 'false', 'unknown']),
      sentence: z.string(),
      reason: z.string(),
    }),
    measured: z.object({
      runs: z.int(),
      wins: z.int(),
      frequency: z.number().nullable(),
      interval: z.tuple([z.number(), z.number()]).readonly(),
    }),
    theory: z.object({ probability: z.number().nullable(), formula: z.string() }),
    elections: z.object({ held: z.int(), messages: z.int() }),
    ledger: z
      .object({ honest: ledgerSchema, adversaries: z.record(z.string(), ledgerSchema) })
      .nullable()
      .meta({ description: 'What was spent; null in sampled work.' }),
    replay: z.string().meta({ description: 'The command that gives the same again.' }),
  })
  .meta({ id: 'RunReport' });

const runSchema = z
  .object({
    id: z.string().meta({ example: 'r_kq3vj5m2xw7ntb4d' }),
    status: z.enum(['queued', 'running', 'cancelling', 'done', 'failed', 'cancelled']),
    threatModel: z.string(),
    settings: z.array(z.string()).meta({ description: 'As the command line spells them.' }),
    runs: z.int(),
    seed: seedSchema,
    progress: z.object({ done: z.int(), total: z.int() }),
    report: reportSchema.optional().meta({ description: 'Partial when the run was cancelled.' }),
    problem: problemSchema.optional().meta({ description: 'Why the run failed.' }),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'Run' });

const json = { 'application/json': { schema: runSchema } };

const submitRoute = createRoute({
  method: 'post',
  path: '/v1/runs',
  operationId: 'submitRun',
  tags: ['experiments'],
  summary: 'Run a threat model',
  middleware: JSON_BODY,
  request: {
    query: NO_QUERY,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: runRequestSchema,
          example: { threatModel: 'top-id', runs: 50, seed: '1', set: { work: 'sampled' } },
        },
      },
    },
  },
  responses: {
    202: { description: 'Taken; Location is where it stands.', content: json },
    ...bodyRefusals(503),
  },
});

const path = '/v1/runs/{id}';
const request = { params: z.strictObject({ id: idSchema }), query: NO_QUERY };

const readRoute = createRoute({
  method: 'get',
  path,
  operationId: 'getRun',
  tags: ['experiments'],
  summary: 'Where a run stands, and its report when it is done',
  request,
  responses: { 200: { description: 'The run.', content: json }, ...refusals(404) },
});

const cancelRoute = createRoute({
  method: 'delete',
  path,
  operationId: 'cancelRun',
  tags: ['experiments'],
  summary: 'Stop a run',
  request,
  responses: {
    200: { description: 'It was cancelled before.', content: json },
    202: { description: 'It is being cancelled.', content: json },
    ...refusals(404, 409),
  },
});

/** The routes about runs. */
export function runRoutes({ runs, threatModels }: Services): Router {
  return createRouter()
    .openapi(submitRoute, (c) => {
      const run = runView(runs.submit(parseRunRequest(c.req.valid('json'), threatModels)));
      c.header('Location', run.links.self);
      return c.json(run, 202);
    })
    .openapi(readRoute, (c) => c.json(runView(runs.get(c.req.valid('param').id)), 200))
    .openapi(cancelRoute, (c) => {
      const { id } = c.req.valid('param');
      const wasCancelled = runs.get(id).state.status === 'cancelled';
      return c.json(runView(runs.cancel(id)), wasCancelled ? 200 : 202);
    });
}

function runView(snapshot: RunSnapshot): z.output<typeof runSchema> {
  const { id, state, done } = snapshot;
  const { id: threatModel, settings, runs, seed } = snapshot.request;
  return {
    id,
    status: state.status,
    threatModel,
    settings: [...settings],
    runs,
    seed,
    progress: { done, total: runs },
    ...(state.status === 'done' && { report: state.report }),
    ...(state.status === 'cancelled' && state.report !== null && { report: state.report }),
    ...(state.status === 'failed' && { problem: problemOf(state.error, id) }),
    links: { self: `/v1/runs/${id}` },
  };
}
