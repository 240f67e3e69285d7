/**
 * @module
 * ECDSA on secp256k1 (SEC 2) over SHA-256 by @noble/curves, total on foreign bytes: whatever a peer
 * sends gives an answer and never an exception. Signatures are r ‖ s with low s; the nonce is that
 * of RFC 6979, so signing is deterministic. Keys are compressed (SEC 1 section 2.3.3).
 */

import { secp256k1 } from '@noble/curves/secp256k1.js';

import type { KeyFacts, Scheme } from './contract.ts';

const COMPRESSED_BYTES = 33;

// Written out, for these are rules of the network and not defaults of a library.
const FORMAT = { format: 'compact', prehash: true } as const;

export const secp256k1Scheme: Scheme = {
  name: 'secp256k1',
  publicKeyBytes: COMPRESSED_BYTES,
  cofactor: 1,

  publicKeyOf(secret) {
    return secp256k1.getPublicKey(secret.bytes, true);
  },

  sign(secret, message) {
    return secp256k1.sign(message, secret.bytes, { ...FORMAT, lowS: true, extraEntropy: false });
  },

  decode(publicKey): KeyFacts | null {
    if (!isOnCurve(publicKey)) return null;
    return {
      canonical: publicKey.length === COMPRESSED_BYTES,
      // The group has prime order: no point but infinity, which no key spells, is small.
      isSmallOrder: () => false,
      isTorsionFree: () => true,
    };
  },

  verify(publicKey, message, signature, rules) {
    if (rules.strict && publicKey.length !== COMPRESSED_BYTES) return false;
    try {
      return secp256k1.verify(signature, message, publicKey, { ...FORMAT, lowS: rules.lowS });
    } catch {
      // Noble throws on a signature that is not 64 bytes; for a verifier that is one more "no".
      return false;
    }
  },
};

function isOnCurve(publicKey: Uint8Array): boolean {
  try {
    secp256k1.Point.fromBytes(publicKey);
    return true;
  } catch {
    return false;
  }
}
