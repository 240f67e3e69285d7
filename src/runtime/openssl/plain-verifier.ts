/**
 * @module
 * This folder uses the cryptography of OpenSSL, which comes with Node. This file verifies plain signature equations. An
 * Ed25519 signature takes a tenth of noble's time, one of secp256k1 a third.
 */

import type { KeyObject } from 'node:crypto';
import { createPublicKey, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PlainVerifier, SchemeName } from '../../identity/keys/scheme.ts';

/** SubjectPublicKeyInfo up to the key: RFC 8410; RFC 5480 with a compressed point of 33 bytes. */
const SPKI_HEADS: Readonly<Record<SchemeName, Buffer>> = {
  ed25519: Buffer.from('302a300506032b6570032100', 'hex'),
  secp256k1: Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex'),
};

export const plainVerifier: PlainVerifier = (scheme, { publicKey, message, signature }) => {
  const key = keyOf(scheme, publicKey);
  if (key === null) return null;
  return scheme === 'ed25519'
    ? verify(null, message, key, signature)
    : verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature);
};

/** Keys that were read, by scheme and bytes: reading one takes a quarter of a verification. */
const READ = new LRUCache<string, KeyObject>({ max: 1024 });

/** Null if OpenSSL cannot read the key. */
function keyOf(scheme: SchemeName, publicKey: Uint8Array): KeyObject | null {
  const der = Buffer.concat([SPKI_HEADS[scheme], publicKey]);
  const name = der.toString('latin1');
  const before = READ.get(name);
  if (before !== undefined) return before;
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    READ.set(name, key);
    return key;
  } catch {
    return null;
  }
}
