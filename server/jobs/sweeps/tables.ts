/**
 * @module
 * The tables of a finished sweep as streams. A file is read piece by piece while the caller takes the
 * answer. JSON is created from the JSON lines.
 */

import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

import type { TableFormat } from '../../../src/runtime/sweep/table-writers.ts';

/** The forms of a table by media type, the default first. */
export const TABLE_TYPES = [
  'application/json',
  'text/csv',
  'application/jsonl',
  'application/vnd.apache.parquet',
] as const;
export type TableType = (typeof TABLE_TYPES)[number];

export type TableName = 'rows' | 'cells';

/** The stream of a table in a sweep's folder. It opens the file when it is first read. */
export function tableStream(
  folder: string,
  name: TableName,
  type: TableType,
): ReadableStream<Uint8Array> {
  const pathOf = (format: TableFormat) =>
    join(folder, name === 'rows' ? `rows.${format}` : `rows.cells.${format}`);
  switch (type) {
    case 'application/json':
      return mapped(fileStream(pathOf('jsonl')), arrayOfLines());
    case 'application/jsonl':
      return fileStream(pathOf('jsonl'));
    case 'text/csv':
      return fileStream(pathOf('csv'));
    case 'application/vnd.apache.parquet':
      return fileStream(pathOf('parquet'));
    default:
      return type satisfies never;
  }
}

const PIECE_BYTES = 64 * 1024;

function fileStream(path: string): ReadableStream<Uint8Array> {
  let file: FileHandle | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        file ??= await open(path);
        const { bytesRead, buffer } = await file.read(new Uint8Array(PIECE_BYTES));
        if (bytesRead > 0) {
          controller.enqueue(buffer.subarray(0, bytesRead));
          return;
        }
        await file.close();
        controller.close();
      },
      async cancel() {
        await file?.close();
      },
    },
    // The answer to a HEAD drops the stream unread, so no file may be open then.
    { highWaterMark: 0 },
  );
}

/** Turns pieces of JSON lines into pieces of one JSON array; null is the end. */
function arrayOfLines(): (piece: Uint8Array | null) => Uint8Array {
  let before = '[';
  return (piece) => {
    // A line end is never part of a UTF-8 character or of a JSON text, so bytes can be read as characters.
    const text = piece === null ? '' : Buffer.from(piece).toString('latin1');
    const isLineEnd = text.endsWith('\n');
    const lines = (isLineEnd ? text.slice(0, -1) : text).replaceAll('\n', ',\n');
    const joined = piece === null ? `${before === '[' ? '[' : ''}]\n` : `${before}${lines}`;
    before = isLineEnd ? ',\n' : '';
    return Buffer.from(joined, 'latin1');
  };
}

/** Maps each piece and the end (null) of a stream, without reading ahead. */
function mapped(
  source: ReadableStream<Uint8Array>,
  map: (piece: Uint8Array | null) => Uint8Array,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        controller.enqueue(map(done ? null : value));
        if (done) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
