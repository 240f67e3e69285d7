/**
 * @module
 * The candidates of `fresh` and the verification of claims by node:crypto (OpenSSL) alone, from the
 * documented bytes: a second opinion that shares no code with the product.
 */

import type { KeyObject } from 'node:crypto';
import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  ECDH,
  verify,
} from 'node:crypto';

import type { SchemeName } from '../../src/identity/keys/scheme.ts';

/** PKCS #8 and SubjectPublicKeyInfo of Ed25519 up to the 32 bytes of the key (RFC 8410). */
const ED25519_PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519_PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
/** SubjectPublicKeyInfo of an uncompressed secp256k1 point up to its 65 bytes (RFC 5480). */
const SECP256K1_PUBLIC_HEAD = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');

export interface PresentedClaim {
  readonly scheme: SchemeName;
  readonly publicKey: Uint8Array;
  readonly nodeId: Uint8Array;
  readonly solution: Uint8Array | null;
  readonly signature: Uint8Array;
}

export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Zero bits at the head, counted digit by digit. */
export function zeroBits(digest: Uint8Array): number {
  const digits = [...digest].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return digits.search(/1|$/);
}

/** The secret of an attempt: SHA-256("usurp/fresh/v1" 0 ‖ scheme 0 ‖ seed 0 ‖ u64be(attempt)). */
export function secretOf(scheme: SchemeName, seed: string, attempt: number): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(attempt));
  return sha256(`usurp/fresh/v1\0${scheme}\0${seed}\0`, number);
}

export function publicKeyOf(scheme: SchemeName, secret: Uint8Array): Buffer {
  if (scheme === 'secp256k1') {
    const exchange = createECDH('secp256k1');
    exchange.setPrivateKey(secret);
    return exchange.getPublicKey(null, 'compressed');
  }
  const der = Buffer.concat([ED25519_PRIVATE_HEAD, secret]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
}

/** Whether the signature of possession holds, by default for the default challenge. */
export function isPossessed(claim: PresentedClaim, epoch = 0, context = 'usurp'): boolean {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(epoch));
  const challenge = sha256('usurp/challenge/v1\0', number, context);
  const message = Buffer.concat([
    Buffer.from('usurp/claim/v1\0'),
    challenge,
    claim.nodeId,
    claim.solution ?? Buffer.alloc(0),
  ]);
  const key = keyObjectOf(claim.scheme, claim.publicKey);
  return claim.scheme === 'ed25519'
    ? verify(null, message, key, claim.signature)
    : verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, claim.signature);
}

function keyObjectOf(scheme: SchemeName, publicKey: Uint8Array): KeyObject {
  const der =
    scheme === 'ed25519'
      ? Buffer.concat([ED25519_PUBLIC_HEAD, publicKey])
      : Buffer.concat([SECP256K1_PUBLIC_HEAD, uncompressed(publicKey)]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}

function uncompressed(publicKey: Uint8Array): Buffer {
  const point = ECDH.convertKey(publicKey, 'secp256k1', undefined, undefined, 'uncompressed');
  return Buffer.from(point.toString('hex'), 'hex');
}
