/**
 * @module
 * The leader workload: a leader writes to a resource while it leads. The text form is the kind of the
 * resource with its options: `fencing-max` or `fencing-max:every=5,step=10`.
 */

import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import { RESOURCE_KINDS } from '../../election/lease/stores/resource.ts';
import type { Timing } from '../../election/timing.ts';
import { answerTicks } from '../../election/timing.ts';
import { LabError } from '../../errors.ts';

export interface Workload {
  readonly resource: ResourceKind;
  /** Ticks between two writes. Null is 2Δ + 1, so that each write is answered before the next. */
  readonly everyTicks: number | null;
  /** How far an epoch may exceed the highest epoch so far; any distance by default. */
  readonly epochStepMax?: number | null | undefined;
}

/** The rule of each kind, for listings. */
export const RESOURCE_RULES: Readonly<Record<ResourceKind, string>> = {
  unfenced: 'accepts every write, also that of a leader long replaced',
  'fencing-register':
    'refuses epochs below the highest that a new leader has registered; writes do not raise it',
  'fencing-max': 'refuses epochs below the highest that it has seen in a write',
};

/** The options of the text form, for listings. */
export const WORKLOAD_OPTIONS = {
  every: 'ticks between two writes of a leader; by default each write is answered before the next',
  step: 'how far an epoch may exceed the highest epoch so far; any distance by default',
} as const;

const EVERY_TICKS_MAX = 1_000_000_000;
const EPOCH_STEP_LIMIT = 1_000_000_000;

/** Parses the text form. Throws LabError `arguments`. */
export function parseWorkload(text: string): Workload {
  const [, kind = '', , options] = /^([a-z-]+)(:(.*))?$/s.exec(text) ?? [];
  const resource = RESOURCE_KINDS.find((each) => each === kind);
  const numbers = options === undefined ? new Map<string, number>() : parseNumbers(options);
  if (resource !== undefined && numbers !== null) {
    const step = numbers.get('step');
    const workload = {
      resource,
      everyTicks: numbers.get('every') ?? null,
      ...(step === undefined ? {} : { epochStepMax: step }),
    };
    if (isWorkload(workload)) return workload;
  }
  const detail = `a resource is one of ${RESOURCE_KINDS.join(', ')}, with or without the options :every=<ticks>,step=<epochs>, not ${JSON.stringify(text)}`;
  throw new LabError('arguments', detail);
}

/** Each option at most once, in any order; null for another text. */
function parseNumbers(text: string): Map<string, number> | null {
  const numbers = new Map<string, number>();
  for (const part of text.split(',')) {
    const [, name, digits] = /^([a-z]+)=(\d{1,10})$/.exec(part) ?? [];
    if (name === undefined || !Object.hasOwn(WORKLOAD_OPTIONS, name) || numbers.has(name))
      return null;
    numbers.set(name, Number(digits));
  }
  return numbers;
}

/** The text form. */
export function workloadText({ resource, everyTicks, epochStepMax = null }: Workload): string {
  const options = [
    ...(everyTicks === null ? [] : [`every=${everyTicks}`]),
    ...(epochStepMax === null ? [] : [`step=${epochStepMax}`]),
  ];
  return options.length === 0 ? resource : `${resource}:${options.join(',')}`;
}

/** Whether `parseWorkload` could return it. */
export function isWorkload({ resource, everyTicks, epochStepMax = null }: Workload): boolean {
  const isUpTo = (max: number, value: number | null) =>
    value === null || (Number.isSafeInteger(value) && value >= 1 && value <= max);
  return (
    RESOURCE_KINDS.includes(resource) &&
    isUpTo(EVERY_TICKS_MAX, everyTicks) &&
    isUpTo(EPOCH_STEP_LIMIT, epochStepMax)
  );
}

/** Ticks between two writes in a network. */
export function workloadEveryTicks({ everyTicks }: Workload, timing: Timing): number {
  return everyTicks ?? answerTicks(timing);
}
