/**
 * @module
 * The names of the signature schemes: a closed list. They are parsed where they enter and are types
 * from there on, so that no text of a peer ever chooses a property or a function.
 */

/** Every scheme, in the order in which they are listed to users. */
export const SCHEME_NAMES = ['ed25519', 'secp256k1'] as const;

export type SchemeName = (typeof SCHEME_NAMES)[number];

/** For the end of an exhaustive switch over the names. */
export function unknownScheme(name: never): never {
  throw new TypeError(`"scheme" expected one of ${SCHEME_NAMES.join(', ')}, got ${String(name)}`);
}
