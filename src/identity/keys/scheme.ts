/**
 * @module
 * This folder contains the keys of nodes: signature schemes, secrets, and the special keys of each curve.
 * This file lists the schemes by name.
 */

import type { Scheme } from './contract.ts';
import { ed25519Scheme } from './ed25519.ts';
import type { SchemeName } from './scheme-name.ts';
import { unknownScheme } from './scheme-name.ts';
import { secp256k1Scheme } from './secp256k1.ts';

export { SCHEME_NAMES, type SchemeName } from './scheme-name.ts';

/** The scheme of a name. */
export function schemeOf(name: SchemeName): Scheme {
  switch (name) {
    case 'ed25519':
      return ed25519Scheme;
    case 'secp256k1':
      return secp256k1Scheme;
    default:
      return unknownScheme(name);
  }
}
