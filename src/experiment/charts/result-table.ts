/**
 * @module
 * The results of a sweep as a table for people, with the refused cells and their reasons as a list of their
 * own. The same table is printed and is part of the page. The data file has more columns and all digits.
 */

import { counted } from '../document/wording.ts';
import { axisName } from '../sweep/columns.ts';
import type { Axis, SeedRule } from '../sweep/sweep.ts';
import { valueText } from './axes.ts';
import { percentText } from './cells.ts';
import type { PictureCell } from './data.ts';

/** A column of the table. The first ones are the axes. */
export interface ResultColumn {
  readonly name: string;
  /** Whether the column is needed to understand the result. A narrow table leaves others out. */
  readonly isNeeded: boolean;
}

export interface ResultTable {
  readonly columns: readonly ResultColumn[];
  /** A row for each cell, refused ones included. */
  readonly rows: readonly (readonly string[])[];
}

/** Cells that the document refuses for the same reason. */
export interface Refusal {
  readonly reason: string;
  readonly count: number;
  /** The values that all of them have, or else the values of each, such as `network.honest = 0`. */
  readonly cells: readonly string[];
}

interface Measure extends ResultColumn {
  readonly textOf: (cell: PictureCell) => string;
  /** Whether the column is left out if no cell has something to say. */
  readonly isOptional: boolean;
}

const MEASURES: readonly Measure[] = [
  { name: 'n', isNeeded: true, isOptional: false, textOf: ({ n }) => String(n) },
  { name: 'k', isNeeded: false, isOptional: false, textOf: ({ k }) => String(k) },
  { name: 'p', isNeeded: true, isOptional: false, textOf: ({ p }) => percent(p) },
  {
    name: 'interval',
    isNeeded: true,
    isOptional: false,
    textOf: ({ ciLow, ciHigh }) =>
      ciLow === null || ciHigh === null ? '' : `${percent(ciLow)} to ${percent(ciHigh)}`,
  },
  { name: 'theory', isNeeded: false, isOptional: true, textOf: ({ theory }) => percent(theory) },
  {
    name: 'verdict',
    isNeeded: true,
    isOptional: false,
    textOf: ({ verdict, refusal }) => (refusal === null ? (verdict ?? '') : 'refused'),
  },
  {
    name: 'failed',
    isNeeded: false,
    isOptional: true,
    textOf: ({ failures }) => (failures === 0 ? '' : String(failures)),
  },
];

/** The table of all cells. Columns in which no cell has anything are left out. */
export function resultTable(axes: readonly Axis[], cells: readonly PictureCell[]): ResultTable {
  const measures = MEASURES.filter(
    ({ isOptional, textOf }) => !isOptional || cells.some((cell) => textOf(cell) !== ''),
  );
  return {
    columns: [
      ...axes.map(({ path }) => ({ name: axisName(path), isNeeded: true })),
      ...measures.map(({ name, isNeeded }) => ({ name, isNeeded })),
    ],
    rows: cells.map((cell) => [
      ...axes.map((_, index) => valueText(cell.values[index] ?? null)),
      ...measures.map(({ textOf }) => textOf(cell)),
    ]),
  };
}

/** The refused cells by reason, in the order of the grid. */
export function refusalsOf(axes: readonly Axis[], cells: readonly PictureCell[]): Refusal[] {
  const refused = cells.filter(({ refusal }) => refusal !== null);
  return [...Map.groupBy(refused, ({ refusal }) => refusal ?? '')].map(([reason, members]) => ({
    reason: reason.replaceAll(/\s+/g, ' '),
    count: members.length,
    cells: namesOf(axes, members),
  }));
}

function namesOf(axes: readonly Axis[], members: readonly PictureCell[]): string[] {
  const common = [...axes.keys()].filter(
    (index) => new Set(members.map(({ values }) => values[index])).size === 1,
  );
  const isGroup = members.length > 1 && common.length > 0;
  return (isGroup ? members.slice(0, 1) : members).map(({ values }) =>
    (isGroup ? common : [...axes.keys()])
      .map((index) => `${axes[index]?.path} = ${valueText(values[index] ?? null)}`)
      .join(', '),
  );
}

/** Maximum number of cells that are named for one reason. */
const NAMED_MAX = 3;

/** A refusal as one line: its cells and the reason. */
export function refusalText({ reason, count, cells }: Refusal): string {
  const named = cells.slice(0, NAMED_MAX).join('; ');
  const more = cells.length - NAMED_MAX;
  const others = more > 0 ? `; and ${counted(more, 'more cell')}` : '';
  const group = cells.length < count ? ` (${counted(count, 'cell')})` : '';
  return `${named}${others}${group}: ${reason}`;
}

/** The effect of shared seeds on a comparison of cells. Null if no two cells share seeds. */
export function seedNote(seedRule: SeedRule, cells: readonly PictureCell[]): string | null {
  const drawn = cells.filter(({ n }) => n > 0);
  if (seedRule !== 'paired' || drawn.length < 2) return null;
  return (
    'paired: every cell uses the same seeds. Cells therefore deviate from the closed form together. ' +
    'Neighbours on one side of it are not independent evidence. --seeds independent draws each cell alone.'
  );
}

function percent(value: number | null): string {
  return value === null ? '' : percentText(value);
}
