/**
 * @module
 * Writes tables row by row as CSV (RFC 4180), JSON lines or Parquet. All three have the same columns and
 * values. In JSON lines the names are camelCase. A missing value is an empty field in CSV, and null in the
 * others.
 */

import { csvFormatRow } from 'd3-dsv';
import type { ColumnSource } from 'hyparquet-writer';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Column, TableRow, TableValue } from '../../experiment/sweep/columns.ts';
import { memberName } from '../../experiment/sweep/columns.ts';
import type { BlockColumn, RowBlock } from '../../experiment/sweep/rows.ts';
import { FileSink } from '../files/file-sink.ts';
import type { TableFormat } from './files.ts';

export type TextFormat = Exclude<TableFormat, 'parquet'>;

/** Owns its file until `finish` or `discard`. */
export interface TableWriter {
  readonly path: string;
  readonly columns: readonly Column[];
  /** Null if threads cannot make lines of the format. */
  readonly textFormat: TextFormat | null;
  write(row: TableRow): void;
  /** Writes the first row of every block, then the second ones, and so on. */
  writeBlocks(blocks: readonly RowBlock[]): void;
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
      return {
        ...rest,
        textFormat: format,
        write: (row) => sink.writeText(text.line(row)),
        writeBlocks: (blocks) => sink.writeText(text.lines(blocks)),
        finish: () => sink.finish(),
      };
    }
    case 'parquet':
      return { ...rest, textFormat: null, ...parquetForm(sink, columns) };
    default:
      return format satisfies never;
  }
}

/** A table of few rows as the bytes of its file. */
export function tableBytes(
  format: TableFormat,
  columns: readonly Column[],
  rows: readonly TableRow[],
): Uint8Array {
  if (format !== 'parquet') {
    const text = textForm(format, columns);
    return Buffer.from(text.head + rows.map((row) => text.line(row)).join(''), 'utf8');
  }
  const pieces: Uint8Array[] = [];
  // The buffer of the writer is used again.
  const writeBytes = (bytes: Uint8Array) => void pieces.push(bytes.slice());
  const parquet = parquetForm({ writeBytes, finish: () => '' }, columns);
  for (const row of rows) parquet.write(row);
  parquet.finish();
  return Buffer.concat(pieces);
}

/** The lines of a text format, each with its line end. */
export interface TextForm {
  readonly head: string;
  line(row: TableRow): string;
  /** The first line of every block, then the second ones, and so on. */
  lines(blocks: readonly RowBlock[]): string;
}

export function textForm(format: TextFormat, columns: readonly Column[]): TextForm {
  if (format === 'csv') {
    const head = `${csvFormatRow(columns.map((column) => column.name))}\n`;
    return formOf(head, { start: '', field: csvField, end: '\n' });
  }
  const keys = columns.map(({ name }) => `${JSON.stringify(memberName(name))}:`);
  const field = (value: TableValue, column: number) => `${keys[column]}${JSON.stringify(value)}`;
  return formOf('', { start: '{', field, end: '}\n' });
}

/** How a line begins, how a value is written in a column, and how a line ends. */
interface LineForm {
  readonly start: string;
  field(value: TableValue, column: number): string;
  readonly end: string;
}

function formOf(head: string, form: LineForm): TextForm {
  const { start, field, end } = form;
  return {
    head,
    line: (row) => start + row.map(field).join(',') + end,
    lines(blocks) {
      const makers = blocks.map((block) => lineMaker(form, block));
      const lines: string[] = [];
      for (let row = 0; row < (blocks[0]?.rows ?? 0); row += 1) {
        for (const lineAt of makers) lines.push(lineAt(row));
      }
      return lines.join('');
    },
  };
}

/** A text of all lines, or one for each line. */
type Piece = string | ((row: number) => string);

/** Makes the lines of a block by their number. Neighbouring columns of constants are joined once. */
function lineMaker({ start, field, end }: LineForm, block: RowBlock): (row: number) => string {
  const pieces = block.columns.flatMap((column, index) => {
    const separator = index === 0 ? [] : [','];
    return [...separator, ...piecesOf(column, (value) => field(value, index))];
  });
  const varying: ((row: number) => string)[] = [];
  const texts = [start];
  for (const piece of [...pieces, end]) {
    if (typeof piece === 'string') texts[varying.length] = (texts[varying.length] ?? '') + piece;
    else texts[varying.push(piece)] = '';
  }
  const [first = '', ...after] = texts;
  return (row) => {
    let line = first;
    for (const [index, textAt] of varying.entries()) line += textAt(row) + after[index];
    return line;
  };
}

/** Longer than any run of zeros in a command. */
const DIGITS_HERE = '0'.repeat(100);

function piecesOf(column: BlockColumn, field: (value: TableValue) => string): readonly Piece[] {
  switch (column.type) {
    case 'constant':
      return [field(column.value)];
    case 'each': {
      const { values } = column;
      return [(row) => field(values[row] ?? null)];
    }
    case 'digits': {
      // Digits are written as they are in every format.
      const { before, digits, after } = column;
      const text = field(before + DIGITS_HERE + after);
      const at = text.lastIndexOf(DIGITS_HERE);
      const digitsAt = (row: number) => digits[row] ?? '';
      return [text.slice(0, at), digitsAt, text.slice(at + DIGITS_HERE.length)];
    }
    default:
      return column satisfies never;
  }
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
  sink: Pick<FileSink, 'writeBytes' | 'finish'>,
  columns: readonly Column[],
): Pick<TableWriter, 'write' | 'writeBlocks' | 'finish'> {
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
  const endRow = () => {
    if ((held[0]?.length ?? 0) >= GROUP_ROWS) writeGroup();
  };
  return {
    write(row) {
      for (const [index, value] of row.entries()) held[index]?.push(value);
      endRow();
    },
    writeBlocks(blocks) {
      for (let row = 0; row < (blocks[0]?.rows ?? 0); row += 1) {
        for (const { columns: own } of blocks) {
          for (const [index, column] of own.entries()) held[index]?.push(valueAt(column, row));
          endRow();
        }
      }
    },
    finish() {
      writeGroup();
      void writer.finish();
      return sink.finish();
    },
  };
}

function valueAt(column: BlockColumn, row: number): TableValue {
  switch (column.type) {
    case 'constant':
      return column.value;
    case 'each':
      return column.values[row] ?? null;
    case 'digits':
      return column.before + column.digits[row] + column.after;
    default:
      return column satisfies never;
  }
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
