/**
 * @module
 * ECDSA on secp256k1 (SEC 2) over SHA-256 by @noble/curves. Data from other nodes never causes an exception.
 * Signatures are r ‖ s with low s. The nonce is that of RFC 6979, so signing is deterministic. Keys are
 * compressed (SEC 1 section 2.3.3).
 */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import type { Scheme } from './signature-scheme.ts';
import { SIGNATURE_BYTES } from './signature-scheme.ts';

const COMPRESSED_BYTES = 33;
const SECRET_BYTES = 32;

// Written out, because these are rules of the network and not defaults of a library.
const FORMAT = { format: 'compact', prehash: true } as const;

export const secp256k1Scheme = {
  name: 'secp256k1',
  publicKeyBytes: COMPRESSED_BYTES,
  cofactor: 1,

  isSeed: (bytes) => secp256k1.utils.isValidSecretKey(bytes),

  secretOfScalar: (scalar) => ({ form: 'seed', bytes: numberToBytesBE(scalar, SECRET_BYTES) }),

  publicKeyOf: (secret) => secp256k1.getPublicKey(secret.bytes, true),

  sign: (secret, message) =>
    secp256k1.sign(message, secret.bytes, { ...FORMAT, lowS: true, extraEntropy: false }),

  decode(publicKey) {
    try {
      secp256k1.Point.fromBytes(publicKey);
    } catch {
      return null;
    }
    return {
      canonical: publicKey.length === COMPRESSED_BYTES,
      // The group has prime order. Only infinity, which no key encodes, is small.
      isSmallOrder: () => false,
      isTorsionFree: () => true,
    };
  },

  verify(publicKey, message, signature, rules, plain = null) {
    if (signature.length !== SIGNATURE_BYTES) return false;
    const isCompressed = publicKey.length === COMPRESSED_BYTES;
    if (rules.strict && !isCompressed) return false;
    if (rules.lowS && isHigh(signature)) return false;
    // The group has prime order, so all verifiers of ECDSA decide alike.
    const signed = { publicKey, message, signature };
    const answer = isCompressed && plain !== null ? plain('secp256k1', signed) : null;
    if (answer !== null) return answer;
    try {
      return secp256k1.verify(signature, message, publicKey, { ...FORMAT, lowS: rules.lowS });
    } catch {
      // Noble throws if the key is none.
      return false;
    }
  },
} as const satisfies Scheme;

/** Whether s > n/2. */
function isHigh(signature: Uint8Array): boolean {
  return bytesToNumberBE(signature.subarray(S_OFFSET)) > HALF_ORDER;
}

const S_OFFSET = SIGNATURE_BYTES / 2;
const HALF_ORDER = secp256k1.Point.Fn.ORDER >> 1n;
