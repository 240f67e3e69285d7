/**
 * @module
 * The strategies `fresh` and `walk`, which make keys with noble. `fresh` is the reference: a new key for every
 * candidate, as an honest newcomer or a naive forger makes it. The secret of its attempt i is
 * SHA-256("usurp/fresh/v1" 0x00 ‖ scheme 0x00 ‖ seed 0x00 ‖ u64be(i)), so the number is enough to make a candidate
 * again. `walk` tests P, P + G, P + 2G, …: a candidate takes one point addition, not those of a new key, and the
 * inversion of its encoding.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, u64be, utf8ToBytes } from '../bytes.ts';
import { nodeIdOf } from '../identity/ids/node-id.ts';
import type { SchemeName, Secret } from '../identity/keys/scheme.ts';
import { scalarSecret, schemeOf } from '../identity/keys/scheme.ts';
import type { Policy } from '../identity/policy.ts';
import type { Seed } from '../random.ts';
import { GROUP_ORDER, modulo } from './kernel/numbering.ts';
import { startScalarOf } from './kernel-strategies.ts';
import { attemptHashes } from './policy-cost.ts';
import { scanNodeIds } from './sieve.ts';
import type { Candidate, Searcher, SearchSpec, Strategy } from './strategy.ts';

/**
 * Point additions of noble for a key, with either scheme. It adds a random multiple of the group order to the scalar, so
 * that no timing reveals it: 381 bits with Ed25519, 384 with secp256k1. One addition for each of 64 windows of 6 bits,
 * and one for the carry (`wnafCachedCT` in @noble/curves/abstract/curve.js).
 */
const GROUP_OPERATIONS_PER_KEY = 65;

export const freshStrategy = {
  name: 'fresh',
  summary: `a new key for every candidate; ${GROUP_OPERATIONS_PER_KEY} point additions`,
  cost: (policy: Policy, _scheme?: SchemeName, share?: number) => ({
    hashes: attemptHashes(policy, share),
    groupOperations: GROUP_OPERATIONS_PER_KEY,
  }),
  step: () => 8,
  searcher(spec: SearchSpec): Searcher {
    const candidate = (attempt: number) => freshCandidate(spec, attempt);
    return {
      candidate,
      scan: (order) => scanNodeIds(spec, order, (attempt) => candidate(attempt).nodeId),
    };
  },
} satisfies Strategy<'fresh'>;

function freshCandidate({ scheme, seed, policy }: SearchSpec, attempt: number): Candidate {
  const secret = freshSecret(scheme, seed, attempt);
  const publicKey = schemeOf(scheme).publicKeyOf(secret);
  return { secret, publicKey, nodeId: nodeIdOf(publicKey, policy) };
}

/** The secret of an attempt of `fresh`. */
export function freshSecret(name: SchemeName, seed: Seed, attempt: number): Secret {
  const scheme = schemeOf(name);
  const label = utf8ToBytes(['usurp/fresh/v1', name, seed, ''].join('\0'));
  let bytes = sha256(concatBytes(label, u64be(attempt)));
  // One SHA-256 output in 2^128 is no secp256k1 scalar. Then it is hashed again.
  while (!scheme.isSeed(bytes)) bytes = sha256(bytes);
  return { form: 'seed', bytes };
}

/** A point of either curve. */
interface WalkPoint {
  next(): WalkPoint;
  publicKey(): Uint8Array;
}

export const walkStrategy: Strategy<'walk'> = {
  name: 'walk',
  summary: 'P, P+G, P+2G, …; one point addition',
  cost: (policy, _scheme, share) => ({
    hashes: attemptHashes(policy, share),
    groupOperations: 1,
  }),
  step: () => 64,
  searcher(spec) {
    const { scheme, policy } = spec;
    const start = startScalarOf(spec);
    return {
      candidate(attempt) {
        const position = start + BigInt(attempt);
        const publicKey = pointAt(scheme, position).publicKey();
        const secret = scalarSecret(scheme, modulo(position, GROUP_ORDER[scheme]));
        return { secret, publicKey, nodeId: nodeIdOf(publicKey, policy) };
      },
      scan(order) {
        let point: WalkPoint | null = null;
        return scanNodeIds(spec, order, (attempt) => {
          point = point === null ? pointAt(scheme, start + BigInt(attempt)) : point.next();
          return nodeIdOf(point.publicKey(), policy);
        });
      },
    };
  },
};

/** The point position·G. One position in 2^252 is the identity, for which noble throws. */
function pointAt(scheme: SchemeName, position: bigint): WalkPoint {
  const scalar = modulo(position, GROUP_ORDER[scheme]);
  return scheme === 'ed25519'
    ? edwardsPoint(ed25519.Point.BASE.multiply(scalar))
    : weierstrassPoint(secp256k1.Point.BASE.multiply(scalar));
}

function edwardsPoint(point: typeof ed25519.Point.BASE): WalkPoint {
  return {
    next: () => edwardsPoint(point.add(ed25519.Point.BASE)),
    publicKey: () => point.toBytes(),
  };
}

function weierstrassPoint(point: typeof secp256k1.Point.BASE): WalkPoint {
  return {
    next: () => weierstrassPoint(point.add(secp256k1.Point.BASE)),
    publicKey: () => point.toBytes(true),
  };
}
