/**
 * @module
 * What a node signs with. A secret says which form it has, because a key found by walking the curve
 * is a bare scalar that no RFC 8032 seed hashes to: such forms are added here, and every switch over
 * `form` then asks what to do with them. Secrets are never printed and never part of a claim.
 */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { SchemeName } from './scheme-name.ts';
import { unknownScheme } from './scheme-name.ts';

/** `seed`: the RFC 8032 seed of Ed25519, or the big-endian scalar in 1..n−1 of secp256k1. */
export type Secret = { readonly form: 'seed'; readonly bytes: Uint8Array };

/** Bytes of a seed in both schemes. */
export const SECRET_BYTES = 32;

/** Whether these bytes are a seed of the scheme: any 32 for Ed25519, a scalar in 1..n−1 else. */
export function isSecret(scheme: SchemeName, bytes: Uint8Array): boolean {
  switch (scheme) {
    case 'ed25519':
      return bytes.length === SECRET_BYTES;
    case 'secp256k1':
      return secp256k1.utils.isValidSecretKey(bytes);
    default:
      return unknownScheme(scheme);
  }
}
