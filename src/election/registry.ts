/**
 * @module
 * The closed list of election protocols, family by family. Command line, API and documentation read
 * this list; nothing else names a protocol.
 */

import { BULLY_PROTOCOLS } from './bully/protocols.ts';
import type { FlagFault, Flags } from './flags.ts';
import { faultOfFlags, readNumbers } from './flags.ts';
import { LEASE_PROTOCOLS } from './lease/protocols.ts';
import type { Protocol } from './protocol.ts';
import { QUORUM_PROTOCOLS } from './quorum/protocols.ts';
import { RING_PROTOCOLS } from './ring/protocols.ts';
import type { Timing } from './timing.ts';

const LISTED = {
  ...BULLY_PROTOCOLS,
  ...RING_PROTOCOLS,
  ...QUORUM_PROTOCOLS,
  ...LEASE_PROTOCOLS,
} as const;

export type ProtocolName = keyof typeof LISTED;

export const PROTOCOLS: Readonly<Record<ProtocolName, Protocol & { name: ProtocolName }>> = LISTED;

/** In the order of the families. The keys of an object are strings to the compiler: hence the `as`. */
export const PROTOCOL_NAMES = Object.keys(LISTED) as readonly ProtocolName[];

/** The first of the flags that a protocol does not take as given, and what is wrong; else null. */
export function flagFault(name: ProtocolName, flags: Flags): FlagFault | null {
  const { flags: listed, numbers = {} } = PROTOCOLS[name];
  return faultOfFlags({ name, flags: listed, numbers }, flags);
}

/**
 * What two of a protocol's numbers cannot be together in such a network, told of one that was given;
 * null where they can. Each flag alone must be right.
 */
export function flagClash(name: ProtocolName, timing: Timing, flags: Flags): FlagFault | null {
  const { clash, numbers = {} } = PROTOCOLS[name];
  return clash?.(readNumbers(numbers, timing, flags), flags) ?? null;
}
