/**
 * @module
 * Bytes as every room spells them: lower-case hex outside, big-endian inside, leading zeros counted
 * in bits. Hex and concatenation come from @noble/hashes.
 */

export { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';

const encoder = new TextEncoder();

/** The text in UTF-8. In half the time of @noble/hashes, which makes an encoder and a copy each time. */
export function utf8ToBytes(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/**
 * The number of zero bits before the first one bit, reading big-endian; 8·length if all are zero.
 * This is how every difficulty of the lab is measured (S/Kademlia, Baumgart and Mies 2007).
 */
export function leadingZeroBits(bytes: Uint8Array): number {
  let bits = 0;
  for (const byte of bytes) {
    if (byte !== 0) return bits + Math.clz32(byte) - 24;
    bits += 8;
  }
  return bits;
}

/** Orders two byte strings of one length as unsigned big-endian integers: negative, zero, positive. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  if (left.length !== right.length) {
    throw new RangeError(`"right" expected ${left.length} bytes, got ${right.length}`);
  }
  for (const [index, byte] of left.entries()) {
    const difference = byte - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The 8 big-endian bytes of an integer in 0..2^64−1. */
export function u64be(value: number | bigint): Uint8Array {
  const integer = BigInt(value);
  if (integer < 0n || integer >= 1n << 64n) {
    throw new RangeError(`"value" expected 0..2^64-1, got ${integer}`);
  }
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, integer);
  return bytes;
}
