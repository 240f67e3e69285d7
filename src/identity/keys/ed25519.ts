/**
 * @module
 * Ed25519 (RFC 8032) by @noble/curves. Data from other nodes never causes an exception. Verification multiplies
 * by the cofactor in both the strict and the lenient form, so the whole lab agrees on signatures on which
 * other verifiers disagree. It must never be mixed with another verifier.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { numberToBytesLE } from '@noble/curves/utils.js';
import { concatBytes } from '../../bytes.ts';
import type { ExpandedKey } from './expanded-key.ts';
import { publicKeyOfScalar, signWithScalar } from './expanded-key.ts';
import type { Scheme, Secret } from './signature-scheme.ts';

const SECRET_BYTES = 32;

export const ed25519Scheme = {
  name: 'ed25519',
  publicKeyBytes: 32,
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

  sign(secret, message) {
    const key = expandedKeyOf(secret);
    return key === null ? ed25519.sign(message, secret.bytes) : signWithScalar(key, message);
  },

  decode(publicKey) {
    const strict = pointOf(publicKey, false);
    const point = strict ?? pointOf(publicKey, true);
    if (point === null) return null;
    return {
      canonical: strict !== null,
      isSmallOrder: () => point.isSmallOrder(),
      isTorsionFree: () => point.isTorsionFree(),
    };
  },

  verify(publicKey, message, signature, rules) {
    try {
      return ed25519.verify(signature, message, publicKey, { zip215: !rules.strict });
    } catch {
      // Noble throws if the lengths are not 32 and 64.
      return false;
    }
  },
} as const satisfies Scheme;

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
