/**
 * @module
 * Ed25519 (RFC 8032) by @noble/curves. Data from other nodes never causes an exception. The rule is RFC 8032
 * cofactored, in the strict form with canonical encodings and a key that is not of small order, in the lenient form as
 * ZIP-215. Other verifiers disagree on some signatures, so a plain verifier such as OpenSSL is believed only where
 * `plainAnswer` proves that its answer is the same.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';
import { concatBytes } from '../../bytes.ts';
import type { ExpandedKey } from './expanded-key.ts';
import { publicKeyOfScalar, signWithScalar, TORSION_POINTS, torsionPoint } from './expanded-key.ts';
import { isOfPrimeOrder } from './prime-order.ts';
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
