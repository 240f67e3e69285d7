/**
 * @module
 * Public keys by OpenSSL, in a third of noble's time. Only for secrets of the form `seed`, whose keys RFC 8032 defines.
 */

import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { SchemeName, Secret } from '../../identity/keys/scheme.ts';
import { schemeOf } from '../../identity/keys/scheme.ts';

/** PrivateKeyInfo up to the seed, and SubjectPublicKeyInfo up to the key (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_HEAD_BYTES = 12;
const SEED_BYTES = 32;

/** The Ed25519 public key of a seed of 32 bytes. */
export function plainPublicKey({ form, bytes }: Secret): Uint8Array {
  if (form !== 'seed') throw new TypeError(`"form" expected seed, got ${form}`);
  const der = Buffer.concat([PKCS8_HEAD, bytes]);
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return new Uint8Array(key.export({ format: 'der', type: 'spki' }).subarray(SPKI_HEAD_BYTES));
}

/** The public key of any secret, by OpenSSL if it can: noble makes tables first, which takes 60 ms. */
export function publicKeyOf(scheme: SchemeName, secret: Secret): Uint8Array {
  const isSeed = scheme === 'ed25519' && secret.form === 'seed';
  return isSeed && secret.bytes.length === SEED_BYTES
    ? plainPublicKey(secret)
    : schemeOf(scheme).publicKeyOf(secret);
}
