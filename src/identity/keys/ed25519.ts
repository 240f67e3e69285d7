/**
 * @module
 * Ed25519 (RFC 8032) by @noble/curves, total on foreign bytes: whatever a peer sends gives an answer
 * and never an exception. Verification is cofactored, in both the strict and the lenient form, so
 * every part of the lab gives the same answer on signatures that split cofactored from cofactorless
 * verifiers. It must never be mixed with another verifier.
 */

import { ed25519 } from '@noble/curves/ed25519.js';

import type { KeyFacts, Scheme } from './contract.ts';
import type { ExpandedKey } from './expanded-key.ts';
import { publicKeyOfScalar, signWithScalar } from './expanded-key.ts';
import type { Secret } from './secret.ts';

type Point = ReturnType<typeof ed25519.Point.fromBytes>;

export const ed25519Scheme: Scheme = {
  name: 'ed25519',
  publicKeyBytes: 32,
  cofactor: 8,

  publicKeyOf(secret) {
    const key = expandedKeyOf(secret);
    return key === null ? ed25519.getPublicKey(secret.bytes) : publicKeyOfScalar(key);
  },

  sign(secret, message) {
    const key = expandedKeyOf(secret);
    return key === null ? ed25519.sign(message, secret.bytes) : signWithScalar(key, message);
  },

  decode(publicKey): KeyFacts | null {
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
      // Noble throws on lengths that are not 32 and 64; for a verifier that is one more "no".
      return false;
    }
  },
};

/** Scalar and torsion of a secret that no seed stands for; null for a seed. */
function expandedKeyOf({ form, bytes }: Secret): ExpandedKey | null {
  switch (form) {
    case 'seed':
      return null;
    case 'scalar':
      return { scalar: bytes, torsion: 0 };
    case 'torsion-scalar':
      return { scalar: bytes.subarray(0, -1), torsion: bytes.at(-1) ?? 0 };
    default:
      return unknownForm(form);
  }
}

function unknownForm(form: never): never {
  throw new TypeError(`"form" expected seed, scalar or torsion-scalar, got ${String(form)}`);
}

/** The point of an encoding by RFC 8032 section 5.1.3, or by ZIP-215; null if there is none. */
function pointOf(publicKey: Uint8Array, zip215: boolean): Point | null {
  try {
    return ed25519.Point.fromBytes(publicKey, zip215);
  } catch {
    return null;
  }
}
