/**
 * @module
 * Defences that act on registration and ranks in watched elections. Under frozen-membership no node joins
 * after the honest nodes have been seen. Under beacon-rank a beacon salts the ranks after registration.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '../../bytes.ts';
import type { RankRule } from '../../identity/ids/rank-key.ts';
import { rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { Seed } from '../../random.ts';
import { runKindOf } from '../document/run-kind.ts';
import type { ThreatModel } from '../document/threat-model.ts';

export interface Registration {
  readonly isFrozen: boolean;
  readonly isBeaconRanked: boolean;
}

export function registrationOf(model: ThreatModel): Registration {
  const { defences } = model.network.election;
  const isWatched = runKindOf(model) === 'watched';
  return {
    isFrozen: isWatched && defences.includes('frozen-membership'),
    isBeaconRanked: isWatched && defences.includes('beacon-rank'),
  };
}

/** The order of the nodes of a run. The beacon is drawn from its seed, after everything was mined. */
export function runRankRule(model: ThreatModel, runSeed: Seed): RankRule {
  if (!registrationOf(model).isBeaconRanked) return rankRuleOf(model.network.identity);
  const label = utf8ToBytes(['usurp/model-beacon/v1', runSeed, ''].join('\0'));
  return { type: 'salted', beacon: sha256(label) };
}
