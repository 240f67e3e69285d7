/**
 * @module
 * The four kinds of walk, reproducible scalars, and the inverse of `locationOf`, for tests.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { TORSION_POINTS } from '../../../src/identity/keys/expanded-key.ts';
import type { Location, Walk } from '../../../src/mining/kernel/numbering.ts';
import { attemptsPerBatch, keysPerPoint } from '../../../src/mining/kernel/numbering.ts';

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

/** The attempt at a location. */
export function attemptAt(walk: Walk, { batch, offset, torsion, sibling }: Location): bigint {
  const point = offset > 0 ? 2 * offset - 1 : -2 * offset;
  const siblings = keysPerPoint(walk) / (walk.torsion === true ? TORSION_POINTS : 1);
  const within = point * keysPerPoint(walk) + torsion * siblings + sibling;
  return batch * BigInt(attemptsPerBatch(walk)) + BigInt(within);
}
