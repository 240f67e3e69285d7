/**
 * @module
 * This folder contains the keys of nodes: signature schemes, secrets, and the special keys of each curve. This
 * file lists the schemes by name. All signatures are verified by the rules of these two, since two verifiers
 * that disagree on one signature would split a network.
 */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';

import { ed25519Scheme } from './ed25519.ts';
import type { Scheme, SchemeName, Secret } from './signature-scheme.ts';
import { SCHEME_NAMES, SIGNATURE_BYTES } from './signature-scheme.ts';

const COMPRESSED_BYTES = 33;
const SECRET_BYTES = 32;

// Written out, because these are rules of the network and not defaults of a library.
const FORMAT = { format: 'compact', prehash: true } as const;

/**
 * ECDSA on secp256k1 (SEC 2) over SHA-256 by @noble/curves. Data from other nodes never causes an exception.
 * Signatures are r ‖ s with low s. The nonce is that of RFC 6979, so signing is deterministic. Keys are compressed
 * (SEC 1 section 2.3.3).
 */
const secp256k1Scheme = {
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

export {
  type PlainVerifier,
  SCHEME_NAMES,
  type SchemeName,
  type Secret,
} from './signature-scheme.ts';

const SCHEMES: { readonly [Name in SchemeName]: Scheme & { readonly name: Name } } = {
  ed25519: ed25519Scheme,
  secp256k1: secp256k1Scheme,
};

/** Throws TypeError for another name, which only a bug can give. */
export function schemeOf(name: SchemeName): Scheme {
  const scheme: Scheme | undefined = SCHEMES[name];
  if (scheme !== undefined) return scheme;
  throw new TypeError(`"scheme" expected one of ${SCHEME_NAMES.join(', ')}, got ${String(name)}`);
}

/** The secret of a key with a known scalar, see `Scheme`. Throws RangeError for another torsion point. */
export function scalarSecret(name: SchemeName, scalar: bigint, torsion = 0): Secret {
  const { cofactor, secretOfScalar } = SCHEMES[name];
  if (!Number.isInteger(torsion) || torsion < 0 || torsion >= cofactor) {
    throw new RangeError(`"torsion" expected 0..${cofactor - 1} for ${name}, got ${torsion}`);
  }
  return secretOfScalar(scalar, torsion);
}
