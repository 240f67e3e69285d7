/**
 * @module
 * The strategy `walk`: P, P + G, P + 2G, … by point addition with noble. A candidate takes one addition, not the
 * thirty of a new key. The remaining cost is the inversion of each encoding.
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
import type { Strategy } from './strategy.ts';

/** A point of either curve. */
interface WalkPoint {
  next(): WalkPoint;
  publicKey(): Uint8Array;
}

export const walkStrategy: Strategy<'walk'> = {
  name: 'walk',
  summary: 'P, P+G, P+2G, …; one point addition',
  cost: (policy) => ({ hashes: attemptHashes(policy), groupOperations: 1 }),
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
