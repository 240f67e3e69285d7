/**
 * @module
 * The tables of a sweep as answers: rows and cells in the form that Accept names.
 */

import type { Context } from 'hono';
import { LabError } from '../../../src/errors.ts';
import { acceptedType } from '../../contract/router.ts';
import type { JobSnapshot, JobStatus } from '../job-kind.ts';
import { isUnfinished } from '../job-kind.ts';
import type { TableType } from '../table-answers.ts';
import { FORMATS, TABLE_TYPES } from '../table-answers.ts';
import type { SweepJob } from './sweep.ts';
import type { TableFile } from './table-files.ts';
import { assertIntact, intactPieces } from './table-files.ts';

export const TABLE_NAMES = ['rows', 'cells'] as const;

export type TableName = (typeof TABLE_NAMES)[number];

/**
 * The answer with a table in the form that Accept names. Throws LabError `job.unfinished`, or `not_found` if
 * there is none, or `sweep.damaged` if it is not as it was written.
 */
export async function tableAnswer(
  c: Context,
  { id, state }: JobSnapshot<SweepJob>,
  name: TableName,
): Promise<Response> {
  const type = acceptedType(c, TABLE_TYPES);
  if (isUnfinished(state.status)) {
    const detail = `job ${id} is ${state.status}; its tables can be read when it is over`;
    throw new LabError('job.unfinished', detail);
  }
  const folder = state.result?.folder ?? null;
  if (folder === null) throw new LabError('not_found', withoutTables(id, state.status));
  const format = FORMATS[type];
  const fileName = name === 'rows' ? `rows.${format}` : `rows.cells.${format}`;
  const table = state.result?.tables.find((each) => each.name === fileName);
  if (table === undefined) throw new TypeError(`"tables" expected ${fileName}`);
  await assertIntact(folder, table);
  return c.body(tableStream(folder, table, type), 200, { 'Content-Type': type });
}

function withoutTables(id: string, status: JobStatus): string {
  const again = 'POST it again with its seed, for its rows';
  return status === 'done'
    ? `the tables of job ${id} are lost; ${again}`
    : `job ${id} is ${status} and has no tables; ${again}`;
}

/** The stream of a table. It opens the file when it is first read. */
export function tableStream(
  folder: string,
  table: TableFile,
  type: TableType,
): ReadableStream<Uint8Array> {
  const intact = intactPieces(folder, table);
  const pieces = type === 'application/json' ? arrayOfLines(intact) : intact;
  const reading = pieces[Symbol.asyncIterator]();
  const source = {
    async pull(stream: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await reading.next();
      if (done === true) stream.close();
      else stream.enqueue(value);
    },
    cancel: async () => void (await reading.return?.(undefined)),
  };
  // Nothing is read before someone asks for it.
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** One JSON array of the lines of a file, which are JSON. */
async function* arrayOfLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let before = '[';
  for await (const piece of pieces) {
    // A line end is never part of a UTF-8 character or of a JSON text, so bytes can be read as characters.
    const text = Buffer.from(piece).toString('latin1');
    const isLineEnd = text.endsWith('\n');
    const lines = (isLineEnd ? text.slice(0, -1) : text).replaceAll('\n', ',\n');
    yield Buffer.from(`${before}${lines}`, 'latin1');
    before = isLineEnd ? ',\n' : '';
  }
  yield Buffer.from(before === '[' ? '[]\n' : ']\n');
}
