/**
 * @module
 * The input of the charts of a sweep, from what the API says: the job, its table of cells, and the document. The
 * closed forms are those of the cells.
 */

import { byProtocol, pictureCell } from '../../../src/experiment/charts/cells.ts';
import type { PictureCell, PictureInput } from '../../../src/experiment/charts/data.ts';
import { budgetText } from '../../../src/experiment/charts/result-table.ts';
import { memberName } from '../../../src/experiment/sweep/columns.ts';
import type { Axis, AxisValue } from '../../../src/experiment/sweep/grid.ts';
import { parseQuantity } from '../../../src/quantities.ts';
import type { Schema } from '../api/contract.ts';
import { valueAt } from '../threat-models/draft.ts';

export type SweepJob = Schema<'SweepJob'>;
/** A row of the table of cells as JSON. */
export type CellRow = Readonly<Record<string, AxisValue>>;

/** A sweep that is over: its axes, its cells as they are in the table, and the input of its charts. */
export interface SweepResult {
  readonly axes: readonly Axis[];
  readonly cells: readonly PictureCell[];
  readonly input: PictureInput;
}

/** `document` is the threat model that was swept, before its settings. */
export function sweepResult(
  job: SweepJob,
  rows: readonly CellRow[],
  document: unknown,
): SweepResult {
  const columns = job.columns.cells;
  const names = columns.map(({ name }) => memberName(name));
  const axisNames = names.slice(1, 1 + job.grid.length);
  const valuesIn = (row: CellRow) => axisNames.map((name) => row[name] ?? null);
  const cells = rows.map((row) => {
    const refusal = typeof row.refusal === 'string' && row.refusal !== '' ? row.refusal : null;
    const cell = { index: Number(row.cell), values: valuesIn(row), refusal };
    return pictureCell(cell, { columns, row: names.map((name) => row[name] ?? null) });
  });
  const axes = job.grid.map(({ path }, index): Axis => {
    return { path, values: [...new Set(cells.map(({ values }) => values[index] ?? null))] };
  });
  return { axes, cells, input: inputOf(job, { axes, cells }, document) };
}

function inputOf(
  { id, request, result, cells: count, replay }: SweepJob,
  { axes, cells }: Pick<SweepResult, 'axes' | 'cells'>,
  document: unknown,
): PictureInput {
  const members = (path: string): readonly unknown[] => {
    const axis = axes.find((each) => each.path === path);
    return axis?.values ?? [request.set?.[path] ?? valueAt(document, path.split('.'))];
  };
  const member = (path: string) => String(members(path)[0] ?? '');
  const event = member('expect.property').replaceAll('-', ' ');
  const bounds = [...new Set(members('expect.probability').map(probabilityOf))];
  const [bound = CERTAIN, ...others] = bounds.slice(0, BOUNDS_MAX);
  const comparison = member('expect.comparison').replaceAll('-', ' ');
  const shape = count === 1 ? 'one cell' : `each of ${count} cells`;
  const refused = result?.refused ?? 0;
  const gaps = refused === 0 ? '' : ` (the document refuses ${refused})`;
  const work = member('work') || 'mined';
  const runs = result?.complete === false ? `${result.runs} runs computed, not complete:` : '';
  const planned = `${runs} ${request.runs} runs of ${shape}${gaps}`.trim();
  return {
    title: member('title'),
    sentence: `${planned}, ${work} work: how often “${event}” happened; expected: ${comparison} ${[bound, ...others].join(', ')}.`,
    event,
    ...byProtocol(axes, cells),
    confidence: probabilityOf(member('expect.confidence') || CONFIDENCE),
    epsilons: [bound, ...others],
    seedRule: request.seeds ?? 'paired',
    theoryAt: null,
    budgets: budgetsIn(document, members),
    dataFile: `${id}.cells.csv`,
    replay,
  };
}

/** Each budget that an adversary of the document has in a cell, in words. */
function budgetsIn(
  document: unknown,
  members: (path: string) => readonly unknown[],
): readonly string[] {
  const adversaries = Object.keys(Object(valueAt(document, ['adversaries'])));
  return adversaries.flatMap((name) => {
    const path = `adversaries.${name}.budget`;
    const units = BUDGET_UNITS.filter((unit) => members(`${path}.${unit}`)[0] !== undefined);
    return units.flatMap((unit) =>
      members(`${path}.${unit}`).map((bound) => budgetText(name, { [unit]: bound })),
    );
  });
}

const BUDGET_UNITS = ['attempts', 'hashes', 'cpuSeconds', 'wallSeconds'];

/** Bounds of one chart. */
const BOUNDS_MAX = 6;
/** The bound of a document without one, which the server refuses. */
const CERTAIN = 1;
/** The default of the schema of threat models. */
const CONFIDENCE = 0.95;

function probabilityOf(value: unknown): number {
  return typeof value === 'number' ? value : parseQuantity('probability', String(value));
}
