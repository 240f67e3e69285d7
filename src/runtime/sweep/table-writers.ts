/**
 * @module
 * Writes tables row by row as CSV (RFC 4180), JSON lines or Parquet. All three have the same columns and
 * values. A missing value is an empty field in CSV, and null in the others.
 */

import { csvFormatRow } from 'd3-dsv';
import type { ColumnSource } from 'hyparquet-writer';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { TableRow } from '../../experiment/sweep/cells.ts';
import type { Column, TableValue } from '../../experiment/sweep/columns.ts';
import { FileSink } from '../files/file-sink.ts';

export const TABLE_FORMATS = ['csv', 'jsonl', 'parquet'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];
export type TextFormat = Exclude<TableFormat, 'parquet'>;

/** Owns its file until `finish` or `discard`. */
export interface TableWriter {
  readonly path: string;
  readonly columns: readonly Column[];
  /** Null if threads cannot make lines of the format. */
  readonly textFormat: TextFormat | null;
  write(row: TableRow): void;
  /** Takes lines that a thread has made with `textForm`. */
  writeBytes(bytes: Uint8Array): void;
  /** Completes the temporary file and returns its digest. `publish` gives it its name. */
  finish(): string;
  publish(): void;
  discard(): void;
}

/** A writer of a table with these columns. Throws LabError `file.unwritable`. */
export function openTable(
  path: string,
  format: TableFormat,
  columns: readonly Column[],
): TableWriter {
  const sink = new FileSink(path);
  const rest = {
    path,
    columns,
    writeBytes: (bytes: Uint8Array) => sink.writeBytes(bytes),
    publish: () => sink.publish(),
    discard: () => sink.discard(),
  };
  switch (format) {
    case 'csv':
    case 'jsonl': {
      const text = textForm(format, columns);
      sink.writeText(text.head);
      const write = (row: TableRow) => sink.writeText(text.line(row));
      return { ...rest, textFormat: format, write, finish: () => sink.finish() };
    }
    case 'parquet':
      return { ...rest, textFormat: null, ...parquetForm(sink, columns) };
    default:
      return format satisfies never;
  }
}

/** The lines of a text format, each with its line end. */
export function textForm(
  format: TextFormat,
  columns: readonly Column[],
): { readonly head: string; readonly line: (row: TableRow) => string } {
  if (format === 'csv') {
    const head = `${csvFormatRow(columns.map((column) => column.name))}\n`;
    return { head, line: (row) => `${row.map(csvField).join(',')}\n` };
  }
  const keys = columns.map((column) => `${JSON.stringify(column.name)}:`);
  const line = (row: TableRow) => {
    const members = row.map((value, index) => `${keys[index]}${JSON.stringify(value)}`);
    return `{${members.join(',')}}\n`;
  };
  return { head: '', line };
}

/** Only text is checked for characters to quote, because most fields are numbers. */
function csvField(value: TableValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? csvFormatRow([value]) : String(value);
}

/** Rows that are written together. */
const GROUP_ROWS = 16_384;
const PARQUET_TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
} as const;

function parquetForm(
  sink: FileSink,
  columns: readonly Column[],
): Pick<TableWriter, 'write' | 'finish'> {
  const bytes = new ByteWriter();
  const flush = () => {
    sink.writeBytes(bytes.getBytes());
    // Only the buffer is reset. The offsets in the file continue.
    bytes.index = 0;
  };
  const writer = new ParquetWriter({
    writer: Object.assign(bytes, { flush, finish: flush }),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type }) => ({
        name,
        repetition_type: 'OPTIONAL' as const,
        ...PARQUET_TYPES[type],
      })),
    ],
    createdBy: 'usurp',
  });
  let held: TableValue[][] = columns.map(() => []);
  const writeGroup = () => {
    const rows = held[0]?.length ?? 0;
    if (rows === 0) return;
    const columnData = columns.map((column, index) => ({
      ...parquetColumn(column),
      data: held[index] ?? [],
    }));
    // `flush` returns no promise, so nothing is pending afterwards.
    void writer.write({ columnData, rowGroupSize: rows });
    held = columns.map(() => []);
  };
  return {
    write(row) {
      let index = 0;
      for (const value of row) {
        held[index]?.push(value);
        index += 1;
      }
      if ((held[0]?.length ?? 0) >= GROUP_ROWS) writeGroup();
    },
    finish() {
      writeGroup();
      void writer.finish();
      return sink.finish();
    },
  };
}

/**
 * Digests and seeds do not compress, and commands differ from their neighbours only at the end. Trying it
 * took two thirds of the time of a table. Ranges of them are of no interest, so they get no statistics.
 */
function parquetColumn({ name, type }: Column): Omit<ColumnSource, 'data'> {
  if (type !== 'text') return { name };
  const plain = { name, statistics: false };
  if (name === 'replay') return { ...plain, encoding: 'DELTA_BYTE_ARRAY', codec: 'UNCOMPRESSED' };
  return UNIQUE_TEXTS.has(name) ? { ...plain, encoding: 'PLAIN', codec: 'UNCOMPRESSED' } : plain;
}

const UNIQUE_TEXTS: ReadonlySet<string> = new Set(['row_id', 'seed']);
