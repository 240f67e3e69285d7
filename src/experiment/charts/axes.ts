/**
 * @module
 * What an axis of a sweep means in a chart: its role (difficulty, budget, population, other number or
 * names), its scale and its label. All of it follows from the axis's path and values, so that the
 * axes of any document can be drawn.
 */

import { extent } from 'd3-array';

import type { Axis, AxisValue } from '../sweep/grid.ts';

/** An axis of numbers. Its domain contains everything that is drawn and is wider than one value. */
export interface NumberAxis {
  readonly type: 'number';
  readonly label: string;
  readonly isLogarithmic: boolean;
  /** Whether all values are integers. If so, all ticks are integers too. */
  readonly isWhole: boolean;
  readonly domain: readonly [number, number];
  /** Whether a logarithmic axis shows 0 at its lower edge, below a break. */
  readonly hasZero?: boolean;
}

/** An axis of names. A coordinate on it is an index into `names`. */
export interface NameAxis {
  readonly type: 'names';
  readonly label: string;
  readonly names: readonly string[];
}

export type AxisRole = 'difficulty' | 'budget' | 'population' | 'number' | 'names';

/** Maximum length of a name. The data file contains the whole name. */
const NAME_CHARACTERS_MAX = 60;
/** Ratio of the greatest to the least value from which positive values get a logarithmic scale. */
const LOGARITHMIC_RATIO = 16;
/** Relative width below which no ticks fit between two values. */
const SPAN_MIN = 1e-9;

const LABELS: Readonly<Record<string, string>> = {
  c1: 'static difficulty (bits)',
  c2: 'dynamic difficulty (bits)',
  honest: 'honest nodes',
  attempts: 'budget (attempts)',
  hashes: 'budget (hashes)',
  cpuSeconds: 'budget (CPU seconds)',
  wallSeconds: 'budget (wall-clock seconds)',
  rate: 'rate (candidates per second)',
  latency: 'latency (ticks)',
  timeout: 'timeout (ticks)',
  interval: 'interval (ticks)',
};

/** Units by the ending of a member's name, such as `latencyTicks`. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/Ticks(Max|Min)?$/, 'ticks'],
  [/Seconds(Max|Min)?$/, 's'],
  [/Ms(Max|Min)?$/, 'ms'],
  [/Bits(Max|Min)?$/, 'bits'],
];

/** The role of an axis. */
export function roleOf({ path, values }: Axis): AxisRole {
  if (values.length === 0 || !values.every(isFiniteNumber)) return 'names';
  const name = lastMember(path);
  if (name === 'c1' || name === 'c2') return 'difficulty';
  if (/(^|\.)budget\./.test(path)) return 'budget';
  return name === 'honest' ? 'population' : 'number';
}

/** Whether the axis has at least two different values. */
export function varies({ values }: Axis): boolean {
  return new Set(values).size >= 2;
}

/** The label of an axis: its meaning with the unit, and the path that was set. */
export function axisLabel(path: string): string {
  const name = lastMember(path);
  if (Object.hasOwn(LABELS, name)) return `${LABELS[name]}: ${path}`;
  const unit = UNITS.find(([ending]) => ending.test(name));
  return unit === undefined ? path : `${path} (${unit[1]})`;
}

/** The last members of the paths, or the whole paths if two of them end in the same member. */
export function shortPaths(paths: readonly string[]): string[] {
  const names = paths.map(lastMember);
  return new Set(names).size === paths.length ? names : [...paths];
}

/** The value of an axis as text. */
export function valueText(value: AxisValue): string {
  const characters = Array.from(String(value));
  if (characters.length <= NAME_CHARACTERS_MAX) return characters.join('');
  return `${characters.slice(0, NAME_CHARACTERS_MAX - 1).join('')}…`;
}

/**
 * Whether the values get a logarithmic scale. Budgets always do if they are positive. Difficulties
 * never do, because bits are logarithms already.
 */
export function isLogarithmic(role: AxisRole, values: readonly number[]): boolean {
  const [low = 0, high = 1] = extent(values);
  if (role === 'difficulty' || role === 'names' || !(low > 0)) return false;
  return role === 'budget' || high / low >= LOGARITHMIC_RATIO;
}

/** An axis from the least to the greatest value, widened if these are the same. */
export function numberAxis(
  label: string,
  values: readonly number[],
  scale: { readonly isLogarithmic: boolean },
): NumberAxis {
  const [low = 0, high = 1] = extent(values);
  const domain = widened(low, high, scale.isLogarithmic);
  return { type: 'number', label, ...scale, isWhole: values.every(Number.isInteger), domain };
}

function widened(low: number, high: number, isLogarithmic: boolean): readonly [number, number] {
  if (high - low > SPAN_MIN * Math.max(Math.abs(low), Math.abs(high))) return [low, high];
  if (isLogarithmic) return [low / 2, low * 2];
  // A very large number does not change if 0.5 is added to it.
  const half = Math.max(0.5, Math.abs(low) / 2);
  return [low - half, low + half];
}

/** What is written beside an axis: its label, and that it is logarithmic if it is. */
export function axisName({ label, isLogarithmic: isLog }: NumberAxis): string {
  return isLog ? `${label}, log scale` : label;
}

/** At most `max` items at even distances, among them the first and the last. */
export function spread<T>(items: readonly T[], max: number): readonly T[] {
  if (items.length <= max) return items;
  const step = (items.length - 1) / Math.max(1, max - 1);
  return Array.from({ length: max }, (_, index) => Math.round(index * step)).flatMap((index) =>
    items.slice(index, index + 1),
  );
}

export function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function lastMember(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
