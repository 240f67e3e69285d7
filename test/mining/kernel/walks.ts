/**
 * @module
 * The four kinds of walk, and reproducible scalars, for tests.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

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
