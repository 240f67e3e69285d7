/**
 * @module
 * Tables of students as CSV (RFC 4180), which spreadsheets open without executing anything.
 */

import { csvFormatRows } from 'd3-dsv';

export type Cell = string | number;

/** The text of a table, whose first row has the names of the columns. */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return `${csvFormatRows(rows.map((row) => row.map(safeCell)))}\n`;
}

/**
 * A text that a spreadsheet does not evaluate (OWASP, CSV injection). In many languages a list is separated by `;`: there a
 * cell also begins after one inside of a text, with or without quotes. A reader that does not know the quotes also begins
 * one at each line.
 */
function safeCell(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const text = cell.replaceAll(/([;\s"]+)([=+\-@])/g, (all, before: string, sign: string) =>
    /[;\t\r\n\v\f\u2028\u2029]/.test(before) ? `${before}'${sign}` : all,
  );
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}
