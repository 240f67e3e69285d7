/**
 * @module
 * This folder contains sweeps as jobs: a threat model at every point of a grid. This file contains their
 * routes: the state of a sweep, and its tables of rows and of cells in the form that Accept names.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';

import { LabError } from '../../../src/errors.ts';
import { cellColumns, runColumns } from '../../../src/experiment/sweep/columns.ts';
import { SEED_RULES } from '../../../src/experiment/sweep/sweep.ts';
import { callerOf, listedFor } from '../../callers/caller.ts';
import { JSON_BODY } from '../../contract/json-body.ts';
import { acceptedType } from '../../contract/media-type.ts';
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
import type { SweepNews, SweepResult } from './execution.ts';
import type { SweepRequest } from './request.ts';
import { parseSweepRequest, sweepRequestSchema } from './request.ts';
import type { TableName } from './tables.ts';
import { TABLE_TYPES, tableStream } from './tables.ts';

const progressSchema = z
  .discriminatedUnion('phase', [
    z.object({ phase: z.literal('planning'), cells: z.int(), cellsTotal: z.int() }),
    z.object({
      phase: z.literal('computing'),
      cells: z.int(),
      cellsDone: z.int(),
      rows: z.int(),
      rowsDone: z.int(),
      failed: z.int().meta({ description: 'Rows without an outcome.' }),
      rowsPerSecond: z.number(),
      secondsLeft: z.number().nullable().meta({ description: 'Null before the first row.' }),
    }),
    z.object({ phase: z.literal('writing'), rows: z.int(), rowsTotal: z.int() }),
  ])
  .meta({ id: 'SweepProgress' });

const columnSchema = z.object({
  name: z.string(),
  type: z.enum(['text', 'integer', 'number', 'boolean']),
  meaning: z.string(),
});

export const sweepSchema = z
  .object({
    id: z.string().meta({ example: 's_kq3vj5m2xw7ntb4d' }),
    status: jobStatusSchema,
    threatModel: z.string(),
    set: z.array(z.string()),
    axes: z.array(z.object({ path: z.string(), values: z.int() })).meta({
      description: 'What is varied, and how many values it takes.',
    }),
    cells: z.int(),
    runs: z.int().meta({ description: 'Of each cell.' }),
    sample: z.int().nullable(),
    seed: seedSchema,
    seeds: z.enum(SEED_RULES),
    progress: progressSchema.nullable().meta({ description: 'Null before there is any.' }),
    result: z
      .object({
        complete: z.boolean().meta({ description: 'Else there are no tables.' }),
        rows: z.int(),
        refused: z.int().meta({ description: 'Cells that the document refuses.' }),
        failed: z.int().meta({ description: 'Rows without an outcome.' }),
        bytes: z.int().meta({ description: 'Of the tables in all forms.' }),
      })
      .optional(),
    columns: z
      .object({ rows: z.array(columnSchema), cells: z.array(columnSchema) })
      .meta({ description: 'Of the tables, in every form the same.' }),
    replay: z.string().meta({ description: 'The command that gives the same rows.' }),
    problem: problemSchema.optional().meta({ description: 'Why it failed.' }),
    links: z.object({
      ...{ self: z.string(), events: z.string() },
      ...{ rows: z.string(), cells: z.string() },
    }),
  })
  .meta({ id: 'Sweep' });

const json = { 'application/json': { schema: sweepSchema } };
const tags = ['experiments'];
const path = '/v1/sweeps/{id}';

const submitRoute = createRoute({
  method: 'post',
  path: '/v1/sweeps',
  operationId: 'submitSweep',
  tags,
  summary: 'Run a threat model at every point of a grid',
  middleware: JSON_BODY,
  request: {
    query: NO_QUERY,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: sweepRequestSchema,
          example: {
            threatModel: 'top-id',
            set: ['network.honest=4,8', 'work=sampled'],
            runs: 20,
            seed: '1',
          },
        },
      },
    },
  },
  responses: submitResponses(sweepSchema),
});

const listRoute = createRoute({
  method: 'get',
  path: '/v1/sweeps',
  operationId: 'listSweeps',
  tags,
  summary: 'Your sweeps',
  request: { query: pageQuerySchema },
  responses: {
    ...pageResponse(sweepSchema, 'A page of sweeps in the order of their ids.'),
    ...refusals(),
  },
});

const readRoute = createRoute({
  method: 'get',
  path,
  operationId: 'getSweep',
  tags,
  summary: 'How far a sweep is, and where its tables are',
  request: { params: jobParams, query: NO_QUERY },
  responses: { 200: { description: 'The sweep.', content: json }, ...refusals(404) },
});

const cancelRoute = createRoute({
  method: 'delete',
  path,
  operationId: 'cancelSweep',
  tags,
  summary: 'Stop a sweep; its rows go, what it had come to is told',
  request: { params: jobParams, query: NO_QUERY },
  responses: cancelResponses(sweepSchema),
});

const rowSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

function tableResponses(description: string) {
  const bytes = z.string().meta({ format: 'binary' });
  return {
    200: {
      description,
      content: {
        'application/json': { schema: z.array(rowSchema) },
        'text/csv': { schema: z.string() },
        'application/jsonl': { schema: z.string() },
        'application/vnd.apache.parquet': { schema: bytes },
      },
    },
    ...refusals(404, 406, 409),
  };
}

const rowsRoute = createRoute({
  method: 'get',
  path: `${path}/rows`,
  operationId: 'getSweepRows',
  tags,
  summary: 'Every run of a sweep, in the form that Accept names',
  request: { params: jobParams, query: NO_QUERY },
  responses: tableResponses('One row a run, in the order of cell and repetition.'),
});

const cellsRoute = createRoute({
  method: 'get',
  path: `${path}/cells`,
  operationId: 'getSweepCells',
  tags,
  summary: 'Every cell of a sweep with its interval, closed form and verdict',
  request: { params: jobParams, query: NO_QUERY },
  responses: tableResponses('One row a cell, in the order of the grid.'),
});

/** The routes about sweeps. */
export function sweepRoutes({ jobs: { sweeps }, threatModels }: Services) {
  const table = (c: Context, id: string, name: TableName) => tableAnswer(c, sweeps.get(id), name);
  return createRouter()
    .openapi(submitRoute, (c) => {
      const request = parseSweepRequest(c.req.valid('json'), threatModels);
      const sweep = sweepView(sweeps.submit(request, callerOf(c)));
      c.header('Location', sweep.links.self);
      return c.json(sweep, 202);
    })
    .openapi(listRoute, (c) => {
      const page = pageOf(sweeps.list(listedFor(c)), ({ id }) => id, c.req.valid('query'));
      return c.json(mapPage(page, sweepView), 200);
    })
    .openapi(readRoute, (c) => c.json(sweepView(sweeps.get(c.req.valid('param').id)), 200))
    .openapi(rowsRoute, (c) => table(c, c.req.valid('param').id, 'rows'))
    .openapi(cellsRoute, (c) => table(c, c.req.valid('param').id, 'cells'))
    .openapi(cancelRoute, (c) => {
      const { job, status } = cancelJob(sweeps, c.req.valid('param').id);
      return c.json(sweepView(job), status);
    });
}

type Sweep = JobSnapshot<SweepRequest, SweepNews, SweepResult>;

function tableAnswer(c: Context, { id, state }: Sweep, name: TableName): Response {
  const type = acceptedType(c, TABLE_TYPES);
  const folder = resultOf(state)?.folder ?? null;
  if (folder === null) {
    throw new LabError('job.unfinished', withoutTables(id, state.status));
  }
  return c.body(tableStream(folder, name, type), 200, { 'Content-Type': type });
}

function withoutTables(id: string, status: Sweep['state']['status']): string {
  switch (status) {
    case 'queued':
    case 'running':
      return `sweep ${id} is ${status}; its tables are there when it is done`;
    case 'cancelling':
      return `sweep ${id} is cancelling and will have no tables; POST it again for them`;
    case 'done':
      return `the tables of sweep ${id} are lost; POST it again with its seed, for the same rows`;
    case 'cancelled':
    case 'failed':
    case 'interrupted':
      return `sweep ${id} is ${status} and has no tables; POST it again with its seed, for its rows`;
    default:
      return status satisfies never;
  }
}

/** A sweep as callers see it. */
export function sweepView({ id, state, request, progress }: Sweep): z.output<typeof sweepSchema> {
  const { outline, seed, seedRule, replay } = request;
  const { axes, cells, runs, sample } = outline;
  const self = `/v1/sweeps/${id}`;
  const error = errorOf(state);
  return {
    id,
    status: state.status,
    threatModel: request.id,
    set: [...request.set],
    axes: axes.map(({ path: name, values }) => ({ path: name, values: values.length })),
    ...{ cells, runs, sample, seed, seeds: seedRule },
    progress: progress && progressView(progress),
    ...resultView(resultOf(state)),
    columns: { rows: [...runColumns(axes)], cells: [...cellColumns(axes)] },
    replay,
    ...(error !== null && { problem: problemOf(error, id) }),
    links: { self, events: `${self}/events`, rows: `${self}/rows`, cells: `${self}/cells` },
  };
}

function resultView(
  result: SweepResult | null,
): Pick<z.output<typeof sweepSchema>, 'result'> | null {
  if (result === null) return null;
  const { counts, isComplete: complete, bytes } = result;
  const { rows, refused, failed } = counts;
  return { result: { complete, rows, refused, failed, bytes } };
}

function progressView(news: NonNullable<SweepNews>): z.output<typeof progressSchema> {
  if (news.phase !== 'computing') return news;
  const { phase, cells, cellsDone, rows, rowsDone, failed, rowsPerSecond, secondsLeft } = news;
  return { phase, cells, cellsDone, rows, rowsDone, failed, rowsPerSecond, secondsLeft };
}
