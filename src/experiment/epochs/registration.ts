/**
 * @module
 * What a threat model's network does about who registers and how the registered are ranked, beside its
 * puzzles: with frozen-membership nobody joins who comes after the honest nodes have been seen, and with
 * beacon-rank the ranks are salted by a beacon that is drawn when all are registered. Both are of elections
 * that are watched.
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

/** How a run orders its nodes; the beacon is drawn from the run's seed, after everything that was mined. */
export function runRankRule(model: ThreatModel, runSeed: Seed): RankRule {
  if (!registrationOf(model).isBeaconRanked) return rankRuleOf(model.network.identity);
  const label = utf8ToBytes(['usurp/model-beacon/v1', runSeed, ''].join('\0'));
  return { type: 'salted', beacon: sha256(label) };
}
