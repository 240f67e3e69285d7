/**
 * @module
 * This folder chooses the response of adversaries for which a threat model leaves parts open. This file lists
 * the responses that remain under the defences in force: how many identities, where, when, and with which
 * behaviour. Each defence states in its definition what it changes.
 */

import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import type { ResponseFacts } from '../../election/defences/defence.ts';
import { DEFENCES } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { AttackDefence, ChosenDefence } from '../document/defence-names.ts';
import { networkDefence } from '../document/defence-names.ts';
import type { FixedParts, RegistrationTime, Response } from '../document/response-schema.ts';
import { ALL_IDENTITIES } from '../document/response-schema.ts';
import type { ThreatModel } from '../document/threat-model.ts';

/** The rules of a network that limit responses. */
export interface Rules {
  /** The defences that refuse nodes which register late. */
  readonly refusing: readonly ChosenDefence[];
  /** The defences that keep late nodes from the lead. */
  readonly holdingOff: readonly ChosenDefence[];
  /** The defences that draw the ranks after registration. */
  readonly drawing: readonly ChosenDefence[];
}

export function rulesOf({ network }: Pick<ThreatModel, 'network'>): Rules {
  const { defences } = network.election;
  const having = (test: (facts: ResponseFacts) => boolean) =>
    defences.filter((name) => test(responseFactsOf(name)));
  return {
    refusing: having(({ newcomers }) => newcomers === 'refused'),
    holdingOff: having(({ newcomers }) => newcomers === 'held-off'),
    drawing: having(({ ranks }) => ranks === 'drawn'),
  };
}

/** The facts that the definition of a defence states. */
export function responseFactsOf(name: AttackDefence): ResponseFacts {
  const ofNetwork = networkDefence(name);
  if (ofNetwork !== undefined) return ofNetwork.response;
  const found = Object.entries(DEFENCES).find(([each]) => each === name)?.[1];
  if (found === undefined) throw new RangeError(`"name" expected a defence, got ${name}`);
  return found.response;
}

/** Networks of at most this many honest nodes have all their responses tried. */
export const EXHAUSTIVE_HONEST_MAX = 5;

/** The responses of an adversary to one protocol. */
export interface Space {
  readonly responses: readonly Response[];
  /** What the list leaves out, as noun phrases. */
  readonly leftOut: readonly string[];
}

/**
 * Lists the responses that agree with the fixed parts. Numbers of identities above `identitiesMax` are left
 * out, and behaviours that need a fault or a detector that the document does not state: to add one would
 * change the question.
 */
export function spaceOf(
  model: ThreatModel,
  protocol: ProtocolName,
  { fixed, identitiesMax, found }: SpaceLimits,
): Space {
  const goals = goalsOf(model, { fixed, identitiesMax, found });
  const behaviours = behavioursOf(model, protocol, fixed);
  const responses = goals.listed.flatMap((goal) =>
    timesOf(model, goal, fixed).flatMap((registers) =>
      behaviours.listed.map((each): Response => ({ goal, registers, behaviours: each })),
    ),
  );
  return { responses, leftOut: [...goals.leftOut, ...behaviours.leftOut] };
}

interface SpaceLimits {
  readonly fixed: FixedParts;
  /** The most identities that can be tried. */
  readonly identitiesMax: number;
  /** Identities that the budget pays for, on average. */
  readonly found: number;
}

interface Listing<T> {
  readonly listed: readonly T[];
  readonly leftOut: readonly string[];
}

function goalsOf(
  { network: { honest } }: ThreatModel,
  { fixed, identitiesMax, found }: SpaceLimits,
): Listing<string> {
  if (fixed.goal !== undefined) return { listed: [fixed.goal], leftOut: [] };
  const isSmall = honest <= EXHAUSTIVE_HONEST_MAX;
  const most = Math.min(identitiesMax, Math.ceil(found));
  const between = Array.from({ length: honest }, (_, index) => index + 2);
  const counts = (isSmall ? between : [honest + 1]).filter((count) => count <= most);
  const isAllTried = found <= identitiesMax;
  return {
    listed: [
      ...['top', 'any'],
      ...counts.map((count) => `count:${count}`),
      ...(isAllTried ? [ALL_IDENTITIES] : []),
    ],
    leftOut: [
      ...(isAllTried ? [] : [`more than ${identitiesMax} identities`]),
      ...(isSmall || most <= 2 ? [] : ['other numbers of identities']),
    ],
  };
}

/**
 * The times at which the goal has different results. The honest IDs matter only to an identity above all of
 * them. Under a defence that refuses late nodes, only the time before registration closes remains.
 */
function timesOf(
  model: ThreatModel,
  goal: string,
  { registers }: FixedParts,
): readonly RegistrationTime[] {
  if (registers !== undefined) return [registers];
  if (rulesOf(model).refusing.length > 0) return ['before'];
  return goal === 'top' ? ['before', 'after'] : ['after'];
}

function behavioursOf(
  { network: { election } }: ThreatModel,
  protocol: ProtocolName,
  { behaviours }: FixedParts,
): Listing<readonly BehaviourName[]> {
  if (behaviours !== undefined) return { listed: [behaviours], leftOut: [] };
  const fitting = BEHAVIOUR_NAMES.filter(
    (name) => BEHAVIOURS[name].unsupportedReason(protocol) === null,
  );
  const [playable, others] = [true, false].map((wanted) =>
    fitting.filter((name) => {
      const { events = [], detector } = BEHAVIOURS[name].stage(protocol);
      const isGiven = detector === undefined || election.detector !== undefined;
      return (events.length === 0 && isGiven) === wanted;
    }),
  );
  const missing = others ?? [];
  const unstaged =
    missing.length === 0
      ? []
      : [
          `behaviours that need a fault or a detector which the document does not state (${missing.join(', ')})`,
        ];
  return {
    listed: [[], ...(playable ?? []).map((name) => [name])],
    leftOut: ['combinations of behaviours', ...unstaged],
  };
}
