/**
 * @module
 * What leaders do while they lead: they write to a resource, which may have a fence. As text, the kind
 * of the resource, how often, and how far an epoch may be ahead: `fencing-max` or
 * `fencing-max:every=5,step=10`.
 */

import type { ResourceKind } from '../../election/lease/resource.ts';
import { RESOURCE_KINDS } from '../../election/lease/resource.ts';
import type { Timing } from '../../election/timing.ts';
import { answerTicks } from '../../election/timing.ts';
import { LabError } from '../../errors.ts';

export interface Workload {
  readonly resource: ResourceKind;
  /** Ticks from one write to the next; null is 2Δ + 1, so that each is answered before the next. */
  readonly everyTicks: number | null;
  /** How far above the highest epoch so far one may be; any distance by default. */
  readonly epochStepMax?: number | null | undefined;
}

/** What each kind does, in words. */
export const RESOURCE_RULES: Readonly<Record<ResourceKind, string>> = {
  unfenced: 'takes every write, that of a leader long replaced as well',
  'fencing-register':
    'refuses epochs below the highest that a new leader has registered; writes do not raise it',
  'fencing-max': 'refuses epochs below the highest that it has seen in a write',
};

/** What follows the kind in the text form, and what each says. */
export const WORKLOAD_OPTIONS = {
  every:
    'ticks from one write of a leader to the next; by default each is answered before the next',
  step: 'how far above the highest epoch so far one may be; any distance by default',
} as const;

export const WORKLOAD_EVERY_TICKS_MAX = 1_000_000_000;
export const EPOCH_STEP_LIMIT = 1_000_000_000;

/** Reads the text form. Throws LabError `arguments`. */
export function parseWorkload(text: string): Workload {
  const [, kind = '', rest] = /^([a-z-]+)(?::(.*))?$/s.exec(text) ?? [];
  const resource = RESOURCE_KINDS.find((each) => each === kind);
  const numbers = rest === undefined ? new Map<string, number>() : parseNumbers(rest);
  if (resource !== undefined && numbers !== null) {
    const everyTicks = numbers.get('every') ?? null;
    const step = numbers.get('step');
    const work = { resource, everyTicks, ...(step === undefined ? {} : { epochStepMax: step }) };
    if (isWorkload(work)) return work;
  }
  const detail = `a resource is ${RESOURCE_KINDS.join(', ')}, with :every=<ticks>, :step=<epochs> or both, a comma between, behind it or not, not ${JSON.stringify(text)}`;
  throw new LabError('arguments', detail);
}

/** Each option once, in any order; null for what is none. */
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

/** Whether it is one that `parseWork` could have read. */
export function isWorkload({ resource, everyTicks, epochStepMax = null }: Workload): boolean {
  return (
    RESOURCE_KINDS.includes(resource) &&
    isFrom1(everyTicks, WORKLOAD_EVERY_TICKS_MAX) &&
    isFrom1(epochStepMax, EPOCH_STEP_LIMIT)
  );
}

/** Ticks between two writes, once the network is known. */
export function workloadEveryTicks({ everyTicks }: Workload, timing: Timing): number {
  return everyTicks ?? answerTicks(timing);
}

function isFrom1(value: number | null, max: number): boolean {
  return value === null || (Number.isSafeInteger(value) && value >= 1 && value <= max);
}
