/**
 * @module
 * This folder contains the runs of a threat model as jobs. This file contains their routes: POST answers
 * 202 with a Location (AIP-151), DELETE cancels.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { OBSERVATION_NAMES } from '../../../src/experiment/runs/observations.ts';
import type { RunReport } from '../../../src/experiment/verdict/report.ts';
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
import type { RunRequest } from './request.ts';
import { parseRunRequest, runRequestSchema } from './request.ts';

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
    observations: z
      .partialRecord(z.enum(OBSERVATION_NAMES), z.number())
      .optional()
      .meta({ description: 'Of a single run: what else there was to see.' }),
    replay: z.string().meta({ description: 'The command that gives the same again.' }),
  })
  .meta({ id: 'RunReport' });

export const runSchema = z
  .object({
    id: z.string().meta({ example: 'r_kq3vj5m2xw7ntb4d' }),
    status: jobStatusSchema,
    threatModel: z.string(),
    settings: z.array(z.string()).meta({ description: 'As the command line spells them.' }),
    runs: z.int(),
    seed: seedSchema,
    progress: z.object({ done: z.int(), total: z.int() }),
    report: reportSchema.optional().meta({ description: 'Partial when the run was cancelled.' }),
    problem: problemSchema.optional().meta({ description: 'Why the run failed.' }),
    links: z.object({ self: z.string(), events: z.string() }),
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
  responses: submitResponses(runSchema),
});

const listRoute = createRoute({
  method: 'get',
  path: '/v1/runs',
  operationId: 'listRuns',
  tags: ['experiments'],
  summary: 'Your runs',
  request: { query: pageQuerySchema },
  responses: {
    ...pageResponse(runSchema, 'A page of runs in the order of their ids.'),
    ...refusals(),
  },
});

const path = '/v1/runs/{id}';
const request = { params: jobParams, query: NO_QUERY };

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
  responses: cancelResponses(runSchema),
});

/** The routes about runs. */
export function runRoutes({ jobs: { runs }, threatModels }: Services) {
  return createRouter()
    .openapi(submitRoute, (c) => {
      const asked = parseRunRequest(c.req.valid('json'), threatModels);
      const run = runView(runs.submit(asked, callerOf(c)));
      c.header('Location', run.links.self);
      return c.json(run, 202);
    })
    .openapi(listRoute, (c) => {
      const page = pageOf(runs.list(listedFor(c)), ({ id }) => id, c.req.valid('query'));
      return c.json(mapPage(page, runView), 200);
    })
    .openapi(readRoute, (c) => c.json(runView(runs.get(c.req.valid('param').id)), 200))
    .openapi(cancelRoute, (c) => {
      const { job, status } = cancelJob(runs, c.req.valid('param').id);
      return c.json(runView(job), status);
    });
}

/** A run as callers see it. */
export function runView(
  snapshot: JobSnapshot<RunRequest, number, RunReport>,
): z.output<typeof runSchema> {
  const { id, state, progress } = snapshot;
  const { id: threatModel, settings, runs, seed } = snapshot.request;
  const report = resultOf(state);
  const error = errorOf(state);
  return {
    id,
    status: state.status,
    threatModel,
    settings: [...settings],
    runs,
    seed,
    progress: { done: state.status === 'done' ? runs : progress, total: runs },
    ...(report !== null && { report }),
    ...(error !== null && { problem: problemOf(error, id) }),
    links: { self: `/v1/runs/${id}`, events: `/v1/runs/${id}/events` },
  };
}
