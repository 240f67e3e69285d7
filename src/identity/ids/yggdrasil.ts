/**
 * @module
 * The Yggdrasil network's use of keys: the node ID is the raw Ed25519 public key, its strength the
 * number of leading zero bits, and the numerically smallest key is elected root of the spanning tree
 * (yggdrasil-go, src/address; ironwood, network). A live network that elects by ground keys: no hash
 * stands between the grinding and the rank.
 */

import { bytesToHex, compareBytes, leadingZeroBits } from '../../bytes.ts';

/** Bytes of an ID: those of an Ed25519 key. */
export const YGGDRASIL_ID_BYTES = 32;

const KEY_BITS = 256n;
const ADDRESS_BITS = 128n;
const PREFIX = 0x02n;

/** The strength of a key, 0..256: its leading zero bits. */
export function keyStrength(publicKey: Uint8Array): number {
  return leadingZeroBits(publicKey);
}

/**
 * The IPv6 address of a key, as RFC 5952 writes it: the byte 02, the strength as one byte, then the
 * key's complement from behind its first zero bit on, as far as 128 bits go.
 */
export function yggdrasilAddress(publicKey: Uint8Array): string {
  if (publicKey.length !== YGGDRASIL_ID_BYTES) {
    throw new RangeError(
      `"publicKey" expected ${YGGDRASIL_ID_BYTES} bytes, got ${publicKey.length}`,
    );
  }
  const strength = BigInt(keyStrength(publicKey));
  const complement = (1n << KEY_BITS) - 1n - BigInt(`0x${bytesToHex(publicKey)}`);
  const tail =
    BigInt.asUintN(256, complement << (strength + 1n)) >> (KEY_BITS - ADDRESS_BITS + 16n);
  // Upstream lets a count above 255 run over; no such key can be found.
  const head = (PREFIX << 8n) | BigInt.asUintN(8, strength);
  const digits = ((head << (ADDRESS_BITS - 16n)) | tail).toString(16).padStart(32, '0');
  const groups = digits.match(/.{4}/g) ?? [];
  // A URL's host is serialised as RFC 5952 says.
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}

/** Orders keys for the election of the root: negative where the left one is closer to it. */
export function compareForRoot(left: Uint8Array, right: Uint8Array): number {
  return compareBytes(left, right);
}
