/**
 * @module
 * The owner of each rank in a run: honest nodes, and adversaries with ordinary and with forged identities.
 * Ordinary identities are made like those of honest nodes; those of adversaries have the lowest ranks.
 */

import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import type { Elected } from '../properties/property.ts';

/** By rank, the lowest first: the name of an adversary, or null for an honest node. */
export type Owners = readonly (string | null)[];

/** The owner of each ordinary identity. The length is their number. */
export function ordinaryOwners(model: ThreatModel): Owners {
  const theirs = adversariesOf(model).flatMap(([name, { identities }]) =>
    Array.from({ length: identities }, () => name),
  );
  return [...theirs, ...Array.from({ length: model.network.honest }, () => null)];
}

/** What an election with this leader shows. `leader` is null if the nodes agreed on no live leader. */
export function electedBy(owners: Owners, leader: number | null): Elected {
  if (leader === null) return { winner: 'none', highestLeads: false };
  const owner = owners[leader - 1];
  if (owner === undefined) {
    throw new RangeError(`"leader" expected 1..${owners.length}, got ${leader}`);
  }
  return {
    winner: owner === null ? 'honest' : 'adversary',
    highestLeads: leader === owners.length,
  };
}
