/**
 * @module
 * This folder contains the visited worlds as bytes in shared memory, where several threads explore them.
 * A world as a record of bytes: its length and its words, of which small ones take one byte. Equal worlds have equal
 * records.
 */

import type { Packed } from '../layout.ts';
import { WORDS_MAX } from '../layout.ts';
import { mix } from '../pair-table.ts';

/** Words below this take one byte. */
const ONE_BYTE = 0xe0;
/** The first byte of three. The bytes between `ONE_BYTE` and this begin a word of two bytes. */
const THREE_BYTES = 0xff;
const TWO_BYTES_END = ONE_BYTE + 256 * (THREE_BYTES - ONE_BYTE);
/** The first byte of a record whose length takes two more bytes. */
const LONG = 0xff;

/** Bytes of the largest record. */
export const RECORD_MAX = 3 * WORDS_MAX + 3;

/** Writes the record of a world at `at`, where `RECORD_MAX` bytes must be free. Returns where it ends. */
export function writeRecord({ words, length }: Packed, bytes: Uint8Array, at: number): number {
  let end = at + 1;
  for (let index = 0; index < length; index += 1) {
    const word = words[index] ?? 0;
    if (word < ONE_BYTE) {
      bytes[end] = word;
      end += 1;
    } else {
      end = writeLarge(word, bytes, end);
    }
  }
  const size = end - at - 1;
  if (size < LONG) {
    bytes[at] = size;
    return end;
  }
  bytes.copyWithin(at + 3, at + 1, end);
  bytes[at] = LONG;
  bytes[at + 1] = size >>> 8;
  bytes[at + 2] = size & 0xff;
  return end + 2;
}

function writeLarge(word: number, bytes: Uint8Array, at: number): number {
  if (word < TWO_BYTES_END) {
    const rest = word - ONE_BYTE;
    bytes[at] = ONE_BYTE + (rest >>> 8);
    bytes[at + 1] = rest & 0xff;
    return at + 2;
  }
  bytes[at] = THREE_BYTES;
  bytes[at + 1] = word >>> 8;
  bytes[at + 2] = word & 0xff;
  return at + 3;
}

/** Where the record at `at` ends. */
export function recordEnd(bytes: Uint8Array, at: number): number {
  const size = bytes[at] ?? 0;
  if (size < LONG) return at + 1 + size;
  return at + 3 + ((bytes[at + 1] ?? 0) << 8) + (bytes[at + 2] ?? 0);
}

/** Reads the record at `at`. */
export function readRecord(bytes: Uint8Array, at: number, target: Packed): void {
  const { words } = target;
  const end = recordEnd(bytes, at);
  let next = at + ((bytes[at] ?? 0) < LONG ? 1 : 3);
  let length = 0;
  while (next < end) {
    const first = bytes[next] ?? 0;
    if (first < ONE_BYTE) {
      words[length] = first;
      next += 1;
    } else if (first < THREE_BYTES) {
      words[length] = ONE_BYTE + ((first - ONE_BYTE) << 8) + (bytes[next + 1] ?? 0);
      next += 2;
    } else {
      words[length] = ((bytes[next + 1] ?? 0) << 8) + (bytes[next + 2] ?? 0);
      next += 3;
    }
    length += 1;
  }
  target.length = length;
}

/** Whether two records are equal. */
export function isSameRecord(
  left: Uint8Array,
  leftAt: number,
  right: Uint8Array,
  rightAt: number,
): boolean {
  const size = recordEnd(left, leftAt) - leftAt;
  for (let index = 0; index < size; index += 1) {
    if (left[leftAt + index] !== right[rightAt + index]) return false;
  }
  return true;
}

/** The hash of a world: an integer of 32 bits with a sign. */
export function hashOf({ words, length }: Packed): number {
  let hash = length;
  for (let index = 0; index < length; index += 1) {
    hash = Math.imul(hash ^ (words[index] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return mix(hash);
}
