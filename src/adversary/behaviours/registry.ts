/**
 * @module
 * The list of behaviours. Command line, API and documentation read it.
 */

import { namesOf, registry } from '../../election/definition/definitions.ts';
import type { Behaviour } from './behaviour.ts';
import { EQUIVOCATE, PHANTOM_ID, SPOOF_COORDINATOR } from './impersonation.ts';
import { FLOOD } from './messages/flood.ts';
import { REPLAY } from './messages/replay.ts';
import { SWALLOW, TAMPER_TOKEN } from './messages/tokens.ts';
import { DOUBLE_VOTE } from './quorums/double-vote.ts';
import { LEASE_HOG } from './quorums/lease-hog.ts';
import { TERM_INFLATION } from './quorums/term-inflation.ts';
import { ANSWER_AND_STALL } from './timing/answer-and-stall.ts';
import { FLAP } from './timing/flap.ts';
import { FALSE_ACCUSER, HEARTBEAT_FORGER } from './timing/heartbeat-forger.ts';
import { LATE_JOINER } from './timing/late-joiner.ts';
import { SLOW_DRIP } from './timing/slow-drip.ts';

const LISTED = [
  SPOOF_COORDINATOR,
  PHANTOM_ID,
  SWALLOW,
  REPLAY,
  EQUIVOCATE,
  TAMPER_TOKEN,
  FLAP,
  FLOOD,
  ANSWER_AND_STALL,
  LATE_JOINER,
  HEARTBEAT_FORGER,
  FALSE_ACCUSER,
  SLOW_DRIP,
  TERM_INFLATION,
  DOUBLE_VOTE,
  LEASE_HOG,
] as const;

export const BEHAVIOURS = registry<typeof LISTED, Behaviour>('behaviour', LISTED);

export type BehaviourName = keyof typeof BEHAVIOURS;

export const BEHAVIOUR_NAMES = namesOf(BEHAVIOURS);

/** The behaviour of that name. Null if there is none. */
export function findBehaviour(name: string): Behaviour | null {
  const listed: Readonly<Record<string, Behaviour>> = BEHAVIOURS;
  return Object.hasOwn(listed, name) ? (listed[name] ?? null) : null;
}
