/**
 * @module
 * The list of what Byzantine nodes can do.
 */

import { namesOf, registry } from '../../election/definitions.ts';
import { ANSWER_AND_STALL } from './answer-and-stall.ts';
import type { Behaviour } from './behaviour.ts';
import { DOUBLE_VOTE } from './double-vote.ts';
import { EQUIVOCATE } from './equivocate.ts';
import { FLAP } from './flap.ts';
import { FLOOD } from './flood.ts';
import { FALSE_ACCUSER, HEARTBEAT_FORGER } from './heartbeat-forger.ts';
import { LATE_JOINER } from './late-joiner.ts';
import { LEASE_HOG } from './lease-hog.ts';
import { PHANTOM_ID } from './phantom-id.ts';
import { REPLAY } from './replay.ts';
import { SLOW_DRIP } from './slow-drip.ts';
import { SPOOF_COORDINATOR } from './spoof-coordinator.ts';
import { SWALLOW } from './swallow.ts';
import { TAMPER_TOKEN } from './tamper-token.ts';
import { TERM_INFLATION } from './term-inflation.ts';

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
