/**
 * @module
 * The owner of each rank in a run: honest nodes, and adversaries with ordinary and with forged identities, and
 * the defences that act on registration and ranks. Ordinary identities are made like those
 * of honest nodes. Those of adversaries have the lowest ranks.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '../../bytes.ts';
import type { RankRule } from '../../identity/ids/rank-key.ts';
import { rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { Seed } from '../../random.ts';
import { aimedOf, identitiesMaxOf, responseOf } from '../document/response-schema.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { ANY_ONE, adversariesOf, TOGETHER } from '../document/threat-model.ts';
import type { Elected, Owner } from '../properties/property.ts';
import type { ElectionResult } from './tally.ts';

export interface Registration {
  /** Whether no node joins after the honest nodes are known. */
  readonly isFrozen: boolean;
  /** Whether a beacon salts the ranks after registration. */
  readonly isBeaconRanked: boolean;
}

export function registrationOf(model: ThreatModel): Registration {
  const { defences } = model.network.election;
  return {
    isFrozen: defences.includes('frozen-membership'),
    isBeaconRanked: defences.includes('beacon-rank'),
  };
}

/** The part of the identities found that an adversary registers. */
export interface Registrant {
  /** The most that it registers. 0 if it comes after registration has closed. */
  readonly most: number;
  /** Which of them: `best`, the highest of all; `above`, those above every honest ID; `after`, those right after the victim; `any`, whichever. */
  readonly which: 'best' | 'above' | 'after' | 'any';
}

/**
 * Which of its identities an adversary registers. A beacon draws the ranks later, so that none is better than
 * the others. Before registration closes the honest IDs are not known, so that the best ones are registered
 * wherever they fall. Null for a goal about one position in the space of IDs.
 */
export function registrantOf(model: ThreatModel, adversary: Adversary): Registrant | null {
  const { isFrozen, isBeaconRanked } = registrationOf(model);
  const { goal, registers } = responseOf(adversary);
  const most = identitiesMaxOf(goal);
  if (most === null) return null;
  if (isFrozen && registers === 'after') return { most: 0, which: 'any' };
  const region = isBeaconRanked ? undefined : aimedOf(goal)?.region;
  if (registers === 'before') return { most, which: region === 'top' ? 'best' : 'any' };
  return { most, which: region === 'top' ? 'above' : region === 'successors' ? 'after' : 'any' };
}

/** The order of the nodes of a run. The beacon is drawn from its seed, after everything was mined. */
export function runRankRule(model: ThreatModel, runSeed: Seed): RankRule {
  if (!registrationOf(model).isBeaconRanked) return rankRuleOf(model.network.identity);
  const label = utf8ToBytes(['usurp/model-beacon/v1', runSeed, ''].join('\0'));
  return { type: 'salted', beacon: sha256(label) };
}

/** By rank, the lowest first: the name of an adversary, or null for an honest node. */
export type Owners = readonly (string | null)[];

/** The owner of each ordinary identity. The length is their number. */
export function ordinaryOwners(model: ThreatModel): Owners {
  const theirs = adversariesOf(model).flatMap(([name, { identities }]) =>
    Array.from({ length: identities }, () => name),
  );
  return [...theirs, ...Array.from({ length: model.network.honest }, () => null)];
}

/** The names of the adversaries that are judged as one. */
export type Side = ReadonlySet<string>;

/** The sides of a model. A run has the property if one of them has it. */
export function sidesOf(model: ThreatModel): readonly Side[] {
  const names = adversariesOf(model).map(([name]) => name);
  const { by = TOGETHER } = model.expect;
  if (by === TOGETHER) return [new Set(names)];
  return by === ANY_ONE ? names.map((name) => new Set([name])) : [new Set([by])];
}

/** The owner of an identity as a side sees it, by name. */
export function ownerFor(side: Side, name: string | null): Owner {
  if (name === null) return 'honest';
  return side.has(name) ? 'adversary' : 'rival';
}

/** What an election with this leader shows. `leader` is null if the nodes agreed on no live leader. */
export function electedBy(
  owners: Owners,
  leader: number | null,
): Elected & Pick<ElectionResult, 'adversary'> {
  if (leader === null) return { winner: 'none', adversary: null, highestLeads: false };
  const owner = owners[leader - 1];
  if (owner === undefined) {
    throw new RangeError(`"leader" expected 1..${owners.length}, got ${leader}`);
  }
  return {
    winner: owner === null ? 'honest' : 'adversary',
    adversary: owner,
    highestLeads: leader === owners.length,
  };
}
