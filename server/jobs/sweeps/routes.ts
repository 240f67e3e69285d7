/**
 * @module
 * This folder contains sweeps as jobs: a threat model at every point of a grid. This file contains their
 * routes: the state of a sweep, and its tables of rows and of cells in the form that Accept names.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { LabError } from '../../../src/errors.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { cellColumns, runColumns } from '../../../src/experiment/sweep/columns.ts';
import { SEED_RULES } from '../../../src/experiment/sweep/sweep.ts';
import { idParams, seedSchema } from '../../contract/members.ts';
import { refusals } from '../../contract/problem.ts';
import { acceptedType, createRouter, NO_QUERY } from '../../contract/router.ts';
import type { ServerEnv } from '../../request/env.ts';
import type { JobRouteParts } from '../job-routes.ts';
import { jobAnswers, jobLinksSchema, jobMembers, jobRoutes, jobView } from '../job-routes.ts';
import type { JobSnapshot } from '../job-store.ts';
import type { SweepJobProgress, SweepResult, SweepStore } from './execution.ts';
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
      failed: z.int().describe('Rows without an outcome.'),
      rowsPerSecond: z.number(),
      secondsLeft: z.number().nullable().describe('Null before the first row.'),
    }),
    z.object({ phase: z.literal('writing'), rows: z.int(), rowsTotal: z.int() }),
  ])
  .meta({ id: 'SweepProgress' });

const columnSchema = z.object({
  name: z.string(),
  type: z.enum(['text', 'integer', 'number', 'boolean']),
  meaning: z.string(),
});

const sweepSchema = z
  .object({
    ...jobMembers('s_kq3vj5m2xw7ntb4d'),
    threatModel: z.string(),
    set: z.array(z.string()),
    axes: z
      .array(z.object({ path: z.string(), values: z.int() }))
      .describe('The settings that vary, and their numbers of values.'),
    cells: z.int(),
    runs: z.int().describe('Runs of each cell.'),
    sample: z.int().nullable(),
    seed: seedSchema,
    seeds: z.enum(SEED_RULES),
    progress: progressSchema.nullable().describe('Null before the first report.'),
    result: z
      .object({
        complete: z.boolean().describe('Whether there are tables.'),
        rows: z.int(),
        refused: z.int().describe('Cells that the document refuses.'),
        failed: z.int().describe('Rows without an outcome.'),
        bytes: z.int().describe('Size of the tables in all forms.'),
      })
      .optional(),
    columns: z
      .object({ rows: z.array(columnSchema), cells: z.array(columnSchema) })
      .describe('Columns of the tables, the same in every form.'),
    replay: z.string().describe('Command that computes the same rows.'),
    links: jobLinksSchema.extend({ rows: z.string(), cells: z.string() }),
  })
  .meta({ id: 'Sweep' });

const tags = ['experiments'];
const routes = jobRoutes({
  ...{ plural: 'sweeps', noun: 'sweep', name: 'Sweep', tags, query: NO_QUERY },
  summaries: {
    submit: 'Run a threat model at every point of a grid',
    list: 'List your sweeps',
    read: 'Get the state of a sweep, and links to its tables',
    cancel: 'Stop a sweep; its rows are removed, its counts are kept',
    follow: 'Follow the events of a sweep',
  },
  ...{ body: sweepRequestSchema, view: sweepSchema },
  example: {
    threatModel: 'top-id',
    set: ['network.honest=4,8', 'work=sampled'],
    ...{ runs: 20, seed: '1' },
  },
  progressExample: { phase: 'planning', cells: 128, cellsTotal: 900 },
});

const rowSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

function tableRoute<const Name extends TableName>(
  name: Name,
  described: { readonly operationId: string; readonly summary: string; readonly order: string },
) {
  const { order, ...operation } = described;
  return createRoute({
    method: 'get',
    path: `/v1/sweeps/{id}/${name}` as const,
    ...{ ...operation, tags },
    request: { params: idParams, query: NO_QUERY },
    responses: {
      200: {
        description: order,
        content: {
          'application/json': { schema: z.array(rowSchema) },
          'text/csv': { schema: z.string() },
          'application/jsonl': { schema: z.string() },
          'application/vnd.apache.parquet': { schema: z.string().meta({ format: 'binary' }) },
        },
      },
      ...refusals(404, 406, 409),
    },
  });
}

const rowsRoute = tableRoute('rows', {
  operationId: 'getSweepRows',
  summary: 'Get every run of a sweep, in the form that Accept names',
  order: 'One row for each run, in the order of cell and repetition.',
});

const cellsRoute = tableRoute('cells', {
  operationId: 'getSweepCells',
  summary: 'Get every cell of a sweep with its interval, closed form and verdict',
  order: 'One row for each cell, in the order of the grid.',
});

export interface SweepRouteParts extends JobRouteParts {
  readonly sweeps: SweepStore;
  readonly threatModels: readonly ThreatModel[];
}

/** The routes about sweeps. */
export function createSweepRoutes({ sweeps, threatModels, ...parts }: SweepRouteParts) {
  const answers = jobAnswers(sweeps, 'sweep', sweepView);
  const table = (c: Context<ServerEnv>, id: string, name: TableName) =>
    tableAnswer(c, sweeps.get(id, c.get('principal')), name);
  return createRouter()
    .openapi(routes.submit, (c) =>
      c.json(answers.submit(c, parseSweepRequest(c.req.valid('json'), threatModels)), 202),
    )
    .openapi(routes.list, (c) => c.json(answers.list(c, c.req.valid('query')), 200))
    .openapi(routes.read, (c) => c.json(answers.read(c, c.req.valid('param')), 200))
    .openapi(rowsRoute, (c) => table(c, c.req.valid('param').id, 'rows'))
    .openapi(cellsRoute, (c) => table(c, c.req.valid('param').id, 'cells'))
    .openapi(routes.cancel, (c) => c.json(...answers.cancel(c, c.req.valid('param'))))
    .openapi(routes.follow, (c) =>
      answers.follow(c, c.req.valid('header')['last-event-id'], parts),
    );
}

type Sweep = JobSnapshot<SweepRequest, SweepJobProgress, SweepResult>;

function tableAnswer(c: Context, { id, state }: Sweep, name: TableName): Response {
  const type = acceptedType(c, TABLE_TYPES);
  const folder = state.result?.folder ?? null;
  if (folder === null) throw new LabError('job.unfinished', withoutTables(id, state.status));
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

/** A sweep as callers receive it. */
function sweepView(job: Sweep): z.output<typeof sweepSchema> {
  const { outline, seed, seedRule, replay, set } = job.request;
  const { axes, cells, runs, sample } = outline;
  const self = `/v1/sweeps/${job.id}`;
  const { result } = job.state;
  return {
    ...jobView(job),
    threatModel: job.request.id,
    set: [...set],
    axes: axes.map(({ path, values }) => ({ path, values: values.length })),
    ...{ cells, runs, sample, seed, seeds: seedRule },
    progress: job.progress && progressView(job.progress),
    ...(result && { result: resultView(result) }),
    columns: { rows: [...runColumns(axes)], cells: [...cellColumns(axes)] },
    replay,
    links: { self, events: `${self}/events`, rows: `${self}/rows`, cells: `${self}/cells` },
  };
}

function resultView({ counts, isComplete: complete, bytes }: SweepResult) {
  const { rows, refused, failed } = counts;
  return { complete, rows, refused, failed, bytes };
}

function progressView(progress: NonNullable<SweepJobProgress>): z.output<typeof progressSchema> {
  if (progress.phase !== 'computing') return progress;
  const { phase, cells, cellsDone, rows, rowsDone, failed, rowsPerSecond, secondsLeft } = progress;
  return { phase, cells, cellsDone, rows, rowsDone, failed, rowsPerSecond, secondsLeft };
}
