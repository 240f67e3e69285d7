/**
 * @module
 * Ed25519 (RFC 8032) by @noble/curves. Data from other nodes never causes an exception. The rule is RFC 8032
 * cofactored, in the strict form with canonical encodings and a key that is not of small order, in the lenient form as
 * ZIP-215. Other verifiers disagree on some signatures, so a plain verifier such as OpenSSL is believed only where
 * `plainAnswer` proves that its answer is the same.
 */

import { pow2 } from '@noble/curves/abstract/modular.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';

import { concatBytes } from '../../bytes.ts';
import type { ExpandedKey } from './expanded-key.ts';
import { publicKeyOfScalar, signWithScalar, TORSION_POINTS, torsionPoint } from './expanded-key.ts';
import type { PlainVerifier, Scheme, Secret, SeedKey } from './signature-scheme.ts';
import { SIGNATURE_BYTES } from './signature-scheme.ts';

const SECRET_BYTES = 32;
const KEY_BYTES = 32;

export const ed25519Scheme = {
  name: 'ed25519',
  publicKeyBytes: KEY_BYTES,
  cofactor: 8,

  isSeed: (bytes) => bytes.length === SECRET_BYTES,

  secretOfScalar(scalar, torsion) {
    const bytes = numberToBytesLE(scalar, SECRET_BYTES);
    if (torsion === 0) return { form: 'scalar', bytes };
    return { form: 'torsion-scalar', bytes: concatBytes(bytes, Uint8Array.of(torsion)) };
  },

  publicKeyOf(secret) {
    const key = expandedKeyOf(secret);
    return key === null ? ed25519.getPublicKey(secret.bytes) : publicKeyOfScalar(key);
  },

  sign(secret, message, publicKey?: Uint8Array, keyOfSeed?: SeedKey) {
    const key = expandedKeyOf(secret);
    if (key === null) return ed25519.sign(message, secret.bytes);
    return signWithScalar(key, message, publicKey, keyOfSeed);
  },

  decode(publicKey) {
    const strict = pointOf(publicKey, false);
    const point = strict ?? pointOf(publicKey, true);
    if (point === null) return null;
    return {
      canonical: strict !== null,
      isSmallOrder: () => point.isSmallOrder(),
      isTorsionFree: () => isOfPrimeOrder(point),
    };
  },

  verify(publicKey, message, signature, rules, plain = null) {
    if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
    const answer = plain === null ? null : plainAnswer({ publicKey, message, signature }, plain);
    return answer ?? ed25519.verify(signature, message, publicKey, { zip215: !rules.strict });
  },
} as const satisfies Scheme;

/**
 * What a plain verifier says of a signature, if this decides the strict and the lenient rule. Null if it does not.
 *
 * Both rules require S < L and [8]([S]B − [k]A − R) = 0, where k is a hash of the bytes. The plain equation is
 * [S]B − [k]A = R.
 * - It holds: then [8] times it holds, S < L, and R is the canonical encoding of a point. With a canonical key that is
 *   not of small order, both rules accept.
 * - It does not hold, and the encodings of A and R are canonical and their points of prime order: either S ≥ L, or
 *   [S]B − [k]A − R is a point of prime order, and [8] times it is not 0. Both rules refuse.
 * - Everything else is a question for noble: other encodings, a torsion part of A or R, and A or R of small order, which
 *   some verifiers refuse before they look at the equation (Node 24 does, also R = 0).
 */
function plainAnswer(signed: Parameters<PlainVerifier>[1], plain: PlainVerifier): boolean | null {
  if (!isUsual(signed.publicKey)) return null;
  const answer = plain('ed25519', signed);
  if (answer !== false) return answer;
  const isDecided = [signed.signature.subarray(0, KEY_BYTES), signed.publicKey].every(
    (encoding) => {
      const point = isUsual(encoding) ? pointOf(encoding, false) : null;
      return point !== null && isOfPrimeOrder(point);
    },
  );
  return isDecided ? false : null;
}

/** Whether the y of an encoding is below p and not that of a point of small order. It may be on no point. */
function isUsual(encoding: Uint8Array): boolean {
  const y = bytesToNumberLE(encoding) & Y_MASK;
  return y < ed25519.Point.Fp.ORDER && !Y_OF_SMALL_ORDER.has(y);
}

const Y_MASK = (1n << 255n) - 1n;
const Y_OF_SMALL_ORDER = new Set(
  Array.from({ length: TORSION_POINTS }, (_, index) => torsionPoint(index).toAffine().y),
);

/** Scalar and torsion of a secret without a seed. Null for a seed. */
function expandedKeyOf({ form, bytes }: Secret): ExpandedKey | null {
  switch (form) {
    case 'seed':
      return null;
    case 'scalar':
      return { scalar: bytes, torsion: 0 };
    case 'torsion-scalar':
      return { scalar: bytes.subarray(0, -1), torsion: bytes.at(-1) ?? 0 };
    default:
      throw new TypeError(
        `"form" expected seed, scalar or torsion-scalar, got ${form satisfies never}`,
      );
  }
}

/** The point of an encoding by RFC 8032 section 5.1.3, or by ZIP-215. Null if there is none. */
function pointOf(publicKey: Uint8Array, zip215: boolean) {
  try {
    return ed25519.Point.fromBytes(publicKey, zip215);
  } catch {
    return null;
  }
}

type Point = typeof ed25519.Point.BASE;

const { Fp } = ed25519.Point;
const P = Fp.ORDER;
const A = 486662n;
const ROOT_OF_MINUS_ONE = Fp.pow(2n, (P - 1n) / 4n);
/** v = V_SCALE·u/x maps edwards25519 to the Montgomery curve. Its sign is free: P and −P have the same order. */
const V_SCALE = Fp.sqrt(P - (A + 2n));
/** λ, with the even one of the two s. */
const LAMBDA = 2n + evenRootOf(A + 2n);

/**
 * Whether the order of a point is L, or 1 for the identity.
 *
 * Whether a point of edwards25519 is in the subgroup of prime order L. Multiplying the point by L takes 250 doublings.
 * This test takes two exponentiations, a fifth of that time. It evaluates a Tate pairing (D. Koshelev, "Subgroup
 * membership testing on elliptic curves via the Tate pairing", ePrint 2022/037; T. Pornin, "Point-Halving and
 * Subgroup Membership in Twisted Edwards Curves", ePrint 2022/1164).
 *
 * The proof, for a point P that is not of small order:
 * 1. edwards25519 is the Montgomery curve E: v² = u(u² + Au + 1) with A = 486662 (RFC 7748). Its group is cyclic of
 *    order 8L. P is the double of a point if and only if u(P) is a square. If it is none, 8 divides the order of P.
 * 2. The curve E': y² = x(x − (A+2))(x − (A−2)) has a 2-isogeny to E with the kernel {0, (0, 0)}. If u(P) = w², it
 *    takes exactly the points P' with x = A + 2u ± 2v/w and y = ±2wx to P and −P.
 * 3. Let T be the point of E' with x = A + 2 + 2s, where s² = A + 2. Then 2T = (A+2, 0), the line through T and 2T has
 *    the slope λ = 2 + s, and f = (y − λ(x − (A+2)))² / (x − (A+2)) has the divisor 4(T) − 4(0). So
 *    χ(P') = f(P')^((p−1)/4), the reduced Tate pairing with T, is a homomorphism to the fourth roots of unity. For one
 *    of the two s, χ(0, 0) = 1. Then P ↦ χ(P') is a homomorphism of the doubles in E, which are cyclic of order 4L. It
 *    takes points of order four to primitive roots. Thus exactly the points of order L have the value 1.
 */
export function isOfPrimeOrder(point: Point): boolean {
  if (point.isSmallOrder()) return point.is0();
  const { x, y } = point.toAffine();
  // u = n/d, w = m/d, and x(P') = (2q + (A+2)·d·x) / (d·x). None of these is 0, as the order is not small.
  const [n, d] = [1n + y, 1n - y];
  const m = rootOf(Fp.mul(n, d));
  if (m === null) return false;
  const q = (2n * x * y + V_SCALE * m) % P;
  const line = (m * (2n * q + (A + 2n) * (d * x)) - LAMBDA * (d * q)) % P;
  // f(P') times the fourth power of d·x·q, which the exponentiation takes to 1.
  const value = Fp.create(2n * d * ((line * line) % P) * ((x * q) % P) ** 3n);
  const power = powerOf(value);
  return (power * power * value) % P === 1n;
}

/** A square root. Null if there is none. */
function rootOf(value: bigint): bigint | null {
  const candidate = (powerOf(value) * value) % P;
  const square = (candidate * candidate) % P;
  if (square === value) return candidate;
  return square === P - value ? (candidate * ROOT_OF_MINUS_ONE) % P : null;
}

/** value^((p−5)/8) = value^(2^252 − 3). A square root and a power of (p−1)/4 are a product or two more. */
function powerOf(value: bigint): bigint {
  // The number in a name is the n of value^(2^n − 1).
  const joined = (high: bigint, low: bigint, bits: bigint) => (pow2(high, bits, P) * low) % P;
  const ones2 = joined(value, value, 1n);
  const ones4 = joined(ones2, ones2, 2n);
  const ones5 = joined(ones4, value, 1n);
  const ones10 = joined(ones5, ones5, 5n);
  const ones20 = joined(ones10, ones10, 10n);
  const ones40 = joined(ones20, ones20, 20n);
  const ones50 = joined(ones40, ones10, 10n);
  const ones100 = joined(ones50, ones50, 50n);
  const ones200 = joined(ones100, ones100, 100n);
  const ones250 = joined(ones200, ones50, 50n);
  return joined(ones250, value, 2n);
}

function evenRootOf(value: bigint): bigint {
  const root = Fp.sqrt(value);
  return root % 2n === 0n ? root : P - root;
}
