/**
 * @module
 * The closed list of election protocols, family by family. Command line, API and documentation read
 * this list; nothing else names a protocol.
 */

import type { Algorithm } from './algorithm.ts';
import { BULLY_ALGORITHMS } from './bully/protocols.ts';
import type { FlagFault, Flags } from './flags.ts';
import { faultOfFlags, readNumbers } from './flags.ts';
import { LEASE_ALGORITHMS } from './lease/protocols.ts';
import { QUORUM_ALGORITHMS } from './quorum/protocols.ts';
import { RING_ALGORITHMS } from './ring/protocols.ts';
import type { Timing } from './timing.ts';

const LISTED = {
  ...BULLY_ALGORITHMS,
  ...RING_ALGORITHMS,
  ...QUORUM_ALGORITHMS,
  ...LEASE_ALGORITHMS,
} as const;

export type AlgorithmName = keyof typeof LISTED;

export const ALGORITHMS: Readonly<Record<AlgorithmName, Algorithm & { name: AlgorithmName }>> =
  LISTED;

/** In the order of the families. The keys of an object are strings to the compiler: hence the `as`. */
export const ALGORITHM_NAMES = Object.keys(LISTED) as readonly AlgorithmName[];

/** The first of the flags that a protocol does not take as given, and what is wrong; else null. */
export function flagFault(name: AlgorithmName, flags: Flags): FlagFault | null {
  const { flags: listed, numbers = {} } = ALGORITHMS[name];
  return faultOfFlags({ name, flags: listed, numbers }, flags);
}

/**
 * What two of a protocol's numbers cannot be together in such a network, told of one that was given;
 * null where they can. Each flag alone must be right.
 */
export function flagClash(name: AlgorithmName, timing: Timing, flags: Flags): FlagFault | null {
  const { clash, numbers = {} } = ALGORITHMS[name];
  return clash?.(readNumbers(numbers, timing, flags), flags) ?? null;
}
