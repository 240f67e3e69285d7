/**
 * @module
 * Tables for people that are too wide for a line: with shorter names and values, and with fewer columns.
 */

import { max, sort } from 'd3-array';
import { shortPaths } from '../../experiment/charts/axes.ts';
import { visible } from '../../experiment/charts/lettering.ts';
import type { ResultTable } from '../../experiment/charts/result-table.ts';
import { columnName } from '../../experiment/sweep/columns.ts';
import type { Axis } from '../../experiment/sweep/grid.ts';

/** Maximum width of the table for people. Files and the other formats have all columns. */
export const WIDTH_MAX = 100;
/** Maximum widths of a value of an axis in a table that would be too wide. */
const VALUE_WIDTHS = [24, 16, 10, 6] as const;

/** The rows of a table, head first, and what was left out so that it fits. */
export function fittingTable(
  axes: readonly Axis[],
  { columns: given, rows }: ResultTable,
): { readonly table: readonly (readonly string[])[]; readonly notes: readonly string[] } {
  const whole = [given.map(({ name }) => name), ...rows].map((row) => row.map(visible));
  if (widthOf(whole) <= WIDTH_MAX) return { table: whole, notes: [] };
  const names = shortPaths(axes.map(({ path }) => path)).map(columnName);
  const droppable = sort(
    [...given.keys()].filter((index) => given[index]?.dropOrder !== null),
    (index) => given[index]?.dropOrder,
  );
  // Short names first, then fewer columns, then shorter values.
  const tries = [
    ...Array.from({ length: droppable.length + 1 }, (_, kept) => ({
      width: VALUE_WIDTHS[0],
      kept,
    })).reverse(),
    ...VALUE_WIDTHS.map((width) => ({ width, kept: 0 })),
  ];
  const tried = tries.map(({ width, kept }) => {
    const dropped = droppable.slice(kept);
    const short = whole.map((row, line) =>
      row.map((text, index) => {
        if (index >= axes.length) return text;
        return shortened(line === 0 ? (names[index] ?? text) : text, width);
      }),
    );
    const table = short.map((row) => row.filter((_, index) => !dropped.includes(index)));
    const isCut = short.slice(1).some((row, line) => row.join() !== whole[line + 1]?.join());
    const missing = sort(dropped).map((index) => given[index]?.name);
    const notes = [
      ...(missing.length > 0 ? [`left out, so that the table fits: ${missing.join(', ')}`] : []),
      ...(isCut ? [`values of axes are cut to ${width} characters`] : []),
    ];
    return { table, notes };
  });
  const fitting = tried.find(({ table }) => widthOf(table) <= WIDTH_MAX) ?? tried.at(-1);
  return fitting ?? { table: whole, notes: [] };
}

function widthOf(rows: readonly (readonly string[])[]): number {
  const widest = (index: number) => max(rows, (row) => row[index]?.length) ?? 0;
  const columnCount = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columnCount }, (_, index) => widest(index));
  return widths.reduce((sum, width) => sum + width, 2 * (columnCount - 1));
}

function shortened(value: string, width: number): string {
  return value.length <= width ? value : `${value.slice(0, width - 1)}…`;
}
