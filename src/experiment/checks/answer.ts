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
import { clientsText } from '../../election/clients/client-form.ts';
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
  const isNamed = isChosen || request.goal !== undefined;
  const conditions = { ...instance, byzantine: request.byzantine };
  const unclaimed = isNamed ? [] : unclaimedBy(PROTOCOLS[protocol], conditions);
  return { request, protocol, instance, properties, unclaimed };
}

export function isExhausted(result: CheckResult): boolean {
  return result.type === 'exhausted' || (result.type === 'violated' && result.isExhausted);
}

export const TRUTHS = [
  ...(['violated', 'seen', 'unknown', 'impossible', 'holds'] as const),
  ...(['reachable', 'unreachable'] as const),
] as const;

/** What the search says about a property. */
function truthOf(
  { name, kind, isGoal }: CheckedProperty,
  result: CheckResult,
): (typeof TRUTHS)[number] {
  const isViolated = result.type === 'violated' && result.property.name === name;
  if (isViolated) return isGoal === true ? 'reachable' : 'violated';
  if (kind === 'sometimes' && result.witnessed.includes(name)) return 'seen';
  // Of several `eventually` properties the search stops at the first that is violated.
  const isOpen = result.type === 'violated' && kind === 'eventually';
  if (!isExhausted(result) || isOpen) return 'unknown';
  if (isGoal === true) return 'unreachable';
  return kind === 'sometimes' ? 'impossible' : 'holds';
}

/** Which of the results it is for readers: an example that reaches a goal violates nothing. */
export function resultName(result: CheckResult): CheckResult['type'] | 'reachable' {
  return result.type === 'violated' ? exampleName(result) : result.type;
}

function exampleName({
  property,
}: Extract<CheckResult, { type: 'violated' }>): 'violated' | 'reachable' {
  return property.isGoal === true ? 'reachable' : 'violated';
}

/** The kind of a property for readers: the search for a goal is one for a world that has it. */
function kindOf({ kind, isGoal }: CheckedProperty): CheckedProperty['kind'] {
  return isGoal === true ? 'sometimes' : kind;
}

/** What an answer says whatever the result is: what was checked, and what was visited. */
function commonMembers(about: CheckedInstance, result: CheckResult) {
  const { request, protocol, instance, properties, unclaimed } = about;
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
  const { counts, witnessed, coverage, isReduced, renamings, walks } = result;
  return {
    protocol,
    nodes: cast.nodes,
    store: cast.store,
    flags,
    ring,
    absent,
    phantoms,
    level: level ?? null,
    byzantine,
    resource: resource ?? null,
    clients: request.clients === undefined ? null : clientsText(request.clients),
    order,
    timing,
    links,
    starts,
    initiators,
    crashedBefore,
    bounds,
    topology: request.topology ?? null,
    cut,
    perLink,
    isShifted,
    spread,
    goal: request.goal ?? null,
    properties: properties.map((property) => ({
      name: property.name,
      kind: kindOf(property),
      value: truthOf(property, result),
      description: property.description,
    })),
    unclaimed,

    counts,
    witnessed,
    coverage,
    reduced: isReduced,
    renamings,
    walks,
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
        result: exampleName(result),
        ...common,
        property: property.name,
        breach,
        cycleFrom,
        repeatsFrom,
        rises,
        address,
        actions,
      };
    }
    default:
      return result satisfies never;
  }
}
