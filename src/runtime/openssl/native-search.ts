/**
 * @module
 * The naive searches with OpenSSL instead of noble, by the fastest functions that `node:crypto` has for each step. They
 * are a baseline for the rates of strategies: what a program costs that makes every key anew, but in native code.
 */

import * as crypto from 'node:crypto';
import { leadingZeroBits } from '../../bytes.ts';
import { idRuleOf, nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import type { Policy } from '../../identity/policy.ts';
import type { HashName } from '../../identity/puzzles/puzzle-function.ts';
import { SALT } from '../../identity/puzzles/puzzle-function.ts';

export interface NativeKey {
  readonly publicKey: Uint8Array;
  /** The seed of the key (Ed25519) or its scalar (secp256k1). Exported only when asked for. */
  secret(): Uint8Array;
}

/** One object for all keys, because to make it takes a tenth of the time of a key. */
const secp256k1 = crypto.createECDH('secp256k1');
const SECRET_BYTES = 32;

/**
 * How each scheme makes a random key. Ed25519: exports as DER and imports of seeds take longer than JWK. secp256k1:
 * key objects take longer than ECDH.
 */
export const NATIVE_KEYS: Readonly<Record<SchemeName, () => NativeKey>> = {
  ed25519() {
    const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519');
    const bytesOf = (base64url = '') => Buffer.from(base64url, 'base64url');
    return {
      publicKey: bytesOf(publicKey.export({ format: 'jwk' }).x),
      secret: () => bytesOf(privateKey.export({ format: 'jwk' }).d),
    };
  },
  secp256k1() {
    const secret = crypto.randomBytes(SECRET_BYTES);
    secp256k1.setPrivateKey(secret);
    return {
      publicKey: secp256k1.getPublicKey(null, 'compressed'),
      secret: () => secret,
    };
  },
};

/** A test of a new key under a policy: its zero bits. Null if `node:crypto` does not have the puzzle function. */
export function nativeKeyTest(scheme: SchemeName, policy: Policy): (() => number) | null {
  const evaluate = nativePuzzle(policy);
  if (evaluate === null) return null;
  const { bits, evaluations, idPrefix } = idRuleOf(policy).puzzle(policy);
  const nodeIdOf = nativeIds(policy);
  const prefix = idPrefix(policy);
  return () => {
    const nodeId = nodeIdOf(NATIVE_KEYS[scheme]().publicKey);
    if (evaluations === 0) return bits(nodeId, policy);
    return leadingZeroBits(evaluate(behind(prefix, nodeId)));
  };
}

/** The node IDs of a policy by `node:crypto`, without constant bits. */
export function nativeIds(policy: Policy): (publicKey: Uint8Array) => Uint8Array {
  const { hashes, keyPrefix } = idRuleOf(policy);
  const length = nodeIdBytesOf(policy);
  return (publicKey) => {
    let nodeId = behind(keyPrefix(publicKey.length), publicKey);
    for (let done = 0; done < hashes; done += 1) nodeId = digestOf(policy.hash, nodeId);
    return nodeId.subarray(0, length);
  };
}

/** The puzzle function of a policy. Null if this version of Node does not have it. */
export function nativePuzzle({ hash, puzzle }: Policy): ((input: Uint8Array) => Uint8Array) | null {
  if (puzzle.function === 'hash') return (input) => digestOf(hash, input);
  if (puzzle.function === 'scrypt') {
    const { logN, r, p } = puzzle;
    const options = { N: 2 ** logN, r, p, maxmem: 2 ** (logN + 8) * r };
    return (input) => crypto.scryptSync(input, SALT, OUTPUT_BYTES, options);
  }
  // Node has `argon2Sync` since version 24.7.
  if (puzzle.function !== 'argon2id' || !('argon2Sync' in crypto)) return null;
  const { passes, kib: memory, lanes: parallelism } = puzzle;
  const costs = { passes, memory, parallelism, nonce: SALT, tagLength: OUTPUT_BYTES };
  return (message) => crypto.argon2Sync('argon2id', { message, ...costs });
}

const OUTPUT_BYTES = 32;

function behind(prefix: Uint8Array, bytes: Uint8Array): Uint8Array {
  return prefix.length === 0 ? bytes : Buffer.concat([prefix, bytes]);
}

/**
 * Returns a test of the X with a number: the zero bits of the hash of its message. This message is `first`, that of X = 0, with the
 * number XORed into its last 8 bytes.
 */
export function nativeSolutionTest(first: Uint8Array): (number: number) => number {
  const message = Buffer.from(first);
  const at = message.length - 8;
  const [high, low] = [message.readUInt32BE(at), message.readUInt32BE(at + 4)];
  return (number) => {
    message.writeUInt32BE((high ^ Math.floor(number / 2 ** 32)) >>> 0, at);
    message.writeUInt32BE((low ^ (number % 2 ** 32)) >>> 0, at + 4);
    return zeroBits(digestText('sha256', message));
  };
}

function digestOf(hash: HashName, message: Uint8Array): Buffer {
  return Buffer.from(digestText(hash, message), 'latin1');
}

/** The digest as a string of bytes, which Node makes in a third of the time of a buffer. */
function digestText(hash: HashName, message: Uint8Array): string {
  return crypto.hash(hash, message, 'binary');
}

/** The zero bits at the beginning of a string of bytes. */
function zeroBits(digest: string): number {
  let index = 0;
  while (index < digest.length && digest.charCodeAt(index) === 0) index += 1;
  return 8 * index + (index < digest.length ? Math.clz32(digest.charCodeAt(index)) - 24 : 0);
}
