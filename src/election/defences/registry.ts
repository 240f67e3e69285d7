/**
 * @module
 * The closed list of defences, in the order in which they are put around a node's machine: the first is
 * next to the protocol, those that see seals are outside the authentication.
 */

import type { Defence } from './defence.ts';
import { EPOCH_STEP } from './epoch-step.ts';
import { EQUIVOCATION_PROOFS } from './equivocation-proofs.ts';
import { FROZEN_MEMBERSHIP } from './frozen-membership.ts';
import { HOP_LIMIT } from './hop-limit.ts';
import { RECEIPTS } from './receipts.ts';
import { FENCING, PRE_VOTE, SUCCESSOR_LIST } from './settings.ts';
import { SKIP_LIST } from './skip-list.ts';
import { BACK_OFF, INCUMBENCY } from './waiting-turns.ts';

const LISTED = {
  'hop-limit': HOP_LIMIT,
  'skip-list': SKIP_LIST,
  'epoch-step': EPOCH_STEP,
  'frozen-membership': FROZEN_MEMBERSHIP,
  incumbency: INCUMBENCY,
  'back-off': BACK_OFF,
  'equivocation-proofs': EQUIVOCATION_PROOFS,
  receipts: RECEIPTS,
  'pre-vote': PRE_VOTE,
  fencing: FENCING,
  'successor-list': SUCCESSOR_LIST,
} as const satisfies Readonly<Record<string, Defence>>;

export type DefenceName = keyof typeof LISTED;

export const DEFENCES: Readonly<Record<DefenceName, Defence>> = LISTED;

/** In the order of the list. The keys of an object are strings to the compiler: hence the `as`. */
export const DEFENCE_NAMES = Object.keys(LISTED) as readonly DefenceName[];

/** The defence of that name; null where there is none. */
export function findDefence(name: string): Defence | null {
  const listed: Readonly<Record<string, Defence>> = DEFENCES;
  return Object.hasOwn(listed, name) ? (listed[name] ?? null) : null;
}
