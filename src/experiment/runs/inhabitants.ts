/**
 * @module
 * The node IDs behind the ranks of an election that states only the number of nodes. Small populations have
 * Ed25519 keys, made from the seed as `fresh` mining makes them. In large populations, where keys would cost
 * more than the election, IDs are hashes of the seed and have no key. None of them contains work.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import type { HeldKey } from '../../adversary/keys.ts';
import { bytesToHex, concatBytes, u64be, utf8ToBytes } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { nodeIdBytesOf, nodeIdOf } from '../../identity/ids/node-id.ts';
import { byRank, rankRuleOf } from '../../identity/ids/rank-key.ts';
import { ed25519Scheme } from '../../identity/keys/ed25519.ts';
import type { Secret } from '../../identity/keys/scheme.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { freshSecret } from '../../mining/noble-strategies.ts';
import type { Seed } from '../../random.ts';

/** A node with its ID. */
export interface Inhabitant {
  readonly nodeId: Uint8Array;
  /** Null if IDs are drawn. */
  readonly key: HeldKey | null;
}

export interface Population {
  /** `keys`: each ID is the hash of a public key. `drawn`: each ID is a hash of the seed. */
  readonly origin: 'keys' | 'drawn';
  /** By rank: rank r has the index r − 1. */
  readonly inhabitants: readonly Inhabitant[];
  /** Node IDs in hex, in the same order. */
  readonly nodeIds: readonly string[];
}

/** A key of noble takes about 0.3 ms on a thread that may also answer requests. */
export const POPULATION_KEYS_MAX = 64;

/** Largest share of all IDs that are used, so that few of the IDs that are made exist already. */
const TAKEN_SHARE_MAX = 1 / 2;

/** The Ed25519 public key of a seed (RFC 8032 section 5.1.5). */
export type KeyMaker = (secret: Secret) => Uint8Array;

/**
 * Makes the population of a seed, with the IDs and the order of a policy. Throws LabError `arguments` if the
 * policy has too few IDs for it. `publicKeyOf` is noble's by default. Other code must make the same keys.
 */
export function createPopulation(options: {
  readonly nodes: number;
  readonly seed: Seed;
  readonly policy?: Policy | undefined;
  readonly publicKeyOf?: KeyMaker;
}): Population {
  const { nodes, seed, policy = STRICT_POLICY, publicKeyOf = ed25519Scheme.publicKeyOf } = options;
  const origin = nodes <= POPULATION_KEYS_MAX ? 'keys' : 'drawn';
  const make = origin === 'keys' ? keyedBy(seed, policy, publicKeyOf) : drawnBy(seed, policy);
  const inhabitants = byRank(distinct(make, nodes, policy), rankRuleOf(policy));
  return { origin, inhabitants, nodeIds: inhabitants.map(({ nodeId }) => bytesToHex(nodeId)) };
}

/**
 * The node ID of one rank, without the others: what `createPopulation` has there under the strict policy. Of a
 * large population it keeps only the first 53 bits of each ID.
 */
export function nodeIdOfRank(
  options: { readonly nodes: number; readonly seed: Seed },
  rank: number,
): string | undefined {
  const { nodes, seed } = options;
  const heads = new Float64Array(nodes > POPULATION_KEYS_MAX ? nodes : 0);
  const draw = drawnBy(seed, STRICT_POLICY);
  for (let index = 0; index < heads.length; index += 1) {
    heads[index] = headOf(draw(index).nodeId);
  }
  const ordered = heads.toSorted();
  const isDecided = ordered.every((head, index) => head !== ordered[index + 1]);
  const index = heads.indexOf(ordered[rank - 1] ?? Number.NaN);
  if (!isDecided || index < 0) return createPopulation(options).nodeIds[rank - 1];
  return bytesToHex(draw(index).nodeId);
}

/** The first 53 bits of an ID, which order nearly all IDs. */
function headOf(nodeId: Uint8Array): number {
  const view = new DataView(nodeId.buffer, nodeId.byteOffset);
  return view.getUint32(0) * 2 ** 21 + (view.getUint32(4) >>> 11);
}

/** The first ones with different IDs, because short IDs can occur twice. */
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

function keyedBy(seed: Seed, policy: Policy, publicKeyOf: KeyMaker): (index: number) => Inhabitant {
  return (index) => {
    const secret = freshSecret('ed25519', seed, index);
    const publicKey = publicKeyOf(secret);
    const key = { scheme: 'ed25519', publicKey, secret } as const;
    return { nodeId: nodeIdOf(publicKey, policy), key };
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
