/**
 * @module
 * Ed25519 signatures from a bare scalar (RFC 8032 section 5.1.6 from step 2 on). A key that was found by a walk
 * on the curve has no seed, and the scalar of its negative is not even clamped. Verifiers accept both:
 * S = r + k·scalar mod L. The prefix of the nonces is derived from the scalar, so the scalar alone is the
 * secret.
 */

import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, u64be, utf8ToBytes } from '../../bytes.ts';
import type { Secret, SeedKey } from './signature-scheme.ts';

const { Point } = ed25519;
type Point = typeof Point.BASE;
const { Fn } = Point;

/**
 * Number of points of small order: the cofactor (RFC 7748). The secret of a key A also signs for A + T, so
 * one secret has eight keys if a network accepts T. The strict policy refuses them.
 */
export const TORSION_POINTS = 8;
const ORDER_OF_TORSION = BigInt(TORSION_POINTS);
const PREFIX_DOMAIN = utf8ToBytes('usurp/expanded-prefix/v1\0');

/** The secret of the key scalar·B + T. */
export interface ExpandedKey {
  /** 32 bytes, little-endian, 1..L−1. 0 for a point of small order, for which only `signForSmallOrder` signs. */
  readonly scalar: Uint8Array;
  /** Index of the torsion point T, 0..7. 0 for a key of prime order. */
  readonly torsion: number;
}

/** A cofactorless verifier accepts one nonce in ord(T) ≤ 8. 2^11 misses in a row have P < 2^-390. */
const NONCES_MAX = 2 ** 11;

/** The secret of A + T, where A is the key of a secret of Ed25519 without its torsion point. */
export function siblingSecret({ form, bytes }: Secret, torsion: number): Secret {
  const scalar =
    form === 'seed'
      ? numberToBytesLE(ed25519.utils.getExtendedPublicKey(bytes).scalar, 32)
      : bytes.subarray(0, 32);
  return { form: 'torsion-scalar', bytes: concatBytes(scalar, Uint8Array.of(torsion)) };
}

/** The 32-byte public key scalar·B + T. */
export function publicKeyOfScalar({ scalar, torsion }: ExpandedKey): Uint8Array {
  return Point.BASE.multiply(bytesToNumberLE(scalar)).add(torsionPoint(torsion)).toBytes();
}

/**
 * The 64-byte signature R‖S of a message, the same for the same arguments. Verifiers compare S·B with
 * R + k·(A + T). Those that multiply by the cofactor lose T. The others (OpenSSL) accept if k·T = 0, so this
 * function tries nonces until that is true, ord(T) of them on average.
 */
export function signWithScalar(
  key: ExpandedKey,
  message: Uint8Array,
  publicKey = publicKeyOfScalar(key),
  keyOfSeed: SeedKey = ed25519.getPublicKey,
): Uint8Array {
  for (let trial = 0; trial < NONCES_MAX; trial += 1) {
    const { nonce, R } = nonceOf(sha512(concatBytes(noncePrefix(key, trial), message)), keyOfSeed);
    const challenge = Fn.create(bytesToNumberLE(sha512(concatBytes(R, publicKey, message))));
    // k·T = 0, as T is the `torsion`-th multiple of a point of order 8.
    if ((challenge * BigInt(key.torsion)) % ORDER_OF_TORSION !== 0n) continue;
    const S = Fn.create(nonce + challenge * bytesToNumberLE(key.scalar));
    return concatBytes(R, numberToBytesLE(S, 32));
  }
  throw new TypeError(`"nonces" expected one of ${NONCES_MAX} with k·T = 0, got none`);
}

/**
 * A nonce r and R = r·B from 64 uniform bytes. R is the public key of a seed, or its negative, so that other code can
 * compute it. The clamped scalar of a seed is 8y, where y is uniform in [2^251, 2^252): alone it would reveal a bit of
 * every nonce. −y is uniform in (c, 2^251 + c], where L = 2^252 + c and c < 2^125. With a drawn sign, r is therefore
 * uniform but for a distance of 2^-126.
 */
function nonceOf(drawn: Uint8Array, keyOfSeed: SeedKey): { nonce: bigint; R: Uint8Array } {
  const seed = drawn.slice(0, 32);
  const R = Uint8Array.from(keyOfSeed(seed));
  const scalar = Fn.create(clampedScalarOf(seed));
  if ((drawn[32] ?? 0) % 2 === 0) return { nonce: scalar, R };
  R.set([(R[31] ?? 0) ^ SIGN_OF_LAST_BYTE], 31);
  return { nonce: Fn.neg(scalar), R };
}

/** The secret scalar of a seed (RFC 8032 section 5.1.5). */
function clampedScalarOf(seed: Uint8Array): bigint {
  const scalar = bytesToNumberLE(sha512(seed).subarray(0, 32));
  return (scalar & CLAMPED_BITS) | CLAMPED_TOP;
}

const CLAMPED_TOP = 1n << 254n;
const CLAMPED_BITS = CLAMPED_TOP - 8n;

/** A public key for which anyone signs: an encoding of a point of small order. */
export interface SmallOrderKey {
  readonly publicKey: Uint8Array;
  /** Index of its point, 0..7. */
  readonly torsion: number;
}

/** Number of encodings of points of small order: eight canonical ones, and six others that ZIP-215 accepts. */
export const SMALL_ORDER_KEYS = 14;

/** The encodings of the points of small order: the canonical ones in the order of their index, then the others. */
export function smallOrderKeys(): readonly SmallOrderKey[] {
  const canonical = MULTIPLES.map((point, torsion) => ({ publicKey: point.toBytes(), torsion }));
  const others = MULTIPLES.flatMap((point, torsion) =>
    otherEncodings(point).map((publicKey) => ({ publicKey, torsion })),
  );
  return [...canonical, ...others];
}

/** Encodings with a y that is not reduced, or with the sign of x = 0, that decode to the point. */
function otherEncodings(point: Point): readonly Uint8Array[] {
  const { x, y } = point.toAffine();
  const { ORDER } = Point.Fp;
  const encodings = [y, y + ORDER].flatMap((value) => {
    if (value >= SIGN) return [];
    const signs = x === 0n ? [0n, SIGN] : [(x & 1n) * SIGN];
    return signs.map((sign) => numberToBytesLE(value + sign, 32));
  });
  const canonical = bytesToNumberLE(point.toBytes());
  return encodings.filter((encoding) => bytesToNumberLE(encoding) !== canonical);
}

/** The bit of an encoding that holds the sign of x. */
const SIGN = 1n << 255n;
const SIGN_OF_LAST_BYTE = 0x80;

/**
 * A signature of a message for a key of small order, without a secret: R = r·B and S = r are valid if k·T = 0, also for
 * verifiers that do not multiply by the cofactor.
 */
export function signForSmallOrder(
  { publicKey, torsion }: SmallOrderKey,
  message: Uint8Array,
): Uint8Array {
  return signWithScalar({ scalar: new Uint8Array(32), torsion }, message, publicKey);
}

/**
 * The siblings A + T of one scalar must not share nonces: two signatures of one message with one R and two k
 * would reveal the scalar.
 */
function noncePrefix({ scalar, torsion }: ExpandedKey, trial: number): Uint8Array {
  const sibling = torsion === 0 ? [] : [Uint8Array.of(torsion), u64be(trial)];
  return sha512(concatBytes(PREFIX_DOMAIN, scalar, ...sibling)).subarray(0, 32);
}

const MULTIPLES: readonly Point[] = multiplesOfGenerator();

/** The torsion point with this index, 0..7. 0 is the identity, 4 has order two. */
export function torsionPoint(index: number): Point {
  const point = MULTIPLES[index];
  if (point === undefined) throw new RangeError(`"index" expected 0..7, got ${index}`);
  return point;
}

/** The multiples of the first listed point of order eight. */
function multiplesOfGenerator(): Point[] {
  const generator = ED25519_TORSION_SUBGROUP.map((hex) => Point.fromHex(hex)).find(
    (point) => !point.multiplyUnsafe(4n).is0(),
  );
  if (generator === undefined) {
    throw new TypeError('"ED25519_TORSION_SUBGROUP" expected a point of order eight, got none');
  }
  const multiples = [Point.ZERO];
  for (let last = generator; multiples.length < TORSION_POINTS; last = last.add(generator)) {
    multiples.push(last);
  }
  return multiples;
}
