/**
 * @module
 * What an axis of a sweep is to a picture: whether it is a number, a difficulty, a budget or a
 * population, on what scale it is drawn, and the words beside it. Known from the path and the values
 * alone, so that any document's axes can be drawn.
 */

import type { Axis, AxisValue } from '../sweep/sweep.ts';

/** An axis of numbers; the domain is as wide as what is drawn, and never of one value alone. */
export interface NumberAxis {
  readonly type: 'number';
  readonly label: string;
  readonly isLogarithmic: boolean;
  /** Whether all values are integers, so that nothing between is a tick. */
  readonly isWhole: boolean;
  readonly domain: readonly [number, number];
}

/** An axis of words; on it a place is an index into them. */
export interface NameAxis {
  readonly type: 'names';
  readonly label: string;
  readonly names: readonly string[];
}

export type AxisRole = 'difficulty' | 'budget' | 'population' | 'number' | 'names';

/** Names are cut to this many characters; the data file has them whole. */
const NAME_CHARACTERS_MAX = 60;
/** From this ratio on, positive values are spread on a logarithmic scale. */
const LOGARITHMIC_RATIO = 16;
/** Values nearer to each other, relatively, are one place: no ticks fit between them. */
const SPAN_MIN = 1e-9;

const WORDS: Readonly<Record<string, string>> = {
  c1: 'static difficulty (bits)',
  c2: 'dynamic difficulty (bits)',
  honest: 'honest nodes',
  attempts: 'budget (attempts)',
  hashes: 'budget (hashes)',
  cpuSeconds: 'budget (CPU seconds)',
  wallSeconds: 'budget (seconds of wall clock)',
  rate: 'rate (candidates per second)',
  latency: 'latency (ticks)',
  timeout: 'timeout (ticks)',
  interval: 'interval (ticks)',
};

/** The unit that a member's name ends in, such as `latencyTicks`. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/Ticks(Max|Min)?$/, 'ticks'],
  [/Seconds(Max|Min)?$/, 's'],
  [/Ms(Max|Min)?$/, 'ms'],
  [/Bits(Max|Min)?$/, 'bits'],
];

/** The part that an axis plays, by its path and its values. */
export function roleOf({ path, values }: Axis): AxisRole {
  if (values.length === 0 || !values.every(isFiniteNumber)) return 'names';
  const name = lastMember(path);
  if (name === 'c1' || name === 'c2') return 'difficulty';
  if (/(^|\.)budget\./.test(path)) return 'budget';
  return name === 'honest' ? 'population' : 'number';
}

/** Whether there is anything to see along the axis. */
export function varies({ values }: Axis): boolean {
  return new Set(values).size >= 2;
}

/** The words beside an axis: what it is and in what unit, and the path that was set. */
export function axisLabel(path: string): string {
  const name = lastMember(path);
  const words = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  if (words !== undefined) return `${words}: ${path}`;
  const unit = UNITS.find(([ending]) => ending.test(name));
  return unit === undefined ? path : `${path} (${unit[1]})`;
}

/** The least that tells the paths apart: their last members, or all where two end alike. */
export function shortPaths(paths: readonly string[]): string[] {
  const names = paths.map(lastMember);
  return new Set(names).size === paths.length ? names : [...paths];
}

/** An axis's value in words. */
export function valueText(value: AxisValue): string {
  const characters = Array.from(String(value));
  if (characters.length <= NAME_CHARACTERS_MAX) return characters.join('');
  return `${characters.slice(0, NAME_CHARACTERS_MAX - 1).join('')}…`;
}

/**
 * Whether values are spread better by their logarithms. Budgets always are, difficulties never, as
 * bits are logarithms already.
 */
export function isLogarithmic(role: AxisRole, values: readonly number[]): boolean {
  const [low, high] = extent(values);
  if (role === 'difficulty' || role === 'names' || !(low > 0)) return false;
  return role === 'budget' || high / low >= LOGARITHMIC_RATIO;
}

/** A domain from the least to the greatest of the values, widened where they are one. */
export function numberAxis(
  label: string,
  values: readonly number[],
  scale: { readonly isLogarithmic: boolean },
): NumberAxis {
  const [low, high] = extent(values);
  const domain = widened(low, high, scale.isLogarithmic);
  return { type: 'number', label, ...scale, isWhole: values.every(Number.isInteger), domain };
}

function widened(low: number, high: number, isLogarithmic: boolean): readonly [number, number] {
  if (high - low > SPAN_MIN * Math.max(Math.abs(low), Math.abs(high))) return [low, high];
  if (isLogarithmic) return [low / 2, low * 2];
  // Half the value for very large ones, to which nothing smaller can be added.
  const half = Math.max(0.5, Math.abs(low) / 2);
  return [low - half, low + half];
}

/** Least and greatest; 0 and 1 of no values. */
export function extent(values: readonly number[]): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** At most `max` of the items, evenly chosen, the first and the last among them. */
export function spread<T>(items: readonly T[], max: number): readonly T[] {
  if (items.length <= max) return items;
  const step = (items.length - 1) / Math.max(1, max - 1);
  const chosen = Array.from({ length: max }, (_, index) => Math.round(index * step));
  return chosen.flatMap((index) => items.slice(index, index + 1));
}

function lastMember(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

export function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
