/**
 * @module
 * The frontier: which budget breaks which difficulty. A map shows the measured p of each cell of budget
 * × difficulty, the contour of the measurement at ε, and for each difficulty the budget at which the closed form reaches ε.
 * Half a bit does not exist, so that the closed form is drawn in steps. p changes by powers
 * along an axis, so its logarithm is interpolated. For that only, no win in n runs counts as half a win.
 */

import { range, sort } from 'd3-array';
import { contours } from 'd3-contour';

import type { Axis } from '../sweep/grid.ts';
import type { NumberAxis } from './axes.ts';
import { isFiniteNumber, roleOf, spread, varies } from './axes.ts';
import { cellTooltip, epsilonLabel, figure } from './cells.ts';
import type { HeatCell, HeatChart, PictureCell, PictureInput, Point } from './data.ts';
import { continuousScale } from './scale.ts';
import { axisOver, cutNote, groupCells, probabilityAxis } from './series.ts';

/** Maximum number of maps, one for each combination of the other axes' values. */
export const FRONTIERS_MAX = 6;
/** Maximum columns and maximum rows of a map. */
export const FRONTIER_VALUES_MAX = 64;

interface Plane {
  readonly x: PlaneAxis;
  readonly y: PlaneAxis;
}

interface PlaneAxis {
  /** Index among the sweep's axes. */
  readonly index: number;
  readonly axis: NumberAxis;
  readonly values: readonly number[];
  readonly notes: readonly string[];
}

/** The maps of a sweep in which a budget and a difficulty vary. */
export function frontierCharts(input: PictureInput): HeatChart[] {
  const plane = { x: planeAxis(input.axes, 'budget'), y: planeAxis(input.axes, 'difficulty') };
  const groups = groupCells(input.axes, input.cells, [plane.x.index, plane.y.index]);
  const shown = spread(groups, FRONTIERS_MAX);
  const notes = cutNote(shown.length, groups.length, 'maps');
  return shown.map(({ label, cells }, index) => {
    const chart = frontierChart(input, plane, cells);
    const name = index === 0 ? 'frontier' : `frontier-${index + 1}`;
    const title = label === '' ? chart.title : `${chart.title}, ${label}`;
    return { ...chart, name, title, notes: [...chart.notes, ...notes] };
  });
}

function planeAxis(axes: readonly Axis[], role: 'budget' | 'difficulty'): PlaneAxis {
  const index = axes.findIndex((axis) => varies(axis) && roleOf(axis) === role);
  const { path, values } = axes[index] ?? { path: '', values: [] };
  const distinct = sort(new Set(values)).filter(isFiniteNumber);
  const shown = spread(distinct, FRONTIER_VALUES_MAX);
  const notes = cutNote(shown.length, distinct.length, `values of ${path}`);
  return { index, axis: axisOver({ path, values }, shown), values: shown, notes };
}

type Rows = readonly (readonly (PictureCell | null)[])[];

function frontierChart(
  input: PictureInput,
  { x, y }: Plane,
  members: readonly PictureCell[],
): HeatChart {
  const { event, epsilons, axes } = input;
  const byValues = new Map(
    members.map((cell) => [`${cell.values[x.index]} ${cell.values[y.index]}`, cell]),
  );
  const rows = y.values.map((difficulty) =>
    x.values.map((budget) => byValues.get(`${budget} ${difficulty}`) ?? null),
  );
  const cells = rows.flatMap((row, rowIndex) =>
    row.map((cell, index): HeatCell => {
      const at = { x: x.values[index] ?? 0, y: y.values[rowIndex] ?? 0 };
      if (cell === null) {
        return { ...at, p: null, isRefused: false, tooltip: 'not in the sweep' };
      }
      const isRefused = cell.refusal !== null;
      return { ...at, p: cell.p, isRefused, tooltip: cellTooltip(axes, cell) };
    }),
  );
  const [epsilon] = epsilons;
  const values = members.flatMap(({ p }) => p ?? []);
  const p = probabilityAxis(`P(${event})`, { values: [...values, epsilon], ends: [], theory: [] });
  const contours = contoursOf(rows, input, { x, y });
  return {
    type: 'heat',
    p: p.isLogarithmic ? p : { ...p, domain: [0, 1] },
    kind: 'frontier',
    name: 'frontier',
    title: `P(${event}) by budget and difficulty`,
    notes: [
      ...x.notes,
      ...y.notes,
      ...contourNote(rows, contours, epsilon),
      ...(epsilons.length > 1
        ? [`other bounds of the cells: ${epsilons.slice(1).map(figure).join(', ')}`]
        : []),
    ],
    x: x.axis,
    y: y.axis,
    xs: x.values,
    ys: y.values,
    cells,
    contours,
  };
}

function contoursOf(rows: Rows, input: PictureInput, { x, y }: Plane): HeatChart['contours'] {
  const [epsilon] = input.epsilons;
  const [xOf, yOf] = [x, y].map(({ axis, values }) =>
    continuousScale(axis).domain(values).range(range(values.length)),
  );
  const grid = rows.map((row) => row.map((cell) => cell && measuredLogarithm(cell)));
  const measured = contourLines(grid, Math.log(epsilon)).map((line) =>
    line.map((point) => ({
      x: xOf?.invert(point.x) ?? point.x,
      y: yOf?.invert(point.y) ?? point.y,
    })),
  );
  const steps = rows.flatMap((row, index): Point[] => {
    const [at, budget] = [y.values[index], budgetOf(row, input, x)];
    return at === undefined || budget === null ? [] : [{ x: budget, y: at }];
  });
  const isShown = steps.some((step) => Number.isFinite(step.x) || step.x !== steps[0]?.x);
  const level = epsilonLabel(epsilon);
  const all = [
    { source: 'measured', label: `measured p = ${level}`, lines: measured },
    { source: 'closed form', label: `closed form = ${level}`, lines: isShown ? [steps] : [] },
  ] as const;
  return all.filter(({ lines }) => lines.length > 0);
}

/** Points of the closed form between two budgets, and the distance of its logarithm at which the search ends. */
const SEARCH = { pointsMax: 8, near: 0.001 } as const;

/**
 * The budget at which the closed form of a difficulty reaches ε, by false position on its logarithm: -Infinity below all
 * budgets, Infinity above all, and null if a cell has no closed form.
 */
function budgetOf(
  row: Rows[number],
  { theoryAt, epsilons: [epsilon] }: PictureInput,
  { index, axis, values }: PlaneAxis,
): number | null {
  const logarithms = row.flatMap((cell) => (cell && theoryLogarithm(cell)) ?? []);
  if (logarithms.length < values.length) return null;
  const distances = logarithms.map((value) => value - Math.log(epsilon));
  const reached = distances.findIndex((distance) => distance >= 0);
  if (reached <= 0) return reached < 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const columns = range(values.length);
  const budgetAt = continuousScale(axis).domain(values).range(columns).invert;
  let low = { at: reached - 1, distance: distances[reached - 1] ?? 0 };
  let high = { at: reached, distance: distances[reached] ?? 0 };
  for (let points = 0; ; points += 1) {
    const share = low.distance / (low.distance - high.distance);
    const at = low.at + share * (high.at - low.at);
    const budget = axis.isWhole ? Math.round(budgetAt(at)) : budgetAt(at);
    const asked = (row[0]?.values ?? []).map((value, each) => (each === index ? budget : value));
    const p = points < SEARCH.pointsMax ? (theoryAt?.(asked) ?? null) : null;
    const distance = p === null ? 0 : Math.log(Math.max(p, Number.MIN_VALUE) / epsilon);
    if (Math.abs(distance) < SEARCH.near) return budgetAt(at);
    if (distance < 0) low = { at, distance };
    else high = { at, distance };
  }
}

function measuredLogarithm({ k, n, p }: PictureCell): number | null {
  return p === null || n === 0 ? null : Math.log(Math.max(k, 0.5) / n);
}

function theoryLogarithm({ theory }: PictureCell): number | null {
  // The least double stands for 0. It is below every ε.
  return theory === null ? null : Math.log(Math.max(theory, Number.MIN_VALUE));
}

/** Why a map has no measured contour. */
function contourNote(rows: Rows, contours: HeatChart['contours'], epsilon: number): string[] {
  if (contours.some(({ source }) => source === 'measured')) return [];
  const measured = rows.flat().flatMap((cell) => cell?.p ?? []);
  if (measured.length === 0) return ['no cell has an outcome'];
  const level = epsilonLabel(epsilon);
  if (measured.every((p) => p >= epsilon)) return [`measured p is nowhere below ${level}`];
  if (measured.every((p) => p < epsilon)) return [`measured p is everywhere below ${level}`];
  return [`no contour at ${level}: too few neighbouring cells have an outcome`];
}

/**
 * A point in units of the grid: x = 1.5 is halfway between columns 1 and 2. Contour lines of values on a grid, by
 * d3-contour's marching squares. d3 returns closed polygons that also run along the border of the grid and around
 * missing values. Here they are cut: a line passes only through squares whose four corners have a value. In a
 * saddle, d3 separates the two high corners.
 */
type GridPoint = Point;

/** Values by row and column. A missing value is null. */
export type Grid = readonly (readonly (number | null)[])[];

/** The lines at a level. The last point of a closed line equals its first. */
export function contourLines(grid: Grid, level: number): GridPoint[][] {
  const columns = grid[0]?.length ?? 0;
  if (columns === 0) return [];
  // d3 treats NaN as a value below every level.
  const values = grid.flatMap((row) => row.map((value) => value ?? Number.NaN));
  const { coordinates } = contours().size([columns, grid.length]).contour(values, level);
  return coordinates.flat().flatMap((ring) => {
    // d3 puts the value of column 0 at x = 0.5.
    const points = ring.map(([x = 0, y = 0]) => ({ x: x - 0.5, y: y - 0.5 }));
    return linesOf(points, grid);
  });
}

/** The parts of a closed ring that pass through squares with four values. */
function linesOf(ring: readonly GridPoint[], grid: Grid): GridPoint[][] {
  const lines: GridPoint[][] = [];
  let isOpen = false;
  for (const [index, to] of ring.entries()) {
    const from = ring[index - 1];
    if (from === undefined) continue;
    const isKnown = hasFourValues(grid, (from.x + to.x) / 2, (from.y + to.y) / 2);
    if (isKnown && isOpen) lines.at(-1)?.push(to);
    else if (isKnown) lines.push([from, to]);
    isOpen = isKnown;
  }
  const [first, last] = [lines[0], lines.at(-1)];
  // The ring may begin in the middle of a line.
  const isSplit = first !== last && first?.[0] === ring[0] && last?.at(-1) === ring.at(-1);
  if (!isSplit || first === undefined || last === undefined) return lines;
  return [[...last, ...first.slice(1)], ...lines.slice(1, -1)];
}

/** Whether a square around the point has a value at each corner. */
function hasFourValues(grid: Grid, x: number, y: number): boolean {
  const squares = [
    [Math.floor(x), Math.floor(y)],
    // A point on the edge between two squares belongs to both.
    [Math.ceil(x) - 1, Math.ceil(y) - 1],
  ] as const;
  return squares.some(([column, row]) =>
    [row, row + 1].every((at) =>
      [column, column + 1].every((side) => (grid[at]?.[side] ?? null) !== null),
    ),
  );
}
