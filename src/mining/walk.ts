/**
 * @module
 * The strategy `walk`: P, P + G, P + 2G, … by point addition, noble alone. One addition a candidate in
 * place of the thirty of a new key; what is left is the inversion that each encoding costs.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { nodeIdOf } from '../identity/ids/node-id.ts';
import type { SchemeName } from '../identity/keys/scheme.ts';
import { scalarSecret } from '../identity/keys/scheme.ts';
import { GROUP_ORDER, modulo } from './kernel/numbering.ts';
import { startScalarOf } from './kernel-strategies.ts';
import { attemptHashes } from './policy-cost.ts';
import { scanNodeIds } from './sieve.ts';
import type { Candidate, ScanOrder, ScanResult, SearchSpec, Strategy } from './strategy.ts';

/** A point of either curve, as far as a walk needs it. */
interface WalkPoint {
  next(): WalkPoint;
  publicKey(): Uint8Array;
}

export const walkStrategy: Strategy = {
  name: 'walk',
  cost: (policy) => ({ hashes: attemptHashes(policy), groupOperations: 1 }),
  step: () => 64,
  searcher(spec) {
    const start = startScalarOf(spec);
    return {
      candidate: (attempt) => walkCandidate(spec, start + BigInt(attempt)),
      scan: (order) => scanWalk(spec, start, order),
    };
  },
};

function scanWalk(spec: SearchSpec, start: bigint, order: ScanOrder): ScanResult {
  let point: WalkPoint | null = null;
  return scanNodeIds(spec, order, (attempt) => {
    point = point === null ? pointAt(spec.scheme, start + BigInt(attempt)) : point.next();
    return nodeIdOf(point.publicKey(), spec.policy);
  });
}

function walkCandidate({ scheme, policy }: SearchSpec, position: bigint): Candidate {
  const publicKey = pointAt(scheme, position).publicKey();
  const secret = scalarSecret(scheme, modulo(position, GROUP_ORDER[scheme]));
  return { secret, publicKey, nodeId: nodeIdOf(publicKey, policy) };
}

/** The point position·G. One position in 2^252 is the identity: noble refuses it by throwing. */
function pointAt(scheme: SchemeName, position: bigint): WalkPoint {
  const scalar = modulo(position, GROUP_ORDER[scheme]);
  switch (scheme) {
    case 'ed25519':
      return edwardsPoint(ed25519.Point.BASE.multiply(scalar));
    case 'secp256k1':
      return weierstrassPoint(secp256k1.Point.BASE.multiply(scalar));
    default:
      return scheme satisfies never;
  }
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
