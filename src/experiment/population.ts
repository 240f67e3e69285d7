/**
 * @module
 * The node IDs behind the ranks of an election that names only how many nodes there are. Small
 * populations have real Ed25519 keys, made from the seed as `fresh` mining makes them; in large ones,
 * where keys would cost more than the election, the IDs are hashes of the seed and have no key.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, u64be, utf8ToBytes } from '../bytes.ts';
import { STRICT_POLICY } from '../identity/policy.ts';
import { freshStrategy } from '../mining/fresh.ts';
import type { Seed } from '../random.ts';

export interface Population {
  /** `keys`: each ID is the hash of a public key. `drawn`: of the seed, there are no keys. */
  readonly origin: 'keys' | 'drawn';
  /** In the order of rank: the node ID of rank r is at r−1, the highest ID last. */
  readonly nodeIds: readonly string[];
}

/** About 0.3 ms a key, on a thread that may have requests to answer. */
export const POPULATION_KEYS_MAX = 64;

/** The population of `nodes` nodes under a seed. */
export function createPopulation(options: {
  readonly nodes: number;
  readonly seed: Seed;
}): Population {
  const { nodes } = options;
  const origin = nodes <= POPULATION_KEYS_MAX ? 'keys' : 'drawn';
  const make = origin === 'keys' ? keyedIds(options.seed) : drawnIds(options.seed);
  const nodeIds = Array.from({ length: nodes }, (_, index) => bytesToHex(make(index)));
  // Lower-case hex of one length sorts as the integers do.
  return { origin, nodeIds: nodeIds.sort() };
}

function keyedIds(seed: Seed): (index: number) => Uint8Array {
  const searcher = freshStrategy.searcher({
    scheme: 'ed25519',
    policy: STRICT_POLICY,
    goal: { type: 'any' },
    strategy: 'fresh',
    dynamicStrategy: 'dynamic',
    seed,
  });
  return (index) => searcher.candidate(index).nodeId;
}

function drawnIds(seed: Seed): (index: number) => Uint8Array {
  const label = utf8ToBytes(['usurp/drawn-id/v1', seed, ''].join('\0'));
  return (index) => sha256(concatBytes(label, u64be(index)));
}
