/**
 * @module
 * Cells of a sweep as series: one axis is drawn along x, and each combination of the values of the
 * others that vary is a series of its own.
 */

import type { Axis, AxisValue } from '../sweep/sweep.ts';
import type { NameAxis, NumberAxis } from './axes.ts';
import {
  axisLabel,
  extent,
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

/** As many as colours and shapes can tell apart. */
export const SERIES_MAX = 8;
/** Marks of one series along an axis of numbers; names have a row each. */
const MARKS_MAX = 200;
const ROWS_MAX = 60;
/** The one row of a sweep without axes. */
const ALL_RUNS = 'all runs';

/** The cells of one combination of the other axes' values, each with its place along x. */
export interface CellSeries {
  readonly label: string;
  readonly places: readonly { readonly x: number; readonly cell: PictureCell }[];
  /** The values of its first cell, to which a closed form is asked with x in their stead. */
  readonly values: readonly AxisValue[];
}

export interface Arrangement {
  readonly x: NumberAxis | NameAxis;
  readonly series: readonly CellSeries[];
  readonly notes: readonly string[];
}

/** All cells as series along the axis with the index `along`; −1 puts them on one row. */
export function arrange(
  axes: readonly Axis[],
  cells: readonly PictureCell[],
  along: number,
): Arrangement {
  const axis = axes[along] ?? { path: '', values: [ALL_RUNS] };
  const role = roleOf(axis);
  const grouped = groupCells(axes, cells, along);
  const shown = spread(grouped, SERIES_MAX);
  const max = role === 'names' ? ROWS_MAX : MARKS_MAX;
  const distinct = [...new Set(axis.values)];
  const values = spread(role === 'names' ? distinct : ascending(distinct), max);
  const isRow = role === 'names';
  const places = new Map(values.map((value, index) => [value, isRow ? index : Number(value)]));
  const series = shown.map(({ label, cells: members }) => ({
    label,
    values: members[0]?.values ?? [],
    places: members
      .flatMap((cell) => {
        const x = places.get(along < 0 ? ALL_RUNS : (cell.values[along] ?? null));
        return x === undefined ? [] : [{ x, cell }];
      })
      .sort((left, right) => left.x - right.x),
  }));
  return {
    x: isRow ? nameAxis(axis, values) : scaled(axis, values),
    series,
    notes: [
      ...cutNote(shown.length, grouped.length, 'series'),
      ...cutNote(values.length, distinct.length, `values of ${axis.path}`),
    ],
  };
}

/** A note where not all are drawn. */
export function cutNote(shown: number, all: number, words: string): string[] {
  return shown < all ? [`${shown} of ${all} ${words} are drawn; the data file has all`] : [];
}

/** Cells by the values of all axes but those left out, in the order of the grid. */
export function groupCells(
  axes: readonly Axis[],
  cells: readonly PictureCell[],
  ...leftOut: readonly number[]
): { readonly label: string; readonly cells: readonly PictureCell[] }[] {
  const others = axes.flatMap((axis, index) =>
    leftOut.includes(index) || !varies(axis) ? [] : [{ path: axis.path, index }],
  );
  const names = shortPaths(others.map(({ path }) => path));
  const groups = new Map<string, { label: string; cells: PictureCell[] }>();
  for (const cell of [...cells].sort((left, right) => left.index - right.index)) {
    const values = others.map(({ index }) => cell.values[index] ?? null);
    const key = JSON.stringify(values);
    const group = groups.get(key) ?? {
      label: values.map((value, index) => `${names[index]} = ${valueText(value)}`).join(', '),
      cells: [],
    };
    group.cells.push(cell);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** An axis of numbers from the values on it. */
export function scaled(axis: Axis, values: readonly AxisValue[]): NumberAxis {
  const numbers = values.filter(isFiniteNumber);
  return numberAxis(axisLabel(axis.path), numbers, {
    isLogarithmic: isLogarithmic(roleOf(axis), numbers),
  });
}

/** The numbers of an axis once each, the least first; what is no number stays where it is. */
export function ascending(values: readonly AxisValue[]): AxisValue[] {
  return [...values].sort((left, right) => Number(left) - Number(right));
}

/** Evenly spaced places over a domain on its scale, both ends among them. */
export function evenly(
  { domain: [low, high], isLogarithmic }: NumberAxis,
  count: number,
): number[] {
  return Array.from({ length: count }, (_, index) => {
    const share = index / (count - 1);
    if (index === count - 1) return high;
    return isLogarithmic ? low * (high / low) ** share : low + share * (high - low);
  });
}

/** The least of 1, 2 and 5 times a power of ten that is no less than `value`, which is above 0. */
export function roundUp(value: number): number {
  const exponent = Math.floor(Math.log10(value));
  for (const digit of [1, 2, 5]) {
    // Through its decimal form, as 10^-3 times 2 is not always 0.002.
    const candidate = Number(`${digit}e${exponent}`);
    if (candidate >= value) return candidate;
  }
  return Number(`1e${exponent + 1}`);
}

/** From 0 to the round number next above all the values. */
export function fromZero(label: string, values: readonly number[]): NumberAxis {
  const high = Math.max(0, extent(values)[1]);
  const step = roundUp(high > 0 ? high / 5 : 0.2);
  const steps = Math.ceil(high / step - 1e-9);
  // Through its decimal form, as 3 times 0.2 is not 0.6.
  const end = high > 0 ? Number((steps * step).toPrecision(12)) : 1;
  return { type: 'number', label, isLogarithmic: false, isWhole: false, domain: [0, end] };
}

function nameAxis({ path }: Axis, values: readonly AxisValue[]): NameAxis {
  return { type: 'names', label: path, names: values.map(valueText) };
}
