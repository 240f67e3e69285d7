/**
 * @module
 * What leaders do while they lead: they write to a resource, which may have a fence. As text, the kind
 * of the resource and how often: `fencing-max` or `fencing-max:every=5`.
 */

import type { ResourceKind } from '../election/lease/resource.ts';
import { RESOURCE_KINDS } from '../election/lease/resource.ts';
import type { Timing } from '../election/timing.ts';
import { answerTicks } from '../election/timing.ts';
import { LabError } from '../errors.ts';

export interface Work {
  readonly resource: ResourceKind;
  /** Ticks from one write to the next; null is 2Δ + 1, so that each is answered before the next. */
  readonly everyTicks: number | null;
}

export const WORK_EVERY_TICKS_MAX = 1_000_000_000;

/** Reads the text form. Throws LabError `arguments`. */
export function parseWork(text: string): Work {
  const [, kind = '', every] = /^([a-z-]+)(?::every=(\d{1,10}))?$/.exec(text) ?? [];
  const resource = RESOURCE_KINDS.find((each) => each === kind);
  const everyTicks = every === undefined ? null : Number(every);
  if (resource !== undefined && isPeriod(everyTicks)) return { resource, everyTicks };
  const detail = `a resource is ${RESOURCE_KINDS.join(', ')}, with :every=<ticks> behind it or not, not ${JSON.stringify(text)}`;
  throw new LabError('arguments', detail);
}

/** The text form. */
export function workText({ resource, everyTicks }: Work): string {
  return everyTicks === null ? resource : `${resource}:every=${everyTicks}`;
}

/** Whether it is one that `parseWork` could have read. */
export function isWork({ resource, everyTicks }: Work): boolean {
  return RESOURCE_KINDS.includes(resource) && isPeriod(everyTicks);
}

/** Ticks between two writes, once the network is known. */
export function workEveryTicks({ everyTicks }: Work, timing: Timing): number {
  return everyTicks ?? answerTicks(timing);
}

function isPeriod(ticks: number | null): boolean {
  return (
    ticks === null || (Number.isSafeInteger(ticks) && ticks >= 1 && ticks <= WORK_EVERY_TICKS_MAX)
  );
}
