/**
 * @module
 * The naive searches with OpenSSL instead of noble, by the fastest functions that `node:crypto` has for each step. They
 * are a baseline for the rates of strategies: what a program costs that makes every key anew, but in native code.
 */

import { createECDH, generateKeyPairSync, hash, randomBytes } from 'node:crypto';
import type { SchemeName } from '../../identity/keys/scheme.ts';

export interface NativeKey {
  readonly publicKey: Uint8Array;
  /** The seed of the key (Ed25519) or its scalar (secp256k1). Exported only when asked for. */
  secret(): Uint8Array;
}

/** One object for all keys, because to make it takes a tenth of the time of a key. */
const secp256k1 = createECDH('secp256k1');
const SECRET_BYTES = 32;

/**
 * How each scheme makes a random key. Ed25519: exports as DER and imports of seeds take longer than JWK. secp256k1:
 * key objects take longer than ECDH.
 */
export const NATIVE_KEYS: Readonly<Record<SchemeName, () => NativeKey>> = {
  ed25519() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const bytesOf = (base64url = '') => Buffer.from(base64url, 'base64url');
    return {
      publicKey: bytesOf(publicKey.export({ format: 'jwk' }).x),
      secret: () => bytesOf(privateKey.export({ format: 'jwk' }).d),
    };
  },
  secp256k1() {
    const secret = randomBytes(SECRET_BYTES);
    secp256k1.setPrivateKey(secret);
    return {
      publicKey: secp256k1.getPublicKey(null, 'compressed'),
      secret: () => secret,
    };
  },
};

/** Makes a key and tests it under the strict policy: the zero bits of SHA-256(SHA-256(key)). */
export function testNativeKey(scheme: SchemeName): number {
  const { publicKey } = NATIVE_KEYS[scheme]();
  return zeroBits(Buffer.from(sha256(publicKey), 'latin1'));
}

/** Tests the X with a number for `concat`: the zero bits of SHA-256(challenge ‖ node ID ‖ X). */
export function nativeSolutionTest(
  challenge: Uint8Array,
  nodeId: Uint8Array,
): (number: number) => number {
  const message = Buffer.concat([challenge, nodeId, Buffer.alloc(8)]);
  const at = message.length - 8;
  return (number) => {
    message.writeUInt32BE(Math.floor(number / 2 ** 32), at);
    message.writeUInt32BE(number % 2 ** 32, at + 4);
    return zeroBits(message);
  };
}

/** The digest as a string of bytes, which Node makes in a third of the time of a buffer. */
function sha256(message: Uint8Array): string {
  return hash('sha256', message, 'binary');
}

/** The zero bits at the beginning of the hash of a message. */
function zeroBits(message: Uint8Array): number {
  const digest = sha256(message);
  let index = 0;
  while (index < digest.length && digest.charCodeAt(index) === 0) index += 1;
  return 8 * index + (index < digest.length ? Math.clz32(digest.charCodeAt(index)) - 24 : 0);
}
