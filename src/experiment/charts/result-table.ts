/**
 * @module
 * The results of a sweep as a table for people, with the refused cells and their reasons as a list of their
 * own, and what a picture says of its runs, so that it can be read without the document. The same table is printed
 * and is part of the page. The data file has more columns and all digits.
 */

import { sort } from 'd3-array';

import { counted } from '../document/wording.ts';
import { columnName } from '../sweep/columns.ts';
import type { Axis, SeedRule } from '../sweep/grid.ts';
import { valueText } from './axes.ts';
import { figure, percentText, pictureCell } from './cells.ts';
import type { PictureCell, PictureInput } from './data.ts';
import { COMPARISON_AXES } from './data.ts';

/** A column of the table. The first ones are the axes. */
export interface ResultColumn {
  readonly name: string;
  /** A table that is too wide leaves out the columns with the greatest value first. Null is needed. */
  readonly dropOrder: number | null;
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

/** The column of the protocol. Charts have an axis with this name if a cell has several. */
const PROTOCOL = 'protocol';

const MEASURES: readonly Measure[] = [
  {
    name: PROTOCOL,
    dropOrder: null,
    isOptional: true,
    textOf: ({ protocol, refusal }) => (refusal === null ? (protocol ?? '') : ''),
  },
  { name: 'n', dropOrder: null, isOptional: false, textOf: countText(({ n }) => n) },
  { name: 'k', dropOrder: 2, isOptional: false, textOf: countText(({ k }) => k) },
  { name: 'p', dropOrder: null, isOptional: false, textOf: ({ p }) => percent(p) },
  {
    name: 'interval',
    dropOrder: 0,
    isOptional: false,
    textOf: ({ ciLow, ciHigh }) =>
      ciLow === null || ciHigh === null ? '' : `${percent(ciLow)} to ${percent(ciHigh)}`,
  },
  { name: 'theory', dropOrder: 3, isOptional: true, textOf: ({ theory }) => percent(theory) },
  {
    name: 'verdict',
    dropOrder: null,
    isOptional: false,
    textOf: ({ verdict, refusal }) => (refusal === null ? (verdict ?? '') : 'refused'),
  },
  {
    name: 'honest p95',
    dropOrder: 1,
    isOptional: true,
    textOf: honestText,
  },
  {
    name: 'failed',
    dropOrder: 4,
    isOptional: true,
    textOf: ({ failures }) => (failures === 0 ? '' : String(failures)),
  },
];

/** A number of runs. A closed form without runs has none. */
function countText(count: (cell: PictureCell) => number): Measure['textOf'] {
  return (cell) => (cell.n === 0 && cell.theory !== null ? '' : String(count(cell)));
}

/** The table of all cells. Columns in which no cell has anything are left out. */
export function resultTable(
  allAxes: readonly Axis[],
  allCells: readonly PictureCell[],
): ResultTable {
  const [axes, cells] = [sweptAxes(allAxes), distinctCells(allCells)];
  const measures = MEASURES.filter(
    ({ isOptional, textOf }) => !isOptional || cells.some((cell) => textOf(cell) !== ''),
  );
  return {
    columns: [
      ...axes.map(({ path }) => ({ name: columnName(path), dropOrder: null })),
      ...measures.map(({ name, dropOrder }) => ({ name, dropOrder })),
    ],
    rows: cells.map((cell) => [
      ...axes.map((_, index) => valueText(cell.values[index] ?? null)),
      ...measures.map(({ textOf }) => textOf(cell)),
    ]),
  };
}

/** The cells, and in their order among them the closed forms of a comparison that no cell has. */
export function withClosedForms({ axes, cells, comparison }: PictureInput): readonly PictureCell[] {
  const along = axes.findIndex(({ path }) => path === COMPARISON_AXES.protocol);
  const keyOf = ({ values }: Pick<PictureCell, 'values'>) => JSON.stringify(values);
  const known = new Set(cells.map(keyOf));
  const columns = [PROTOCOL, 'theory'].map((name) => ({ name }));
  const bare = (comparison?.closedForms ?? [])
    .filter((form) => !known.has(keyOf(form)))
    .map(({ values, p }) => {
      const protocol = String(values[along]).replaceAll(/[[\]]/g, '');
      const cell = { index: cells.length, values, refusal: null };
      return pictureCell(cell, { columns, row: [protocol, p] });
    });
  const slotOf = ({ values }: PictureCell) =>
    axes.reduce((slot, axis, at) => {
      return slot * axis.values.length + axis.values.indexOf(values[at] ?? null);
    }, 0);
  return bare.length === 0 ? cells : sort([...cells, ...bare], slotOf);
}

/** The axes of the sweep, without the one that charts add for the protocols. */
function sweptAxes(axes: readonly Axis[]): readonly Axis[] {
  return axes.filter(({ path }) => path !== PROTOCOL);
}

/** The cells with a refused one once, not once for each protocol. */
function distinctCells(cells: readonly PictureCell[]): readonly PictureCell[] {
  const isRepeated = ({ index, refusal }: PictureCell, at: number) =>
    refusal !== null && cells[at - 1]?.index === index;
  return cells.filter((cell, at) => !isRepeated(cell, at));
}

/** The refused cells by reason, in the order of the grid. */
export function refusalsOf(
  allAxes: readonly Axis[],
  cells: readonly PictureCell[],
): readonly Refusal[] {
  const axes = sweptAxes(allAxes);
  const refused = distinctCells(cells).filter(({ refusal }) => refusal !== null);
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
    'Neighbours on one side of it are not independent evidence.'
  );
}

/** The cost of joining for 95 % of honest nodes. */
function honestText({ honestAttempts, honestSeconds }: PictureCell): string {
  if (honestAttempts === null) return '';
  return honestSeconds === null
    ? `${figure(honestAttempts)} attempts`
    : `${figure(honestSeconds)} s`;
}

function percent(value: number | null): string {
  return value === null ? '' : percentText(value);
}

/** Maximum number of different values that are named. */
const LISTED_MAX = 4;

const UNITS: Readonly<Record<string, string>> = {
  cpuSeconds: 'CPU seconds',
  wallSeconds: 'wall-clock seconds',
};

/** The budget of an adversary of a document in words, such as `main: 4096 attempts`. */
export function budgetText(adversary: string, budget: object): string {
  const bounds = Object.entries(budget).flatMap(([unit, bound]) =>
    bound === undefined ? [] : [`${boundText(bound)} ${UNITS[unit] ?? unit}`],
  );
  return `${adversary}: ${bounds.length === 0 ? 'none' : bounds.join(' or ')}`;
}

/** A document may have a quantity as text, such as `2^20`. */
function boundText(bound: unknown): string {
  return typeof bound === 'number' ? figure(bound) : String(bound);
}

/** Protocols, budgets, responses and runs, each with its name. */
export function setupText({ axes, cells, budgets, comparison }: PictureInput): string {
  const along = axes.findIndex(({ path }) => path === COMPARISON_AXES.protocol);
  const bare = (comparison?.closedForms ?? []).map(({ values }) => String(values[along]));
  const protocols = [...cells.flatMap(({ protocol }) => protocol?.split(' ') ?? []), ...bare];
  const runs = cells.flatMap(({ n }) => (n > 0 ? [n] : []));
  const [least, most] = [Math.min(...runs), Math.max(...runs)];
  const counts = least === most ? String(least) : `${least} to ${most}`;
  return captionText({
    protocols: protocols.map((name) => name.replaceAll(/[[\]]/g, '')),
    budgets,
    responses: cells.flatMap(({ response }) => response ?? []),
    runs: `Runs in a cell: ${runs.length === 0 ? 'none' : counts}`,
  });
}

/** What the caption of a picture says, from which a reader knows what was computed. */
export function captionText({
  protocols,
  budgets,
  responses,
  runs,
}: Readonly<Record<'protocols' | 'budgets' | 'responses', readonly string[]>> & {
  readonly runs: string;
}): string {
  return [
    `Protocol: ${listed(protocols, 'no election')}`,
    `Budget: ${listed(budgets, 'none')}`,
    `Response: ${listed(responses, 'none', ' | ')}`,
    runs,
  ].join('. ');
}

function listed(items: readonly string[], none: string, separator = ', '): string {
  const distinct = [...new Set(items)];
  const more = distinct.length - LISTED_MAX;
  const shown = distinct.slice(0, LISTED_MAX).join(separator);
  return distinct.length === 0 ? none : `${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
