/**
 * @module
 * A part of the axes of a sweep, which a new sweep examines more closely.
 */

import { isLogarithmic, roleOf } from '../../../src/experiment/charts/axes.ts';
import type { PictureCell } from '../../../src/experiment/charts/data.ts';
import type { Axis, AxisValue } from '../../../src/experiment/sweep/grid.ts';
import { rounded } from './axis-text.ts';

/** A part of an axis of numbers, with both ends. */
export interface AxisRange {
  /** Index of the axis. */
  readonly axis: number;
  readonly path: string;
  /** All values of the axis, ascending. */
  readonly values: readonly number[];
  readonly from: number;
  readonly to: number;
}

type Query = Readonly<Record<string, string | undefined>>;

/** The ranges of an address: of each axis of numbers that varies, the whole axis by default. */
export function rangesOf(query: Query, axes: readonly Axis[]): readonly AxisRange[] {
  return axes.flatMap(({ path, values }, axis) => {
    const numbers = values.filter((value) => typeof value === 'number').toSorted((a, b) => a - b);
    const [low, high] = [numbers[0], numbers.at(-1)];
    if (numbers.length < values.length || low === undefined || high === undefined) return [];
    if (low === high) return [];
    const given = (name: string, otherwise: number) => {
      return numbers.find((value) => String(value) === query[`${name}${axis + 1}`]) ?? otherwise;
    };
    const [one, other] = [given('from', low), given('to', high)];
    const ends = { from: Math.min(one, other), to: Math.max(one, other) };
    return [{ axis, path, values: numbers, ...ends }];
  });
}

/** The values of the address for a range; those of a whole axis are left out. */
export function queryOfRange({ axis, values, from, to }: AxisRange) {
  return {
    [`from${axis + 1}`]: from === values[0] ? null : from,
    [`to${axis + 1}`]: to === values.at(-1) ? null : to,
  };
}

/** The ranges between two cells. An axis on which they agree keeps its range. */
export function rangesBetween(
  ranges: readonly AxisRange[],
  one: readonly AxisValue[],
  other: readonly AxisValue[],
): readonly AxisRange[] {
  return ranges.map((range) => {
    const [from, to] = [Number(one[range.axis]), Number(other[range.axis])];
    if (from === to) return range;
    return { ...range, from: Math.min(from, to), to: Math.max(from, to) };
  });
}

export function isWhole({ values, from, to }: AxisRange): boolean {
  return from === values[0] && to === values.at(-1);
}

/** Whether a cell is in all ranges. */
export function isWithin(ranges: readonly AxisRange[], { values }: Pick<PictureCell, 'values'>) {
  return ranges.every(({ axis, from, to }) => {
    const value = Number(values[axis]);
    return value >= from && value <= to;
  });
}

/** The values of the range with one more between each two: whole numbers between whole numbers. */
export function refinedValues({ path, values, from, to }: AxisRange): readonly number[] {
  const own = values.filter((value) => value >= from && value <= to);
  const isByFactors = isLogarithmic(roleOf({ path, values }), values);
  const isOfIntegers = values.every(Number.isInteger);
  const middles = own.slice(1).map((value, index) => {
    const before = own[index] ?? value;
    const middle = isByFactors ? Math.sqrt(before * value) : (before + value) / 2;
    return isOfIntegers ? Math.round(middle) : rounded(middle);
  });
  return [...new Set([...own, ...middles])].toSorted((a, b) => a - b);
}
