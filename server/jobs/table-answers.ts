/**
 * @module
 * Tables of jobs as answers, in the form that Accept names. Small tables are made from the result of their
 * job; those of sweeps are files (sweeps/tables.ts).
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { LabError } from '../../src/errors.ts';
import type { Column, TableRow } from '../../src/experiment/sweep/columns.ts';
import { memberName } from '../../src/experiment/sweep/columns.ts';
import type { TableFormat } from '../../src/runtime/sweep/files.ts';
import { acceptedType } from '../contract/router.ts';
import type { JobSnapshot, JobTypes } from './job-kind.ts';
import { isUnfinished } from './job-kind.ts';

/** The forms of a table by media type, the default first. */
export const TABLE_TYPES = [
  'application/json',
  'text/csv',
  'application/jsonl',
  'application/vnd.apache.parquet',
] as const;

export type TableType = (typeof TABLE_TYPES)[number];

/** The format from which each form is created. */
export const FORMATS: Readonly<Record<TableType, TableFormat>> = {
  'application/json': 'jsonl',
  'text/csv': 'csv',
  'application/jsonl': 'jsonl',
  'application/vnd.apache.parquet': 'parquet',
};

const rowSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** A table as JSON. */
export const tableSchema = z.array(rowSchema).meta({ id: 'TableRows' });

/** The table in the other forms. */
export const TABLE_TEXTS = {
  'text/csv': { schema: z.string() },
  'application/jsonl': { schema: z.string() },
  'application/vnd.apache.parquet': { schema: z.string().meta({ format: 'binary' }) },
};

/** A table of a result. */
export interface ResultTable {
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
}

/** The result of a job. Throws LabError `job.unfinished`, or `not_found` if the job has none. */
export function resultOf<T extends JobTypes>({
  id,
  state,
}: JobSnapshot<T>): NonNullable<T['result']> {
  if (isUnfinished(state.status)) {
    const detail = `job ${id} is ${state.status}; its results can be read when it is over`;
    throw new LabError('job.unfinished', detail);
  }
  if (state.result === null || state.result === undefined) {
    throw new LabError('not_found', `job ${id} is ${state.status} and has no result`);
  }
  return state.result;
}

/** The answer with a table that is made from the result of a job. Throws LabError as `resultOf` does. */
export async function resultTableAnswer<T extends JobTypes>(
  c: Context,
  job: JobSnapshot<T>,
  tableOf: (result: NonNullable<T['result']>) => ResultTable,
): Promise<Response> {
  const type = acceptedType(c, TABLE_TYPES);
  const { columns, rows } = tableOf(resultOf(job));
  if (type === 'application/json') {
    const names = columns.map(({ name }) => memberName(name));
    const items = rows.map((row) => Object.fromEntries(row.map((value, at) => [names[at], value])));
    return c.json(items, 200);
  }
  // The writer of Parquet takes 0.8 MB of the heap, and few servers need it.
  const { tableBytes } = await import('../../src/runtime/sweep/table-writers.ts');
  return c.body(Buffer.from(tableBytes(FORMATS[type], columns, rows)), 200, {
    'Content-Type': type,
  });
}
