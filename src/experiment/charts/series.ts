/**
 * @module
 * Cells of a sweep as series. One axis goes along x. Each combination of the values of the other axes
 * is a series.
 */

import { group, max, min, range, sort } from 'd3-array';
import { scaleLinear } from 'd3-scale';

import type { Axis, AxisValue } from '../sweep/grid.ts';
import type { NameAxis, NumberAxis } from './axes.ts';
import {
  axisLabel,
  isFiniteNumber,
  isLogarithmic,
  numberAxis,
  roleOf,
  shortPaths,
  spread,
  valueText,
  varies,
} from './axes.ts';
import type { PictureCell, Point, Series } from './data.ts';

/** Maximum number of series: that of the distinguishable colours and shapes. */
export const SERIES_MAX = 8;
/** Maximum marks of a series along an axis of numbers. */
const MARKS_MAX = 200;
/** Maximum rows of an axis of names. */
const ROWS_MAX = 60;
/** The only row of a sweep without axes. */
const ALL_RUNS = 'all runs';

/** The cells of one combination of the other axes' values. */
export interface CellSeries {
  readonly label: string;
  /** In ascending order of x. */
  readonly points: readonly { readonly x: number; readonly cell: PictureCell }[];
  /** Values of the first cell. The closed form at x has the same except on the x axis. */
  readonly values: readonly AxisValue[];
}

export interface Arrangement {
  readonly x: NumberAxis | NameAxis;
  readonly series: readonly CellSeries[];
  readonly notes: readonly string[];
}

/**
 * All cells as series along the axis with the index `along`. −1 puts them on one row. A series in which
 * `hasData` is true for no cell is left out.
 */
export function arrange(
  { axes, cells }: { readonly axes: readonly Axis[]; readonly cells: readonly PictureCell[] },
  along: number,
  hasData: (cell: PictureCell) => boolean,
): Arrangement {
  const axis = axes[along] ?? { path: '', values: [ALL_RUNS] };
  const isRows = roleOf(axis) === 'names';
  const all = groupCells(axes, cells, [along]);
  const groups = all.filter(({ cells: members }) => members.some(hasData));
  const shown = spread(groups, SERIES_MAX);
  const distinct = [...new Set(axis.values)];
  const values = spread(isRows ? distinct : sort(distinct), isRows ? ROWS_MAX : MARKS_MAX);
  const xOf = new Map(values.map((value, index) => [value, isRows ? index : Number(value)]));
  const series = shown.map(({ label, cells: members }) => {
    const points = members.flatMap((cell) => {
      const x = xOf.get(along < 0 ? ALL_RUNS : (cell.values[along] ?? null));
      return x === undefined ? [] : [{ x, cell }];
    });
    return { label, values: members[0]?.values ?? [], points: sort(points, ({ x }) => x) };
  });
  return {
    x: isRows
      ? { type: 'names', label: axis.path, names: values.map(valueText) }
      : axisOver(axis, values),
    series,
    notes: [
      ...cutNote(shown.length, groups.length, 'series'),
      ...(groups.length === 0 ? [] : emptyNote(all.length - groups.length)),
      ...cutNote(values.length, distinct.length, `values of ${axis.path}`),
    ],
  };
}

function emptyNote(count: number): string[] {
  return count === 0
    ? []
    : [`${count} series without a value ${count === 1 ? 'is' : 'are'} left out`];
}

/** A note if not all items are drawn. */
export function cutNote(shown: number, all: number, items: string): string[] {
  return shown < all ? [`${shown} of ${all} ${items} are drawn; the data file has all`] : [];
}

/** Cells grouped by the values of all axes except those left out, in the order of the grid. */
export function groupCells(
  axes: readonly Axis[],
  cells: readonly PictureCell[],
  leftOut: readonly number[],
): { readonly label: string; readonly cells: readonly PictureCell[] }[] {
  const others = [...axes.keys()].filter((index) => {
    const axis = axes[index];
    return axis !== undefined && varies(axis) && !leftOut.includes(index);
  });
  const names = shortPaths(others.map((index) => axes[index]?.path ?? ''));
  const valuesOf = ({ values }: PictureCell) => others.map((index) => values[index] ?? null);
  const groups = group(
    sort(cells, ({ index }) => index),
    (cell) => JSON.stringify(valuesOf(cell)),
  );
  return [...groups.values()].map((members) => ({
    label: members
      .slice(0, 1)
      .flatMap(valuesOf)
      .map((value, index) => `${names[index]} = ${valueText(value)}`)
      .join(', '),
    cells: members,
  }));
}

/** An axis of numbers over the values. */
export function axisOver(axis: Axis, values: readonly AxisValue[]): NumberAxis {
  const numbers = values.filter(isFiniteNumber);
  return numberAxis(axisLabel(axis.path), numbers, {
    isLogarithmic: isLogarithmic(roleOf(axis), numbers),
  });
}

/** Values at even distances on an axis's scale, among them both ends of the domain. */
export function evenly(
  { domain: [low, high], isLogarithmic }: NumberAxis,
  count: number,
): number[] {
  return Array.from({ length: count }, (_, index) => {
    const share = index / (count - 1);
    // A power would miss the end by the last digit of a double.
    if (index === count - 1) return high;
    return isLogarithmic ? low * (high / low) ** share : low + share * (high - low);
  });
}

/** From this number of integers on, no picture shows that a curve joins them. */
const POINTS_MAX = 64;

/** Values of an axis at which a closed form is computed, and whether nothing lies between them. */
export function curveValues(
  axis: NumberAxis,
  count: number,
): { readonly xs: readonly number[]; readonly hasPoints: boolean } {
  if (!axis.isWhole) return { xs: evenly(axis, count), hasPoints: false };
  const [low, high] = [Math.ceil(axis.domain[0]), Math.floor(axis.domain[1])];
  if (high - low < POINTS_MAX) return { xs: range(low, high + 1), hasPoints: true };
  return { xs: [...new Set(evenly(axis, count).map(Math.round))], hasPoints: false };
}

/** An axis from 0 to a round number that is no less than any of the values. */
export function fromZero(label: string, values: readonly number[]): NumberAxis {
  const high = max(values) ?? 0;
  const [, end = 1] = scaleLinear()
    .domain([0, high > 0 ? high : 1])
    .nice(5)
    .domain();
  return { type: 'number', label, isLogarithmic: false, isWhole: false, domain: [0, end] };
}

/** Ratio of the greatest to the least probability from which the axis is logarithmic. */
const DECADES_RATIO = 30;

export interface ProbabilityValues {
  /** Measured frequencies and bounds. */
  readonly values: readonly number[];
  /** Ends of intervals. */
  readonly ends: readonly number[];
  readonly theory: readonly number[];
}

/**
 * The axis of probabilities: logarithmic if the positive values span more than a decade, with 0 at the edge
 * if it is among them. If the closed form is below all values, one decade of its curve is shown.
 */
export function probabilityAxis(
  label: string,
  { values, ends, theory }: ProbabilityValues,
): NumberAxis {
  const positive = values.filter((value) => value > 0);
  const least = min(positive) ?? 1;
  const shown = theory.filter((value) => value >= least / 10);
  const low = min([least, ...shown]) ?? least;
  const high = max([...positive, ...shown]) ?? 1;
  const all = [...values, ...ends, ...shown];
  if (high / low < DECADES_RATIO) {
    const linear = fromZero(label, all);
    return { ...linear, domain: [0, Math.min(1, linear.domain[1])] };
  }
  const lowest = min(all.filter((value) => value > 0)) ?? low;
  const decade = 10 ** Math.floor(Math.log10(lowest) + SPAN_SLACK);
  return {
    type: 'number',
    label,
    isLogarithmic: true,
    isWhole: false,
    domain: [decade, Math.min(1, nextRound(max(all) ?? high))],
    hasZero: values.includes(0),
  };
}

/** A power of ten that is computed from its logarithm may miss itself by the last digit. */
const SPAN_SLACK = 1e-9;

/** The next 1, 2 or 5 times a power of ten. */
function nextRound(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value) + SPAN_SLACK);
  const factor = [1, 2, 5, 10].find((each) => each * power >= value * (1 - SPAN_SLACK)) ?? 10;
  return factor * power;
}

/** The part of a curve that an axis shows. A logarithmic axis cuts it at the lower end of its domain. */
export function visiblePart(
  { curve, hasPoints = false }: Pick<Series, 'curve' | 'hasPoints'>,
  { isLogarithmic, domain: [low] }: NumberAxis,
): readonly Point[] {
  if (!isLogarithmic) return curve;
  if (hasPoints) return curve.filter(({ y }) => y >= low);
  return curve.flatMap((point, index) => {
    if (point.y >= low) return [point];
    const inside = [curve[index - 1], curve[index + 1]].filter((other) => other !== undefined);
    return inside.flatMap((other) => (other.y < low ? [] : [crossing(other, point, low)]));
  });
}

/** The point between two at the height `low`, on the straight line that a logarithmic axis draws. */
function crossing(above: Point, below: Point, low: number): Point {
  // No line leads to 0.
  if (below.y <= 0) return above;
  const share = Math.log(above.y / low) / Math.log(above.y / below.y);
  return { x: above.x + share * (below.x - above.x), y: low };
}
