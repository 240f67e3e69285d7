/**
 * @module
 * The frontier: which budget breaks which difficulty. Measured p in each cell of budget × difficulty,
 * and the contour at ε of the measurement and of the closed form. Along an axis p changes by powers,
 * so its logarithm is interpolated; no win in n runs counts as half a win there, and there alone.
 */

import type { Axis } from '../sweep/sweep.ts';
import type { NumberAxis } from './axes.ts';
import { isFiniteNumber, roleOf, spread, varies } from './axes.ts';
import type { Lattice, LatticePoint } from './contour.ts';
import { contourLines } from './contour.ts';
import type { HeatCell, HeatChart, PictureCell, PictureInput, Spot } from './data.ts';
import { ascending, cutNote, groupCells, scaled } from './series.ts';
import { cellWords, figure } from './words.ts';

/** Maps, one for each combination of the other axes' values. */
export const FRONTIERS_MAX = 6;
/** Columns and rows of a map. */
export const FRONTIER_VALUES_MAX = 64;

/** The sweep's maps; the sweep has a budget and a difficulty that vary. */
export function frontierCharts(input: PictureInput): HeatChart[] {
  const [column, row] = (['budget', 'difficulty'] as const).map((role) =>
    input.axes.findIndex((axis) => varies(axis) && roleOf(axis) === role),
  );
  const plane = { column: column ?? -1, row: row ?? -1 };
  const groups = groupCells(input.axes, input.cells, plane.column, plane.row);
  const shown = spread(groups, FRONTIERS_MAX);
  const notes = cutNote(shown.length, groups.length, 'maps');
  return shown.map(({ label, cells }, index) => {
    const chart = frontierChart(input, plane, cells);
    const name = index === 0 ? 'frontier' : `frontier-${index + 1}`;
    const title = label === '' ? chart.title : `${chart.title}, ${label}`;
    return { ...chart, name, title, notes: [...chart.notes, ...notes] };
  });
}

function frontierChart(
  input: PictureInput,
  plane: { readonly column: number; readonly row: number },
  members: readonly PictureCell[],
): HeatChart {
  const x = planeAxis(input.axes[plane.column]);
  const y = planeAxis(input.axes[plane.row]);
  const byPlace = new Map(
    members.map((cell) => [`${cell.values[plane.column]} ${cell.values[plane.row]}`, cell]),
  );
  const rows = y.values.map((difficulty) =>
    x.values.map((budget) => byPlace.get(`${budget} ${difficulty}`) ?? null),
  );
  const cells = rows.flatMap((row, rowIndex) =>
    row.map((cell, index): HeatCell => {
      const place = { x: x.values[index] ?? 0, y: y.values[rowIndex] ?? 0 };
      if (cell === null) return { ...place, p: null, words: 'not in the sweep' };
      return { ...place, p: cell.p, words: cellWords(input.axes, cell) };
    }),
  );
  const contours = contoursOf(rows, input.epsilon, (point) => ({
    x: between(x.values, point.x, x.axis),
    y: between(y.values, point.y, y.axis),
  }));
  return {
    type: 'heat',
    pLabel: `P(${input.event})`,
    kind: 'frontier',
    name: 'frontier',
    title: `P(${input.event}) by budget and difficulty`,
    notes: [...x.notes, ...y.notes, ...levelNote(rows, contours, input.epsilon)],
    x: x.axis,
    y: y.axis,
    xs: x.values,
    ys: y.values,
    cells,
    contours,
  };
}

interface PlaneAxis {
  readonly axis: NumberAxis;
  readonly values: readonly number[];
  readonly notes: readonly string[];
}

function planeAxis(axis: Axis | undefined): PlaneAxis {
  const { path, values } = axis ?? { path: '', values: [] };
  const distinct = ascending([...new Set(values)]).filter(isFiniteNumber);
  const shown = spread(distinct, FRONTIER_VALUES_MAX);
  return {
    axis: scaled({ path, values }, shown),
    values: shown,
    notes: cutNote(shown.length, distinct.length, `values of ${path}`),
  };
}

type Rows = readonly (readonly (PictureCell | null)[])[];

function contoursOf(
  rows: Rows,
  epsilon: number,
  toSpot: (point: LatticePoint) => Spot,
): HeatChart['contours'] {
  const sources = [
    { source: 'measured', words: 'measured p', logarithm: measuredLogarithm },
    { source: 'closed form', words: 'closed form', logarithm: theoryLogarithm },
  ] as const;
  return sources.flatMap(({ source, words, logarithm }) => {
    const lattice: Lattice = rows.map((row) =>
      row.map((cell) => (cell === null ? null : logarithm(cell))),
    );
    const lines = contourLines(lattice, Math.log(epsilon)).map((line) => line.map(toSpot));
    const label = `${words} = ε = ${figure(epsilon)}`;
    return lines.length === 0 ? [] : [{ label, source, lines }];
  });
}

function measuredLogarithm({ k, n, p }: PictureCell): number | null {
  return p === null || n === 0 ? null : Math.log(Math.max(k, 0.5) / n);
}

function theoryLogarithm({ theory }: PictureCell): number | null {
  // The least double stands for 0, below every ε.
  return theory === null ? null : Math.log(Math.max(theory, Number.MIN_VALUE));
}

/** The value at a place between the columns (or rows) of the lattice, on the axis's own scale. */
function between(values: readonly number[], place: number, { isLogarithmic }: NumberAxis): number {
  const index = Math.min(Math.floor(place), values.length - 2);
  const [low, high] = [values[index] ?? 0, values[index + 1] ?? 0];
  const share = place - index;
  return isLogarithmic ? low * (high / low) ** share : low + share * (high - low);
}

/** Why a map has no measured contour. */
function levelNote(rows: Rows, contours: HeatChart['contours'], epsilon: number): string[] {
  if (contours.some(({ source }) => source === 'measured')) return [];
  const measured = rows.flat().flatMap((cell) => cell?.p ?? []);
  if (measured.length === 0) return ['no cell has an outcome'];
  const level = `ε = ${figure(epsilon)}`;
  if (measured.every((p) => p >= epsilon)) return [`measured p is nowhere below ${level}`];
  if (measured.every((p) => p < epsilon)) return [`measured p is everywhere below ${level}`];
  return [`no contour at ${level}: too few neighbouring cells have an outcome`];
}
