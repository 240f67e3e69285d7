/**
 * @module
 * The list of election protocols, family by family. Command line, API and documentation read this list;
 * no other file names a protocol.
 */

import { BULLY_2PHASE } from './bully/bully-2phase.ts';
import { BULLY_GM82 } from './bully/bully-gm82.ts';
import { BULLY_IMPROVED } from './bully/bully-improved.ts';
import { BULLY_MODIFIED } from './bully/bully-modified.ts';
import { BULLY_NEXTINLINE } from './bully/bully-nextinline.ts';
import { BULLY_ONESHOT } from './bully/bully-oneshot.ts';
import { namesOf, registry } from './definition/definitions.ts';
import type { FlagFault, Flags } from './definition/flags.ts';
import { faultOfFlags, readNumbers } from './definition/flags.ts';
import type { Protocol } from './definition/protocol.ts';
import { ECHO_EXTINCTION } from './graph/echo-extinction.ts';
import { FLOODMAX } from './graph/floodmax.ts';
import { INVITATION } from './groups/invitation.ts';
import { DB_LEASE } from './lease/db-lease.ts';
import { KUBERNETES_LEASE } from './lease/kubernetes-lease.ts';
import { LEASE_LOCAL } from './lease/lease-local.ts';
import { REDLOCK } from './lease/redlock.ts';
import { ZK_RECIPE } from './lease/zk-recipe.ts';
import { QUORUM_LEASE } from './quorum/quorum-lease.ts';
import { RAFT } from './quorum/raft.ts';
import { ZAB_FLE } from './quorum/zab-fle.ts';
import { ZK_SLIDE_QUORUM } from './quorum/zk-slide-quorum.ts';
import { CR_ALWAYS, CR_JOIN, CR_REPLACE } from './ring/chang-roberts.ts';
import { FRANKLIN } from './ring/franklin.ts';
import { HS_SLIDE, HS_WAKE } from './ring/hirschberg-sinclair.ts';
import { ITAI_RODEH } from './ring/itai-rodeh.ts';
import { PETERSON, PETERSON_PROSE } from './ring/peterson.ts';
import { RING_ATTR } from './ring/ring-attr.ts';
import { RING_COLLECT, RING_MAXTOKEN } from './ring/ring-laps.ts';
import { RING_LELANN } from './ring/ring-lelann.ts';
import { RING_ROBUST, RING_ROBUST_PETERSON } from './ring/ring-robust.ts';
import type { Timing } from './timing.ts';

const LISTED = [
  BULLY_ONESHOT,
  BULLY_GM82,
  BULLY_2PHASE,
  BULLY_NEXTINLINE,
  BULLY_IMPROVED,
  BULLY_MODIFIED,
  RING_LELANN,
  RING_COLLECT,
  RING_MAXTOKEN,
  CR_JOIN,
  CR_REPLACE,
  CR_ALWAYS,
  RING_ATTR,
  HS_WAKE,
  HS_SLIDE,
  PETERSON,
  PETERSON_PROSE,
  RING_ROBUST,
  RING_ROBUST_PETERSON,
  FRANKLIN,
  ITAI_RODEH,
  RAFT,
  ZAB_FLE,
  QUORUM_LEASE,
  ZK_SLIDE_QUORUM,
  DB_LEASE,
  LEASE_LOCAL,
  KUBERNETES_LEASE,
  REDLOCK,
  ZK_RECIPE,
  FLOODMAX,
  ECHO_EXTINCTION,
  INVITATION,
] as const;

export const PROTOCOLS = registry<typeof LISTED, Protocol>('protocol', LISTED);

export type ProtocolName = keyof typeof PROTOCOLS;

export const PROTOCOL_NAMES = namesOf(PROTOCOLS);

/** The protocol of that name. Null if there is none. */
export function findProtocol(name: string): Protocol | null {
  const listed: Readonly<Record<string, Protocol>> = PROTOCOLS;
  return Object.hasOwn(listed, name) ? (listed[name] ?? null) : null;
}

/** The first flag that a protocol does not take as given, and what is wrong with it. Null if none. */
export function flagFault(name: ProtocolName, flags: Flags): FlagFault | null {
  return faultOfFlags(PROTOCOLS[name], flags);
}

/** Which of a protocol's numbers cannot be combined in such a network. Each flag alone must be right. */
export function flagClash(name: ProtocolName, timing: Timing, flags: Flags): FlagFault | null {
  const { clash, numbers } = PROTOCOLS[name];
  return clash?.(readNumbers(numbers, timing, flags), flags) ?? null;
}
