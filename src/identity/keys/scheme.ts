/**
 * @module
 * This folder contains the keys of nodes: signature schemes, secrets, and the special keys of each curve. This
 * file lists the schemes by name. All signatures are verified by the rules of these two, since two verifiers
 * that disagree on one signature would split a network.
 */

import { ed25519Scheme } from './ed25519.ts';
import { secp256k1Scheme } from './secp256k1.ts';
import type { Scheme, SchemeName, Secret } from './signature-scheme.ts';
import { SCHEME_NAMES } from './signature-scheme.ts';

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
