/**
 * @module
 * Cells of a sweep as series. One axis goes along x. Each combination of the values of the other axes
 * is a series.
 */

import { group, max, sort } from 'd3-array';
import { scaleLinear } from 'd3-scale';

import type { Axis, AxisValue } from '../sweep/sweep.ts';
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
import type { PictureCell } from './data.ts';

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

/** All cells as series along the axis with the index `along`. −1 puts them on one row. */
export function arrange(
  axes: readonly Axis[],
  cells: readonly PictureCell[],
  along: number,
): Arrangement {
  const axis = axes[along] ?? { path: '', values: [ALL_RUNS] };
  const isRows = roleOf(axis) === 'names';
  const groups = groupCells(axes, cells, [along]);
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
      ...cutNote(values.length, distinct.length, `values of ${axis.path}`),
    ],
  };
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

/** An axis from 0 to a round number that is no less than any of the values. */
export function fromZero(label: string, values: readonly number[]): NumberAxis {
  const high = max(values) ?? 0;
  const [, end = 1] = scaleLinear()
    .domain([0, high > 0 ? high : 1])
    .nice(5)
    .domain();
  return { type: 'number', label, isLogarithmic: false, isWhole: false, domain: [0, end] };
}
