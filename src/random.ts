/**
 * @module
 * Seeded randomness. A seed is a decimal string; every use derives its own stream from the seed and
 * a label, so that no draw in one place can shift the draws of another. The generator is
 * xoroshiro128+ of pure-rand, its 128-bit state the head of
 * SHA-256("usurp/random/v1" 0x00 ‖ seed ‖ 0x00 label …). Not for keys: those come from SHA-256
 * itself (mining/fresh.ts).
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import { bytesToHex, utf8ToBytes } from './bytes.ts';
import { LabError } from './errors.ts';

declare const seedBrand: unique symbol;
/** A parsed seed: the decimal digits of a non-negative integer below 2^256, no leading zero. */
export type Seed = string & { readonly [seedBrand]: true };

/** A stream of draws. The same seed and labels give the same stream everywhere. */
export interface Random {
  /** A uniform integer in 0..bound−1; bound at most 2^53. */
  below(bound: number): number;
  /** A uniform double in [0, 1) with 53 random bits. */
  unit(): number;
}

/** Reads a seed. Throws LabError `arguments` for any other form (`0x1`, `01`, `-1`, `1.5`, …). */
export function parseSeed(text: string): Seed {
  if (!/^(0|[1-9][0-9]{0,77})$/.test(text) || BigInt(text) >= 1n << 256n) {
    throw new LabError(
      'arguments',
      `seed ${JSON.stringify(text)} is not a decimal integer in 0..2^256-1 without leading zeros, for example 42`,
    );
  }
  return text as Seed; // It is one now.
}

/** The seed of a named part of a whole: hash(seed, labels), itself a 256-bit seed. */
export function deriveSeed(seed: Seed, ...labels: readonly (string | number)[]): Seed {
  // 256 bits are a seed, whatever they are.
  return BigInt(`0x${bytesToHex(digest(seed, labels))}`).toString() as Seed;
}

/** The stream of draws under a seed and labels. */
export function createRandom(seed: Seed, ...labels: readonly (string | number)[]): Random {
  digest(seed, labels);
  const word = (index: number) => WORDS.getInt32(4 * index);
  const random = new MovableRandom();
  random.moveTo(Int32Array.of(word(0), word(1), word(2), word(3)), 0);
  return random;
}

/** One stream after another in the same object, for many short streams. */
export class MovableRandom implements Random {
  #generator = xoroshiro128plusFromState([0, 0, 0, 1]);

  /** Begins the stream whose digest begins with the four words from this index on. */
  moveTo(words: Int32Array, at: number): void {
    const word = (index: number) => words[at + index] ?? 0;
    this.#generator = xoroshiro128plusFromState([word(0), word(1), word(2), word(3)]);
  }

  below(bound: number): number {
    return uniformInt(this.#generator, 0, bound - 1);
  }

  unit(): number {
    return uniformFloat64(this.#generator);
  }
}

/** A uniformly shuffled copy (Fisher–Yates, inside out). */
export function shuffled<T extends NonNullable<unknown>>(items: readonly T[], random: Random): T[] {
  const result: T[] = [];
  for (const [index, item] of items.entries()) {
    const target = random.below(index + 1);
    const displaced = result[target];
    if (displaced !== undefined) result[index] = displaced;
    result[target] = item;
  }
  return result;
}

const BLANK = sha256.create();
const HASH = sha256.create();
const TEXT = new Uint8Array(128);
const DIGEST = new Uint8Array(HASH.outputLen);
const WORDS = new DataView(DIGEST.buffer);

/** Valid until the next call. Many streams are short, and objects of its own would take most of the time of each. */
function digest(seed: Seed, labels: readonly (string | number)[]): Uint8Array<ArrayBuffer> {
  BLANK._cloneInto(HASH);
  HASH.update(bytesOf(labelText(seed, ...labels))).digestInto(DIGEST);
  return DIGEST;
}

/** The text in UTF-8, in the same memory for each short one in ASCII. */
function bytesOf(text: string): Uint8Array {
  if (text.length > TEXT.length) return utf8ToBytes(text);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return utf8ToBytes(text);
    TEXT[index] = code;
  }
  return TEXT.subarray(0, text.length);
}

/**
 * The text whose SHA-256 is the derived seed, and the state of the stream. Code that hashes many of them at once
 * puts in the digits of the seed or of the last label itself.
 */
export function labelText(seed: Seed | '', ...labels: readonly (string | number)[]): string {
  return ['usurp/random/v1', seed, ...labels].join('\0');
}
