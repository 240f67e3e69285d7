/**
 * @module
 * Who holds which rank in a run: the honest nodes, the ordinary identities of adversaries, which were
 * made like the honest ones and are the lowest of them, and what was forged.
 */

import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import type { Population } from './elections.ts';

/** By rank, the lowest first: the name of the adversary that holds it, or null for an honest node. */
export type Owners = readonly (string | null)[];

export function rolesOf(owners: Owners): Population {
  return owners.map((owner) => (owner === null ? 'honest' : 'adversary'));
}

/** Identities that are made in the ordinary way: one for each honest node, and those of adversaries. */
export function ordinaryCount(model: ThreatModel): number {
  const theirs = adversariesOf(model).map(([, { identities }]) => identities);
  return theirs.reduce((sum, count) => sum + count, model.network.honest);
}

/** Whose each ordinary identity is, by rank among them: the adversaries' first, by name. */
export function ordinaryOwners(model: ThreatModel): Owners {
  const theirs = adversariesOf(model).flatMap(([name, { identities }]) =>
    Array.from({ length: identities }, () => name),
  );
  return [...theirs, ...Array.from({ length: model.network.honest }, () => null)];
}
