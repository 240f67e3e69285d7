/**
 * @module
 * The four kinds of walk, reproducible scalars, and the inverse of `locationOf`, for tests.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { TORSION_POINTS } from '../../../src/identity/keys/expanded-key.ts';
import type { Coset, Location, Walk } from '../../../src/mining/kernel/numbering.ts';
import {
  attemptsPerBatch,
  BATCHES_PER_COSET,
  keysPerPoint,
} from '../../../src/mining/kernel/numbering.ts';

export const WALKS = [
  { scheme: 'ed25519', siblings: true },
  { scheme: 'ed25519', siblings: false },
  { scheme: 'secp256k1', siblings: true },
  { scheme: 'secp256k1', siblings: false },
] as const;

/** A number of `bits` bits that depends on the label alone. */
export function pseudorandom(label: string, bits: number): bigint {
  const hash = BigInt(`0x${bytesToHex(sha256(utf8ToBytes(label)))}`);
  return hash >> BigInt(256 - bits);
}

/** The number of the batch of attempts at a location. */
function batchNumber(walk: Pick<Walk, 'torsion'>, { batch, torsion }: Coset): bigint {
  if (walk.torsion !== true) return batch;
  const size = BigInt(BATCHES_PER_COSET);
  const coset = (batch / size) * BigInt(TORSION_POINTS) + BigInt(torsion);
  return coset * size + (batch % size);
}

/** The attempt at a location. */
export function attemptAt(walk: Walk, location: Location): bigint {
  const point = location.offset > 0 ? 2 * location.offset - 1 : -2 * location.offset;
  const within = point * keysPerPoint(walk) + location.sibling;
  return batchNumber(walk, location) * BigInt(attemptsPerBatch(walk)) + BigInt(within);
}
