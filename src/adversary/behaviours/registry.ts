/**
 * @module
 * The closed list of what Byzantine nodes can do.
 */

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

export const BEHAVIOURS = {
  'spoof-coordinator': SPOOF_COORDINATOR,
  'phantom-id': PHANTOM_ID,
  swallow: SWALLOW,
  replay: REPLAY,
  equivocate: EQUIVOCATE,
  'tamper-token': TAMPER_TOKEN,
  flap: FLAP,
  flood: FLOOD,
  'answer-and-stall': ANSWER_AND_STALL,
  'late-joiner': LATE_JOINER,
  'heartbeat-forger': HEARTBEAT_FORGER,
  'false-accuser': FALSE_ACCUSER,
  'slow-drip': SLOW_DRIP,
  'term-inflation': TERM_INFLATION,
  'double-vote': DOUBLE_VOTE,
  'lease-hog': LEASE_HOG,
} as const satisfies Readonly<Record<string, Behaviour>>;

export type BehaviourName = keyof typeof BEHAVIOURS;

/** In the order of the list. The keys of an object are strings to the compiler: hence the `as`. */
export const BEHAVIOUR_NAMES = Object.keys(BEHAVIOURS) as readonly BehaviourName[];

/** The behaviour of that name; null where there is none. */
export function findBehaviour(name: string): Behaviour | null {
  const listed: Readonly<Record<string, Behaviour>> = BEHAVIOURS;
  return Object.hasOwn(listed, name) ? (listed[name] ?? null) : null;
}
