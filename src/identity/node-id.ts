/**
 * @module
 * Node IDs: SHA-256 of the public key's bytes, as S/Kademlia (Baumgart and Mies 2007) derives them
 * with the hash brought up to date. An ID is compared as an unsigned big-endian integer and printed
 * as 64 lower-case hex digits. Keys of the two schemes differ in length, so their IDs never collide.
 */

import { sha256 } from '@noble/hashes/sha2.js';

/** Bytes of a node ID. */
export const NODE_ID_BYTES = 32;

/** The node ID of a public key, in whatever spelling the key is presented. */
export function nodeIdOf(publicKey: Uint8Array): Uint8Array {
  return sha256(publicKey);
}
