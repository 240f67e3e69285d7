/**
 * @module
 * A sweep that is planned: what the form shows, and the address has. It becomes the body of a request.
 */

import { isLogarithmic, roleOf } from '../../../src/experiment/charts/axes.ts';
import type { PictureCell } from '../../../src/experiment/charts/data.ts';
import type { Axis, AxisValue } from '../../../src/experiment/sweep/grid.ts';
import { parseQuantity } from '../../../src/quantities.ts';
import type { Schema } from '../api/contract.ts';
import { flowOf, valueAt, valueOfFlow } from '../threat-models/draft.ts';
import type { SweepJob } from './picture-input.ts';

export type SweepRequest = Schema<'SweepRequest'>;
type Query = Readonly<Record<string, string | undefined>>;

/** An axis as it is typed. */
export interface PlannedAxis {
  readonly path: string;
  readonly values: string;
}

export interface SweepPlan {
  /** An id of the catalogue. */
  readonly model: string;
  /** The packed text of an edited document; null for that of the catalogue. */
  readonly document: string | null;
  readonly axes: readonly PlannedAxis[];
  /** `mined`, `sampled`, or empty for that of the document. */
  readonly work: string;
  /** Other settings, `path=value`, one in a line. */
  readonly settings: string;
  readonly runs: string;
  readonly seed: string;
  /** `independent`, or empty for paired seeds. */
  readonly seeds: string;
}

/** A sweep has at most these axes in the form. The API takes more. */
export const AXES_MAX = 4;

/** What the form shows first: a frontier that takes a second. */
export const FIRST_PLAN: SweepPlan = {
  model: 'top-id',
  document: null,
  axes: [
    { path: 'adversaries.main.budget.attempts', values: '2^4:2^10|*2' },
    { path: 'network.identity.c1', values: 'range(0,8,2)' },
  ],
  work: 'sampled',
  settings: '',
  runs: '200',
  seed: '',
  seeds: '',
};

const TEXTS = ['work', 'settings', 'runs', 'seed', 'seeds'] as const;

/** The plan of an address. */
export function planOf(query: Query): SweepPlan {
  const { model, document = null } = query;
  if (model === undefined) return FIRST_PLAN;
  const texts = Object.fromEntries(TEXTS.map((name) => [name, query[name] ?? '']));
  const axes = Array.from({ length: AXES_MAX }, (_, index): PlannedAxis => {
    return { path: query[`axis${index + 1}`] ?? '', values: query[`values${index + 1}`] ?? '' };
  }).filter(({ path }) => path !== '');
  return { ...FIRST_PLAN, ...texts, model, document, axes };
}

/** The values of the address of a plan, also those that it must not have any more. */
export function queryOf({ model, document, axes, ...texts }: SweepPlan) {
  const slots = Array.from({ length: AXES_MAX }, (_, index) => [
    [`axis${index + 1}`, axes[index]?.path ?? null],
    [`values${index + 1}`, axes[index]?.values ?? null],
  ]).flat();
  // Each slot has a name, and a text or null.
  const numbered = Object.fromEntries(slots) as Readonly<Record<string, string | null>>;
  return { model, document, ...numbered, ...texts };
}

/** The body of the request. `edited` is the data of an edited document; null takes the id. */
export function requestOf(plan: SweepPlan, edited: unknown): SweepRequest {
  const { model, axes, work, runs, seed, seeds } = plan;
  const filled = axes.map(({ path, values }) => [path, valuesOf(values)] as const);
  const [single, several] = [filled.filter(isSingle), filled.filter((axis) => !isSingle(axis))];
  const set = {
    ...Object.fromEntries(single.map(([path, [value]]) => [path, value])),
    ...(work === '' ? {} : { work }),
    ...settingsOf(plan),
  };
  return {
    threatModel: edited === null ? model : edited,
    ...(several.length === 0 ? {} : { axes: Object.fromEntries(several) }),
    ...(Object.keys(set).length === 0 ? {} : { set }),
    ...(runs === '' ? {} : { runs: /^\d+$/.test(runs) ? Number(runs) : runs }),
    ...(seed === '' ? {} : { seed }),
    ...(seeds === '' ? {} : { seeds }),
    // The server refuses what is not of this type, and says why.
  } as SweepRequest;
}

/** An axis of one value is a setting. */
function isSingle([, values]: readonly [string, string | readonly unknown[]]): boolean {
  return typeof values !== 'string' && values.length < 2;
}

function settingsOf({ settings }: SweepPlan): Readonly<Record<string, unknown>> {
  const lines = settings.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [path = '', ...value] = line.split('=');
      return [path.trim(), valueOfFlow(value.join('='))];
    }),
  );
}

/** The plan that has the same request. `document` is the packed text of an edited document. */
export function planOfRequest(request: SweepRequest, document: string | null): SweepPlan {
  const { threatModel, axes = {}, set = {}, runs, seed, seeds } = request;
  const { work, ...others } = set;
  return {
    model: typeof threatModel === 'string' ? threatModel : String(threatModel.id),
    document,
    axes: Object.entries(axes).map(([path, values]) => ({ path, values: axisText(values) })),
    work: work === undefined ? '' : String(work),
    settings: Object.entries(others)
      .map(([path, value]) => `${path}=${flowOf(value)}`)
      .join('\n'),
    runs: runs === undefined ? '' : String(runs),
    seed: seed ?? '',
    seeds: seeds === 'independent' ? seeds : '',
  };
}

/** The request of a finer sweep: the axes of the grid, with the refined values of the ranges. */
export function refinedRequest(
  { request, grid }: Pick<SweepJob, 'request' | 'grid'>,
  ranges: readonly AxisRange[],
  document: unknown,
): SweepRequest {
  const { sample: _, axes, ...rest } = request;
  const own = valueAt(document, ['sweep', 'axes']);
  // Without axes, the sweep had those of the document, in the same form.
  const swept = axes ?? ((own ?? {}) as NonNullable<SweepRequest['axes']>);
  const kept = Object.entries(swept).filter(([path]) => grid.some((axis) => axis.path === path));
  const refined = Object.fromEntries(kept);
  for (const range of ranges) refined[range.path] = [...refinedValues(range)];
  return { ...rest, axes: refined };
}

/** The arguments of the command that does the same. `file` stands for the document. */
export function commandOf(request: SweepRequest, file: string): readonly string[] {
  const { axes = {}, set = {}, runs, seed, seeds } = request;
  const settings = Object.entries(set).map(([path, value]) => `${path}=${settingText(value)}`);
  const grid = Object.entries(axes).map(([path, values]) => {
    return `${path}=${typeof values === 'string' ? values : values.map(flowOf).join(',')}`;
  });
  return [
    ...['sweep', file, ...[...grid, ...settings].flatMap((text) => ['--set', text])],
    ...(runs === undefined ? [] : ['--runs', String(runs)]),
    ...(seed === undefined ? [] : ['--seed', seed]),
    ...(seeds === 'independent' ? ['--seeds', seeds] : []),
  ];
}

/** The command line would read a text with these characters as several values. */
function settingText(value: unknown): string {
  return typeof value === 'string' && /[,|(]/.test(value) ? JSON.stringify(value) : flowOf(value);
}

/** The number of cells of the plan; null while an axis is not complete. */
export function cellCount({ axes }: SweepPlan): number | null {
  return axes.reduce<number | null>((product, { values }) => {
    const count = valueCount(values);
    return product === null || count === null ? null : product * count;
  }, 1);
}

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

/**
 * How the values of an axis follow each other, with the parts as they are typed. The text of an axis, in the syntax
 * of the API: a list `4, 8, 16`, steps `range(8,28,2)` or factors `2^10:2^18|*2`. The form edits its parts. The
 * server decides what is valid.
 */
export type Spacing =
  | { readonly kind: 'steps'; readonly from: string; readonly to: string; readonly by: string }
  | { readonly kind: 'factors'; readonly from: string; readonly to: string; readonly by: string }
  | { readonly kind: 'list'; readonly text: string };

export const SPACINGS = [
  ['steps', 'from … to, in steps'],
  ['factors', 'from … to, by a factor'],
  ['list', 'a list'],
] as const;

const STEPS = /^range\(([^,()]*),([^,()]*)(?:,([^,()]*))?\)$/;
const FACTORS = /^([^:|]*):([^:|]*)\|\*(.*)$/;

export function spacingOf(text: string): Spacing {
  const steps = STEPS.exec(text);
  if (steps !== null) {
    const [, from = '', to = '', by = '1'] = steps;
    return { kind: 'steps', from, to, by };
  }
  const factors = FACTORS.exec(text);
  if (factors !== null) {
    const [, from = '', to = '', by = ''] = factors;
    return { kind: 'factors', from, to, by };
  }
  return { kind: 'list', text };
}

export function spacingText(spacing: Spacing): string {
  if (spacing.kind === 'list') return spacing.text;
  const { kind, from, to, by } = spacing;
  return kind === 'steps' ? `range(${from},${to},${by})` : `${from}:${to}|*${by}`;
}

/** The same values in another form, as far as it has them. */
export function inForm(text: string, kind: Spacing['kind']): string {
  const old = spacingOf(text);
  if (old.kind === kind) return text;
  const values = numbersOf(text);
  if (kind === 'list') return values === null ? '' : values.join(', ');
  const [from = '', to = ''] = [values?.[0], values?.at(-1)].map((end) => end?.toString() ?? '');
  return spacingText({ kind, from, to, by: kind === 'steps' ? '1' : '2' });
}

/** The values of a list as data, or the text of steps or factors, as a request has them. */
export function valuesOf(text: string): string | readonly unknown[] {
  if (spacingOf(text).kind !== 'list') return text;
  const values = valueOfFlow(`[${text}]`);
  return Array.isArray(values) ? values : [text];
}

/** The text of the values of a request. */
export function axisText(values: string | readonly unknown[]): string {
  return typeof values === 'string' ? values : values.map(flowOf).join(', ');
}

/** How many values the text has; null if it is not complete. */
export function valueCount(text: string): number | null {
  const spacing = spacingOf(text);
  if (spacing.kind === 'list') {
    const values = valuesOf(text);
    return values.length === 0 || text.trim() === '' ? null : values.length;
  }
  const [from, to, by] = [spacing.from, spacing.to, spacing.by].map(numberOf);
  if (from === undefined || to === undefined || by === undefined) return null;
  const steps = spacing.kind === 'steps' ? (to - from) / by : Math.log(to / from) / Math.log(by);
  return Number.isFinite(steps) && steps >= 0 ? Math.floor(steps + ROUNDING) + 1 : null;
}

/** A step that misses the end only by rounding meets it. */
const ROUNDING = 1e-9;
/** A longer axis is not written out. */
const WRITTEN_MAX = 64;

/** The values as numbers; null if they are not numbers, or too many. */
function numbersOf(text: string): readonly number[] | null {
  const spacing = spacingOf(text);
  const count = valueCount(text);
  if (count === null || count > WRITTEN_MAX) return null;
  if (spacing.kind === 'list') {
    const values = valuesOf(text);
    const numbers = typeof values === 'string' ? [] : values.map((each) => numberOf(String(each)));
    return numbers.every((each) => Number.isFinite(each)) ? numbers : null;
  }
  const [from = 0, by = 1] = [numberOf(spacing.from), numberOf(spacing.by)];
  return Array.from({ length: count }, (_, index) =>
    rounded(spacing.kind === 'steps' ? from + index * by : from * by ** index),
  );
}

function numberOf(text: string): number {
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/.exec(text.trim()) ?? [];
  const plain = parseQuantity('number', digits);
  const value = Number.isNaN(plain) ? parseQuantity('probability', digits) : plain;
  return value * (sign === '-' ? -1 : 1);
}

/** Without the digits that doubles add. */
function rounded(value: number): number {
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(12));
}
