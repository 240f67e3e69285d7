/**
 * @module
 * What a node signs with. A secret says which form it has, because a key found by walking the curve
 * is a bare scalar that no RFC 8032 seed hashes to: such forms are added here, and every switch over
 * `form` then asks what to do with them. Secrets are never printed and never part of a claim.
 */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { numberToBytesBE, numberToBytesLE } from '@noble/curves/utils.js';
import { concatBytes } from '../../bytes.ts';
import type { SchemeName } from './scheme-name.ts';
import { unknownScheme } from './scheme-name.ts';
import { TORSION_POINTS } from './torsion.ts';

/**
 * `seed`: the RFC 8032 seed of Ed25519, or the big-endian scalar in 1..n−1 of secp256k1. `scalar`:
 * the little-endian scalar in 1..L−1 of an Ed25519 key that no seed hashes to. `torsion-scalar`: such
 * a scalar and one byte more, the index 0..7 of the torsion point that its key has beside it.
 */
export interface Secret {
  readonly form: 'seed' | 'scalar' | 'torsion-scalar';
  readonly bytes: Uint8Array;
}

/** Bytes of a seed or a scalar. */
const SECRET_BYTES = 32;

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

/**
 * The secret of a key whose scalar is known, 1..order−1: what walking the curve finds. `torsion` is
 * the index of `torsionPoint` that an Ed25519 key has beside it; the key then passes no torsion check.
 */
export function scalarSecret(scheme: SchemeName, scalar: bigint, torsion = 0): Secret {
  const torsionMax = scheme === 'ed25519' ? TORSION_POINTS - 1 : 0;
  if (!Number.isInteger(torsion) || torsion < 0 || torsion > torsionMax) {
    throw new RangeError(`"torsion" expected 0..${torsionMax} for ${scheme}, got ${torsion}`);
  }
  switch (scheme) {
    case 'ed25519': {
      const bytes = numberToBytesLE(scalar, SECRET_BYTES);
      if (torsion === 0) return { form: 'scalar', bytes };
      return { form: 'torsion-scalar', bytes: concatBytes(bytes, Uint8Array.of(torsion)) };
    }
    case 'secp256k1':
      return { form: 'seed', bytes: numberToBytesBE(scalar, SECRET_BYTES) };
    default:
      return unknownScheme(scheme);
  }
}
