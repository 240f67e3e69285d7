/**
 * @module
 * Responses that follow from the rules without a search, each with its argument in one sentence.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { WATCHED_NODES_MAX } from '../document/limits.ts';
import type { FixedParts, RegistrationTime, Response } from '../document/response-schema.ts';
import { ALL_IDENTITIES, NAIVE_RESPONSE } from '../document/response-schema.ts';
import type { RunKind, ThreatModel } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { rulesOf } from './space.ts';

export interface Argument {
  /** The response, with the parts that the document fixes. */
  readonly template: Response;
  /** Why no response is better. */
  readonly reason: string;
  /** Whether the argument decides all open parts, so that nothing is left to search. */
  readonly isDecisive: boolean;
}

interface Question {
  readonly kind: RunKind;
  readonly protocol: ProtocolName;
  readonly fixed: FixedParts;
  /** Identities that the adversaries' budgets pay for, on average. Null if that is not known. */
  readonly identities: number | null;
}

/** The best response as far as an argument decides it. */
export function argumentFor(
  model: ThreatModel,
  { kind, protocol, fixed, identities }: Question,
): Argument {
  const isForging = identities !== 0;
  const time = bestTime(model);
  const { goal, reason } = bestGoal(model, { kind, protocol, identities });
  const template = { ...NAIVE_RESPONSE, goal, registers: time.registers, ...fixed };
  // Fixed parts come first, so that the sentences are about the open ones.
  const sentences = [
    ...(isForging && fixed.goal === undefined ? [reason] : []),
    ...(isForging && fixed.registers === undefined ? [time.reason] : []),
  ];
  const isFollowing = fixed.behaviours !== undefined && fixed.behaviours.length === 0;
  const isSilent = fixed.behaviours !== undefined && (!isForging || fixed.goal !== undefined);
  return {
    template,
    reason: isForging ? sentences.join(' ') : 'Its budget is 0, so that it forges no identity.',
    isDecisive: isSilent || (isFollowing && kind !== 'watched'),
  };
}

interface BestTime {
  readonly registers: RegistrationTime;
  readonly reason: string;
}

function bestTime(model: ThreatModel): BestTime {
  const { refusing } = rulesOf(model);
  const [name] = refusing;
  if (name !== undefined) {
    const reason = `It registers before registration closes, because ${name} refuses nodes that come later.`;
    return { registers: 'before', reason };
  }
  const reason =
    'It registers when the honest nodes are known, because that is still possible and no knowledge is lost.';
  return { registers: 'after', reason };
}

interface BestGoal {
  readonly goal: string;
  readonly reason: string;
}

function bestGoal(
  model: ThreatModel,
  { kind, protocol, identities }: Omit<Question, 'fixed'>,
): BestGoal {
  const { drawing } = rulesOf(model);
  const [beacon] = drawing;
  switch (kind) {
    case 'capture':
      return {
        goal: ALL_IDENTITIES,
        reason: 'It registers all identities, because each one raises its share of the ranks.',
      };
    case 'epochs':
      throw new TypeError('"kind" expected runs without epochs, which have plans for keys');
    case 'ranking':
    case 'watched':
      if (beacon !== undefined) {
        const reason = `It registers all identities, because ${beacon} draws the ranks later and each identity is one more chance of the highest.`;
        return { goal: ALL_IDENTITIES, reason };
      }
      if (!PROTOCOLS[protocol].isRanked) return withoutRanks(model, protocol, identities);
      return {
        goal: NAIVE_RESPONSE.goal,
        reason:
          PROPERTIES[model.expect.property].judges.top === null
            ? 'It registers one identity above all others: nodes that follow the protocol prevent no election.'
            : 'It registers one identity above all others: the highest rank decides, so that more of them win no other election.',
      };
    default:
      return kind satisfies never;
  }
}

/** Where the rank has no meaning, each identity is one more chance, as far as elections can be watched. */
function withoutRanks(
  { network, adversaries }: ThreatModel,
  protocol: ProtocolName,
  identities: number | null,
): BestGoal {
  const because = `because the rank has no meaning in ${protocol} and each one is one more node that it controls`;
  const all = { goal: ALL_IDENTITIES, reason: `It registers all identities, ${because}.` };
  if (identities === null) return all;
  const each = Object.values(adversaries);
  const ordinary = each.reduce((sum, own) => sum + own.identities, network.honest);
  const most = Math.floor((WATCHED_NODES_MAX - ordinary) / Math.max(1, each.length));
  // Five standard deviations above the mean.
  if (identities + 5 * Math.sqrt(identities) <= most || most < 1) return all;
  const reason = `It registers ${most} identities, ${because}; elections of more than ${WATCHED_NODES_MAX} nodes are not watched.`;
  return { goal: `count:${most}`, reason };
}
