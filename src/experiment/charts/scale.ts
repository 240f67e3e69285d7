/**
 * @module
 * From values to pixels, and the ticks of an axis: round numbers, with labels that do not touch each
 * other. Scales and ticks are d3-scale's.
 */

import type { ScaleContinuousNumeric } from 'd3-scale';
import { scaleLinear, scaleLog, tickFormat } from 'd3-scale';

import type { NumberAxis } from './axes.ts';
import { SMALL, textWidth } from './lettering.ts';

export interface Tick {
  /** Position in pixels. */
  readonly at: number;
  /** Empty if there is no room for it. */
  readonly label: string;
}

export interface Scale {
  /** Position of a value in pixels. */
  at(value: number): number;
  readonly ticks: readonly Tick[];
  /** Middle of the break between 0 and the logarithmic part, in pixels. Null if there is none. */
  readonly breakAt: number | null;
}

/** Pixels of the lower and the upper end of the domain. `from` may be greater than `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly direction: 'across' | 'up';
}

/** Least distance between two labels, in pixels. */
const LABEL_GAP = 12;
const LABEL_HEIGHT = 14;
/** Distance between ticks that is aimed for, in pixels. */
const TICK_DISTANCES = { up: 32, across: 72 } as const;
/** From this number on, a label is written with a power of ten. */
const PLAIN_MAX = 1e5;
/** Distance between 0 and the least value of a logarithmic axis, in pixels. */
const ZERO_DISTANCE = 24;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** The scale of an axis over a span of pixels. */
export function scaleOf(axis: NumberAxis, span: Span): Scale {
  const { from, to, direction } = span;
  const hasZero = axis.hasZero === true;
  const start = hasZero ? from + Math.sign(to - from) * ZERO_DISTANCE : from;
  const scale = continuousScale(axis).range([start, to]);
  const at = (value: number) => (hasZero && value < axis.domain[0] ? from : scale(value));
  const count = Math.max(2, Math.floor(Math.abs(to - start) / TICK_DISTANCES[direction]));
  const values = scale.ticks(count).filter((value) => !axis.isWhole || Number.isInteger(value));
  const labels = (axis.isLogarithmic ? powerLabels(values) : null) ?? linearLabels(values);
  const zero = hasZero ? [{ at: from, label: '0' }] : [];
  const ticks = [...zero, ...labels.map(({ value, label }) => ({ at: at(value), label }))];
  return {
    at,
    ticks: withoutCollisions(ticks, direction),
    breakAt: hasZero ? (from + start) / 2 : null,
  };
}

/** The d3 scale of an axis, from its domain to [0, 1]. */
export function continuousScale({
  isLogarithmic,
  domain,
}: NumberAxis): ScaleContinuousNumeric<number, number> {
  return (isLogarithmic ? scaleLog() : scaleLinear()).domain(domain);
}

/** The label of a count or a budget. Powers of two and ten are written as powers. */
export function valueLabel(value: number): string {
  const exponent = Math.log2(value);
  if (value >= 1024 && Number.isInteger(exponent)) return `2${superscript(exponent)}`;
  return plainLabel(value);
}

/** The ticks without those labels that touch an earlier one. */
export function withoutCollisions(
  ticks: readonly Tick[],
  direction: Span['direction'],
): readonly Tick[] {
  const labelled: Tick[] = [];
  return ticks.map((tick) => {
    const isFree = labelled.every((other) => {
      const widths = textWidth(tick.label, SMALL) + textWidth(other.label, SMALL);
      const distance = direction === 'up' ? LABEL_HEIGHT : widths / 2 + LABEL_GAP;
      return Math.abs(tick.at - other.at) >= distance;
    });
    if (!isFree) return { ...tick, label: '' };
    if (tick.label !== '') labelled.push(tick);
    return tick;
  });
}

interface Label {
  readonly value: number;
  readonly label: string;
}

function linearLabels(values: readonly number[]): Label[] {
  const [low = 0, high = 0] = [values[0], values.at(-1)];
  const step = values.length < 2 ? 1 : (high - low) / (values.length - 1);
  const size = Math.max(Math.abs(low), Math.abs(high));
  // Enough digits to distinguish neighbours.
  const figures = Math.ceil(Math.log10(size / step)) + 1;
  const isPlain = size < 1e6 && step >= 1e-6;
  const format = isPlain ? tickFormat(low, high, Math.max(1, values.length - 1), 'f') : null;
  return values.map((value) => ({ value, label: format?.(value) ?? plainLabel(value, figures) }));
}

/**
 * Labels of powers of ten, and of their multiples by 2 and 5 if there are few powers. They come first,
 * since the first labels stay where labels touch. Null if the ticks are not such multiples.
 */
function powerLabels(values: readonly number[]): Label[] | null {
  const digits = values.map((value) => Number(value.toExponential().split('e')[0]));
  const powers = digits.filter((digit) => digit === 1);
  const labelled = (powers.length <= 3 ? [1, 2, 5] : [1]).flatMap((wanted) =>
    values.filter((_, index) => digits[index] === wanted),
  );
  if (labelled.length < 2 || !digits.every(Number.isInteger)) return null;
  const others = values.filter((value) => !labelled.includes(value));
  // From 1000 on, all labels are powers if one is.
  const plainMax = labelled.some((value) => value >= PLAIN_MAX) ? 1000 : PLAIN_MAX;
  return [
    ...labelled.map((value) => ({ value, label: plainLabel(value, 4, plainMax) })),
    ...others.map((value) => ({ value, label: '' })),
  ];
}

/** A number as it is if it is short, otherwise with a power of ten. */
function plainLabel(value: number, figures = 4, plainMax = PLAIN_MAX): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < plainMax))
    return String(Number(value.toPrecision(Math.max(5, figures))));
  const [digits = '', exponent = ''] = value
    .toExponential(Math.min(15, figures) - 1)
    .replace(/\.?0*e/, 'e')
    .split('e');
  const power = `10${superscript(Number(exponent))}`;
  return digits === '1' ? power : `${digits}·${power}`;
}

function superscript(exponent: number): string {
  const digits = Array.from(String(Math.abs(exponent)), (digit) => SUPERSCRIPTS[Number(digit)]);
  return `${exponent < 0 ? '⁻' : ''}${digits.join('')}`;
}
