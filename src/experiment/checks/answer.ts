/**
 * @module
 * The result of a check as JSON data: what `usurp check --json` prints, and what a check over HTTP returns.
 */

import type { CheckResult } from '../../checking/check.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import { judgedOf } from '../../checking/check-request.ts';
import type { Instance } from '../../checking/instance.ts';
import type { Unclaimed } from '../../checking/properties/registry.ts';
import { unclaimedBy } from '../../checking/properties/registry.ts';
import type { CheckedProperty } from '../../checking/property.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';

export interface CheckedInstance {
  readonly request: CheckRequest;
  readonly protocol: ProtocolName;
  readonly instance: Instance;
  readonly properties: readonly CheckedProperty[];
  /** Properties that the protocol does not claim here. They are checked only if it claims none that can be violated. */
  readonly unclaimed: readonly Unclaimed[];
}

/** What is checked. `isChosen`: the properties were named, so that none is missing. */
export function checkedInstance(request: CheckRequest, isChosen: boolean): CheckedInstance {
  const { protocol } = request;
  const { instance, properties } = judgedOf(request);
  const unclaimed = isChosen ? [] : unclaimedBy(PROTOCOLS[protocol], instance);
  return { request, protocol, instance, properties, unclaimed };
}

export function isExhausted(result: CheckResult): boolean {
  return result.type === 'exhausted' || (result.type === 'violated' && result.isExhausted);
}

export const TRUTHS = ['violated', 'seen', 'unknown', 'impossible', 'holds'] as const;

/** What the search says about a property. */
export function truthOf(
  name: string,
  kind: CheckedProperty['kind'],
  result: CheckResult,
): (typeof TRUTHS)[number] {
  if (result.type === 'violated' && result.property.name === name) return 'violated';
  if (kind === 'sometimes' && result.witnessed.includes(name)) return 'seen';
  // Of several `eventually` properties the search stops at the first that is violated.
  const isOpen = result.type === 'violated' && kind === 'eventually';
  if (!isExhausted(result) || isOpen) return 'unknown';
  return kind === 'sometimes' ? 'impossible' : 'holds';
}

/** What an answer says whatever the result is: what was checked, and what was visited. */
function commonMembers(about: CheckedInstance, result: CheckResult) {
  const { protocol, instance, properties, unclaimed, request } = about;
  const { cast, bounds, timing, links, starts, initiators, crashedBefore, cut, perLink } = instance;
  const { isShifted, spread } = instance;
  const {
    flags,
    ring,
    order,
    level,
    resource,
    absent = [],
    phantoms = [],
    byzantine = [],
  } = request;
  const { counts, witnessed, coverage, isReduced, walks } = result;
  return {
    ...{ protocol, nodes: cast.nodes, flags, ring, absent, phantoms },
    ...{ level: level ?? null, byzantine, resource: resource ?? null, order },
    ...{ timing, links, starts, initiators, crashedBefore, bounds, cut, perLink },
    ...{ isShifted, spread },
    properties: properties.map(({ name, kind }) => ({
      ...{ name, kind },
      value: truthOf(name, kind, result),
    })),
    ...{ unclaimed, counts, witnessed, coverage, reduced: isReduced, walks },
  };
}

/** The answer, which says by `result` which of the three it is. */
export function checkAnswer(about: CheckedInstance, result: CheckResult) {
  const common = commonMembers(about, result);
  switch (result.type) {
    case 'exhausted':
      return { result: result.type, ...common };
    case 'capped':
      return { result: result.type, ...common, detail: result.detail };
    case 'violated': {
      const { property, breach, cycleFrom, repeatsFrom, rises, trace } = result;
      const { address, actions } = trace;
      return {
        ...{ result: result.type, ...common, property: property.name },
        ...{ breach, cycleFrom, repeatsFrom, rises, address, actions },
      };
    }
    default:
      return result satisfies never;
  }
}

export type CheckAnswer = ReturnType<typeof checkAnswer>;
