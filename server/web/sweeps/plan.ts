/**
 * @module
 * A sweep that is planned: what the form shows, and the address has. It becomes the body of a request.
 */

import type { Schema } from '../api/contract.ts';
import { flowOf, valueAt, valueOfFlow } from '../threat-models/draft.ts';
import { axisText, valueCount, valuesOf } from './axis-text.ts';
import type { SweepJob } from './picture-input.ts';
import type { AxisRange } from './ranges.ts';
import { refinedValues } from './ranges.ts';

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
    ...{ runs: runs === undefined ? '' : String(runs), seed: seed ?? '' },
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
