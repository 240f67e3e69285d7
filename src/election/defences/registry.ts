/**
 * @module
 * The list of defences, in the order in which they are put around a node's machine: the first is
 * next to the protocol, those that see seals are outside the authentication.
 */

import { namesOf, registry } from '../definition/definitions.ts';
import type { Defence } from './defence.ts';
import { EPOCH_STEP } from './epoch-step.ts';
import { EQUIVOCATION_PROOFS } from './equivocation-proofs.ts';
import { FROZEN_MEMBERSHIP } from './frozen-membership.ts';
import { BACK_OFF, INCUMBENCY } from './holding-off.ts';
import { HOP_LIMIT } from './hop-limit.ts';
import { QUORUM_CERTIFICATES } from './quorum-certificates.ts';
import { RECEIPTS } from './receipts.ts';
import { FENCING, PRE_VOTE, SUCCESSOR_LIST } from './settings.ts';
import { SKIP_LIST } from './skip-list.ts';

const LISTED = [
  HOP_LIMIT,
  SKIP_LIST,
  EPOCH_STEP,
  FROZEN_MEMBERSHIP,
  INCUMBENCY,
  BACK_OFF,
  QUORUM_CERTIFICATES,
  EQUIVOCATION_PROOFS,
  RECEIPTS,
  PRE_VOTE,
  FENCING,
  SUCCESSOR_LIST,
] as const;

export const DEFENCES = registry<typeof LISTED, Defence>('defence', LISTED);

export type DefenceName = keyof typeof DEFENCES;

export const DEFENCE_NAMES = namesOf(DEFENCES);

/** The defence of that name. Null if there is none. */
export function findDefence(name: string): Defence | null {
  const listed: Readonly<Record<string, Defence>> = DEFENCES;
  return Object.hasOwn(listed, name) ? (listed[name] ?? null) : null;
}
