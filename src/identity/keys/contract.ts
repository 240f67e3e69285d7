/**
 * @module
 * The contract of a signature scheme: what ed25519.ts and secp256k1.ts owe to admission and mining.
 * Signing is for holders of a valid secret and throws on any other; decoding and verifying are for
 * what peers send and never throw. Both schemes have signatures of 64 bytes, R ‖ S (RFC 8032) or
 * r ‖ s (IEEE P1363).
 */

import type { SchemeName } from './scheme-name.ts';
import type { Secret } from './secret.ts';

/** Bytes of a signature in both schemes. */
export const SIGNATURE_BYTES = 64;

/** A public key that decodes to a point of the curve, in whatever spelling. */
export interface KeyFacts {
  /** It is spelt in the one way that counts, so its hash is the only node ID of this point. */
  readonly canonical: boolean;
  /** The point is one of the few for which anybody can sign. */
  isSmallOrder(): boolean;
  /** The point lies in the subgroup of prime order. A function since it costs a multiplication. */
  isTorsionFree(): boolean;
}

/** How a signature is verified. */
export interface SignatureRules {
  /**
   * Ed25519: true refuses a small-order key and non-canonical encodings of key and R (RFC 8032
   * section 5.1.7), false takes what ZIP-215 takes. secp256k1: true takes compressed keys only.
   */
  readonly strict: boolean;
  /** secp256k1: refuse s > n/2, the second signature that anybody can make of a first. */
  readonly lowS: boolean;
}

export interface Scheme {
  readonly name: SchemeName;
  /** Bytes of a canonical public key. */
  readonly publicKeyBytes: 32 | 33;
  /** 1 where the group has prime order, so that small order and torsion are no question. */
  readonly cofactor: 1 | 8;
  /** The canonical public key; throws on a secret that `isSecret` refuses. */
  publicKeyOf(secret: Secret): Uint8Array;
  /** 64 bytes, the same for the same arguments; throws on a secret that `isSecret` refuses. */
  sign(secret: Secret, message: Uint8Array): Uint8Array;
  /** What the key checks ask, decoded leniently; null if no point is spelt. Never throws. */
  decode(publicKey: Uint8Array): KeyFacts | null;
  /** Whether the signature holds; false for anything malformed. Never throws. */
  verify(
    publicKey: Uint8Array,
    message: Uint8Array,
    signature: Uint8Array,
    rules: SignatureRules,
  ): boolean;
}
