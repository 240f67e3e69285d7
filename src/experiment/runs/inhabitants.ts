/**
 * @module
 * The node IDs behind the ranks of an election that names only how many nodes there are. Small
 * populations have real Ed25519 keys, made from the seed as `fresh` mining makes them; in large ones,
 * where keys would cost more than the election, the IDs are hashes of the seed and have no key.
 * Neither shows any work: whoever wants that has them mined.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import type { HeldKey } from '../../adversary/keys.ts';
import { bytesToHex, concatBytes, u64be, utf8ToBytes } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import { byRank, rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { freshStrategy } from '../../mining/noble-strategies.ts';
import type { Seed } from '../../random.ts';

/** One of them. */
export interface Inhabitant {
  readonly nodeId: Uint8Array;
  /** Null where IDs are drawn. */
  readonly key: HeldKey | null;
}

export interface Population {
  /** `keys`: each ID is the hash of a public key. `drawn`: of the seed, there are no keys. */
  readonly origin: 'keys' | 'drawn';
  /** In the order of rank: rank r is at r−1, the highest last. */
  readonly inhabitants: readonly Inhabitant[];
  /** Their node IDs in hex, in the same order. */
  readonly nodeIds: readonly string[];
}

/** About 0.3 ms a key, on a thread that may have requests to answer. */
export const POPULATION_KEYS_MAX = 64;

/** Of the IDs that there are, so many may be taken: then few of those made are taken already. */
const TAKEN_SHARE_MAX = 1 / 2;

/**
 * The population of `nodes` nodes under a seed, with the IDs and the order that a policy makes of keys.
 * Throws LabError `arguments` where the policy has too few IDs for so many.
 */
export function createPopulation(options: {
  readonly nodes: number;
  readonly seed: Seed;
  readonly policy?: Policy | undefined;
}): Population {
  const { nodes, seed, policy = STRICT_POLICY } = options;
  const origin = nodes <= POPULATION_KEYS_MAX ? 'keys' : 'drawn';
  const make = origin === 'keys' ? keyedBy(seed, policy) : drawnBy(seed, policy);
  const inhabitants = byRank(distinct(make, nodes, policy), rankRuleOf(policy));
  return { origin, inhabitants, nodeIds: inhabitants.map(({ nodeId }) => bytesToHex(nodeId)) };
}

/** The first ones that have IDs of their own: short IDs may come twice. */
function distinct(make: (index: number) => Inhabitant, nodes: number, policy: Policy) {
  const bits = 8 * nodeIdBytesOf(policy);
  if (nodes > TAKEN_SHARE_MAX * 2 ** bits) {
    throw new LabError('arguments', `IDs of ${bits} bits are too few for ${nodes} nodes`);
  }
  const found = new Map<string, Inhabitant>();
  for (let index = 0; found.size < nodes; index += 1) {
    const inhabitant = make(index);
    const nodeId = bytesToHex(inhabitant.nodeId);
    if (!found.has(nodeId)) found.set(nodeId, inhabitant);
  }
  return [...found.values()];
}

function keyedBy(seed: Seed, policy: Policy): (index: number) => Inhabitant {
  const searcher = freshStrategy.searcher({
    scheme: 'ed25519',
    policy,
    goal: { type: 'any' },
    strategy: 'fresh',
    dynamicStrategy: 'dynamic',
    seed,
  });
  return (index) => {
    const { nodeId, publicKey, secret } = searcher.candidate(index);
    return { nodeId, key: { scheme: 'ed25519', publicKey, secret } };
  };
}

function drawnBy(seed: Seed, policy: Policy): (index: number) => Inhabitant {
  const label = utf8ToBytes(['usurp/drawn-id/v1', seed, ''].join('\0'));
  const bytes = nodeIdBytesOf(policy);
  return (index) => {
    const nodeId = sha256(concatBytes(label, u64be(index))).slice(0, bytes);
    return { nodeId, key: null };
  };
}
