/**
 * @module
 * `node:crypto` by noble and the browser. It makes and reads no keys in files: what verifies with OpenSSL uses noble then.
 */

import { Buffer } from 'node:buffer';

import { ed25519 } from '@noble/curves/ed25519.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';

const HASHES = { sha1, sha256, sha512 } as const;

type Encoding = 'hex' | 'base64' | 'base64url';
type Bytes = Uint8Array<ArrayBuffer>;

/** A digest of several parts. */
export function createHash(name: keyof typeof HASHES) {
  const state = HASHES[name].create();
  const made = {
    update(data: string | Uint8Array) {
      state.update(bytesOf(data));
      return made;
    },
    digest(encoding?: Encoding): string | Buffer {
      const bytes = Buffer.from(state.digest());
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },
  };
  return made;
}

/** The digest of one value. */
export function hash(
  name: keyof typeof HASHES,
  data: string | Uint8Array,
  encoding: Encoding | 'buffer' = 'hex',
) {
  return createHash(name)
    .update(data)
    .digest(encoding === 'buffer' ? undefined : encoding);
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}

export function randomBytes(length: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(length)));
}

/** An integer from `from` to below `to`. */
export function randomInt(from: number, to: number): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return from + Math.floor((drawn / 2 ** 32) * (to - from));
}

/** A random UUID of version 4 (RFC 9562, section 5.4). The function of the browser works on encrypted pages only. */
export function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

const SEED_BYTES = 32;

/** The key of an Ed25519 seed, which ends its PrivateKeyInfo (RFC 8410, section 7). */
export function createPrivateKey({ key }: { readonly key: Uint8Array }): { readonly seed: Bytes } {
  return { seed: Uint8Array.from(key.subarray(-SEED_BYTES)) };
}

/** The public key of an Ed25519 seed. Throws if the key is not one: then noble verifies. */
export function createPublicKey(key: { readonly seed?: Bytes }) {
  const { seed } = key;
  if (seed === undefined) throw new TypeError('this browser reads no keys in files');
  const HEAD = Buffer.from('302a300506032b6570032100', 'hex');
  return { export: () => Buffer.concat([HEAD, ed25519.getPublicKey(seed)]) };
}

export function sign(_: null, message: Uint8Array, { seed }: { readonly seed: Bytes }): Uint8Array {
  return ed25519.sign(message, seed);
}
