/**
 * @module
 * Ed25519 signatures from a bare scalar (RFC 8032 section 5.1.6 from step 2 on). A key that was found
 * by walking the curve has no seed, and its negative, the sibling's secret, is not even clamped.
 * Neither matters to a verifier: S = r + k·scalar mod L. The prefix that makes nonces is derived from
 * the scalar, so the scalar alone is the secret.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '../bytes.ts';

const { Point } = ed25519;
const { Fn } = Point;
const PREFIX_DOMAIN = utf8ToBytes('usurp/expanded-prefix/v1\0');

/** The 32-byte public key scalar·B; `scalar` is 32 bytes little-endian, 1..L−1, else it throws. */
export function publicKeyOfScalar(scalar: Uint8Array): Uint8Array {
  return Point.BASE.multiply(bytesToNumberLE(scalar)).toBytes();
}

/** The 64-byte signature R‖S of a message; the same for the same arguments. */
export function signWithScalar(scalar: Uint8Array, message: Uint8Array): Uint8Array {
  const publicKey = publicKeyOfScalar(scalar);
  const prefix = sha512(concatBytes(PREFIX_DOMAIN, scalar)).subarray(0, 32);
  const nonce = hashToScalar(prefix, message);
  const R = Point.BASE.multiply(nonce).toBytes();
  const challenge = hashToScalar(R, publicKey, message);
  const S = Fn.create(nonce + challenge * bytesToNumberLE(scalar));
  return concatBytes(R, numberToBytesLE(S, 32));
}

function hashToScalar(...parts: readonly Uint8Array[]): bigint {
  return Fn.create(bytesToNumberLE(sha512(concatBytes(...parts))));
}
