/**
 * @module
 * Ed25519 signatures that no honest signer makes: with any point R, for any key a·B + T, with any S. The cofactored
 * equation holds for those of `signWith`, whatever the torsion parts of A and R are.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';

import { concatBytes, hexToBytes } from '../../../src/bytes.ts';
import type { Random } from '../../../src/random.ts';
import nonCanonical from '../../vectors/derived/ed25519_noncanonical_public_keys.json' with {
  type: 'json',
};
import { torsionPoints } from '../forged-claims.ts';

export type Point = typeof ed25519.Point.BASE;
const { Point, utils } = ed25519;
const { Fn } = Point;

export const ORDER = Fn.ORDER;
export const TORSION = torsionPoints();
/** Encodings of points of small order that are not canonical, and others with y ≥ p. */
export const NON_CANONICAL = nonCanonical.encodings.map(({ encoding }) => hexToBytes(encoding));
/** y = 2, which is on no point. */
export const OFF_CURVE = hexToBytes(`02${'00'.repeat(31)}`);

/** A key a·B + T with its encoding, which may be another one than the canonical. */
export interface OddKey {
  readonly scalar: bigint;
  readonly encoding: Uint8Array;
}

/** The key of a scalar and a torsion point. */
export function oddKey(scalar: bigint, torsion: Point = Point.ZERO): OddKey {
  return { scalar, encoding: Point.BASE.multiply(scalar).add(torsion).toBytes() };
}

export function randomBytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}

/** A scalar in 1..L−1. */
export function randomScalar(random: Random): bigint {
  const { scalar } = utils.getExtendedPublicKey(randomBytes(random, 32));
  return scalar;
}

/** R, as the nonce r and an encoding of r·B + T. */
export interface OddNonce {
  readonly nonce: bigint;
  readonly encoding: Uint8Array;
}

export function oddNonce(nonce: bigint, torsion: Point = Point.ZERO): OddNonce {
  const point = nonce === 0n ? Point.ZERO : Point.BASE.multiply(nonce);
  return { nonce, encoding: point.add(torsion).toBytes() };
}

/** S = r + k·a, as a number below L. */
export function responseOf(key: OddKey, R: OddNonce, message: Uint8Array): bigint {
  return Fn.create(R.nonce + challengeOf(key, R, message) * key.scalar);
}

/** R ‖ S, with S as a number below 2^256. */
export function signatureOf(R: OddNonce, response: bigint): Uint8Array {
  const bytes = hexToBytes(response.toString(16).padStart(64, '0')).toReversed();
  return concatBytes(R.encoding, bytes);
}

/** R ‖ r + k·a. */
export function signWith(key: OddKey, R: OddNonce, message: Uint8Array): Uint8Array {
  return signatureOf(R, responseOf(key, R, message));
}

function challengeOf(key: OddKey, R: OddNonce, message: Uint8Array): bigint {
  const digest = sha512(concatBytes(R.encoding, key.encoding, message));
  return Fn.create(digest.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n));
}
