/**
 * @module
 * From values to places in a picture, and the ticks between: round numbers, as many as there is room
 * for, none of whose labels touch.
 */

import type { NumberAxis } from './axes.ts';
import { SMALL, textWidth } from './lettering.ts';

export interface Tick {
  readonly at: number;
  /** Empty where there is no room for it. */
  readonly label: string;
}

export interface Scale {
  place(value: number): number;
  readonly ticks: readonly Tick[];
}

/** From the pixel of the domain's lower end to that of its upper one, which may be the smaller. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly direction: 'across' | 'up';
}

/** Between two labels. */
const GAP = 12;
/** From tick to tick on linear axes. */
const UP_GAP = 30;
const ACROSS_GAP = 64;
const LINE = 14;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

export function scaleOf(axis: NumberAxis, stretch: Stretch): Scale {
  const [low, high] = axis.domain;
  const { from, to } = stretch;
  const share = axis.isLogarithmic
    ? (value: number) => Math.log(value / low) / Math.log(high / low)
    : (value: number) => (value - low) / (high - low);
  const place = (value: number) => from + share(value) * (to - from);
  const length = Math.abs(to - from);
  const candidates = axis.isLogarithmic
    ? logarithmicTicks(axis)
    : linearTicks(axis, length / (stretch.direction === 'up' ? UP_GAP : ACROSS_GAP));
  const ticks = candidates.map(({ value, label }) => ({ at: place(value), label }));
  return { place, ticks: withoutCollisions(ticks, stretch.direction) };
}

/** A count or a budget as a tick says it: powers of two and ten as such. */
export function valueLabel(value: number): string {
  const exponent = Math.log2(value);
  if (value >= 1024 && Number.isInteger(exponent)) return `2${superscript(exponent)}`;
  return plainLabel(value);
}

/** The ticks whose labels touch an earlier one lose theirs. */
export function withoutCollisions(
  ticks: readonly Tick[],
  direction: Stretch['direction'],
): readonly Tick[] {
  const taken: Tick[] = [];
  return ticks.map((tick) => {
    const isFree = taken.every((other) => {
      const room =
        direction === 'up'
          ? LINE
          : (textWidth(tick.label, SMALL) + textWidth(other.label, SMALL)) / 2 + GAP;
      return Math.abs(tick.at - other.at) >= room;
    });
    if (tick.label === '' || !isFree) return { ...tick, label: '' };
    taken.push(tick);
    return tick;
  });
}

interface Candidate {
  readonly value: number;
  readonly label: string;
}

function linearTicks({ domain: [low, high], isWhole }: NumberAxis, countMax: number): Candidate[] {
  const least = stepFor((high - low) / Math.max(1, countMax));
  const step = isWhole ? Math.max(1, least) : least;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  // As many as tell neighbours apart.
  const figures = Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / step)) + 1;
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const value = Number(((first + index) * step).toFixed(Math.min(20, digits)));
    const isLarge = Math.abs(value) >= 1e6 || digits > 6;
    return { value, label: isLarge ? plainLabel(value, figures) : value.toFixed(digits) };
  });
}

/** The least of 1, 2 and 5 times a power of ten that is no less. */
function stepFor(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least * 0.999) ?? power;
}

/** Powers of ten first, as they are labelled first; then their doubles and halves of the next. */
function logarithmicTicks(axis: NumberAxis): Candidate[] {
  const [low, high] = axis.domain;
  // Less than a factor of three holds too few round numbers.
  if (high / low < 3) return linearTicks(axis, 6);
  const decades = Math.log10(high / low);
  const every = Math.ceil(decades / 10);
  const first = Math.floor(Math.log10(low));
  const exponents = Array.from({ length: Math.ceil(decades) + 2 }, (_, index) => first + index);
  const candidates = [1, 2, 5].flatMap((digit) =>
    exponents.flatMap((exponent) => {
      const value = Number(`${digit}e${exponent}`);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) return [];
      if (digit !== 1 && decades > 4) return [];
      const isLabelled = digit === 1 ? exponent % every === 0 : decades <= 2.5;
      return [{ value, label: isLabelled ? plainLabel(value) : '' }];
    }),
  );
  return candidates;
}

/** A number as it is if that is short, else with a power of ten. */
function plainLabel(value: number, figures = 4): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e5))
    return String(Number(value.toPrecision(Math.max(5, figures))));
  const [digits = '', exponent = ''] = Number(value.toPrecision(figures))
    .toExponential()
    .split('e');
  const power = `10${superscript(Number(exponent))}`;
  return digits === '1' ? power : `${digits}·${power}`;
}

function superscript(exponent: number): string {
  const digits = Array.from(String(Math.abs(exponent)), (digit) => SUPERSCRIPTS[Number(digit)]);
  return `${exponent < 0 ? '⁻' : ''}${digits.join('')}`;
}
