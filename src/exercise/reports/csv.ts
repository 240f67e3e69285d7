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

/** A text that a spreadsheet does not evaluate (OWASP, CSV injection). */
function safeCell(cell: Cell): string {
  const text = String(cell);
  return typeof cell === 'string' && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}
