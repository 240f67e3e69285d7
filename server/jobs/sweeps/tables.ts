/**
 * @module
 * The tables of a finished sweep as streams: files are read piece by piece while somebody reads the
 * answer, and not before. JSON is made of JSON lines on the way.
 */

import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

import type { TableFormat } from '../../../src/runtime/sweep/table-writers.ts';

/** Every form of a table by its media type, the one for who does not say first. */
export const TABLE_TYPES = [
  'application/json',
  'text/csv',
  'application/jsonl',
  'application/vnd.apache.parquet',
] as const;
export type TableType = (typeof TABLE_TYPES)[number];

export type TableName = 'rows' | 'cells';

/** The stream of a table in a sweep's folder. It holds no file until it is read. */
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
    // A HEAD is answered by dropping the stream unread: nothing may be open by then.
    { highWaterMark: 0 },
  );
}

/** Pieces of JSON lines to those of one JSON array; null is the end. */
function arrayOfLines(): (piece: Uint8Array | null) => Uint8Array {
  let before = '[';
  return (piece) => {
    // Line ends are never part of a character or of a text in JSON, so bytes can stand for characters.
    const text = piece === null ? '' : Buffer.from(piece).toString('latin1');
    const isLineEnd = text.endsWith('\n');
    const lines = (isLineEnd ? text.slice(0, -1) : text).replaceAll('\n', ',\n');
    const joined = piece === null ? `${before === '[' ? '[' : ''}]\n` : `${before}${lines}`;
    before = isLineEnd ? ',\n' : '';
    return Buffer.from(joined, 'latin1');
  };
}

/** Each piece as `map` makes it, and what it makes of the end; as lazy as the source. */
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
