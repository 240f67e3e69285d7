/**
 * @module
 * The routes of sweeps: those of every job, and the tables of rows and of cells in the form that Accept
 * names.
 */

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { LabError } from '../../../src/errors.ts';
import type { TableFormat } from '../../../src/runtime/sweep/table-writers.ts';
import { idParams } from '../../contract/members.ts';
import { refusals } from '../../contract/problem.ts';
import { acceptedType, createRouter, NO_QUERY } from '../../contract/router.ts';
import type { JobSnapshot, JobStatus } from '../job-kind.ts';
import type { JobStore } from '../job-store.ts';
import type { SweepJob } from './sweep.ts';
import { SWEEP } from './sweep.ts';

/** The forms of a table by media type, the default first. */
const TABLE_TYPES = [
  'application/json',
  'text/csv',
  'application/jsonl',
  'application/vnd.apache.parquet',
] as const;

type TableType = (typeof TABLE_TYPES)[number];

/** The file from which each form is created. */
const FORMATS: Readonly<Record<TableType, TableFormat>> = {
  'application/json': 'jsonl',
  'text/csv': 'csv',
  'application/jsonl': 'jsonl',
  'application/vnd.apache.parquet': 'parquet',
};

type TableName = 'rows' | 'cells';

const rowSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

function tableRoute<const Name extends TableName>(
  name: Name,
  described: { readonly operationId: string; readonly summary: string; readonly order: string },
) {
  const { order, ...operation } = described;
  return createRoute({
    method: 'get',
    path: `/v1/sweeps/{id}/${name}` as const,
    tags: SWEEP.tags,
    ...operation,
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

export function createTableRoutes(sweeps: JobStore<SweepJob>) {
  return createRouter()
    .openapi(rowsRoute, (c) =>
      tableAnswer(c, sweeps.get(c.req.valid('param').id, c.get('principal')), 'rows'),
    )
    .openapi(cellsRoute, (c) =>
      tableAnswer(c, sweeps.get(c.req.valid('param').id, c.get('principal')), 'cells'),
    );
}

function tableAnswer(c: Context, { id, state }: JobSnapshot<SweepJob>, name: TableName): Response {
  const type = acceptedType(c, TABLE_TYPES);
  const folder = state.result?.folder ?? null;
  if (folder === null) throw new LabError('job.unfinished', withoutTables(id, state.status));
  return c.body(tableStream(folder, name, type), 200, { 'Content-Type': type });
}

function withoutTables(id: string, status: JobStatus): string {
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

/** The stream of a table in a sweep's folder. It opens the file when it is first read. */
export function tableStream(
  folder: string,
  name: TableName,
  type: TableType,
): ReadableStream<Uint8Array> {
  const format = FORMATS[type];
  const path = join(folder, name === 'rows' ? `rows.${format}` : `rows.cells.${format}`);
  return ReadableStream.from(type === 'application/json' ? arrayOfLines(path) : piecesOf(path));
}

const PIECE_BYTES = 64 * 1024;

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(PIECE_BYTES));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** One JSON array of the lines of a file, which are JSON. */
async function* arrayOfLines(path: string): AsyncGenerator<Uint8Array> {
  let before = '[';
  for await (const piece of piecesOf(path)) {
    // A line end is never part of a UTF-8 character or of a JSON text, so bytes can be read as characters.
    const text = Buffer.from(piece).toString('latin1');
    const isLineEnd = text.endsWith('\n');
    const lines = (isLineEnd ? text.slice(0, -1) : text).replaceAll('\n', ',\n');
    yield Buffer.from(`${before}${lines}`, 'latin1');
    before = isLineEnd ? ',\n' : '';
  }
  yield Buffer.from(before === '[' ? '[]\n' : ']\n');
}
