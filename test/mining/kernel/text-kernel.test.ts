/**
 * @module
 * The kernel for texts against noble and BigInt: numbers, texts of every length around the ends of blocks, and
 * digests that become numbers.
 */

import { readFileSync } from 'node:fs';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { bytesToHex, utf8ToBytes } from '../../../src/bytes.ts';
import { loadTextKernel, TEXTS_MAX } from '../../../src/mining/kernel/text-kernel.ts';

const BYTES = new Uint8Array(readFileSync(new URL('../../../build/texts.wasm', import.meta.url)));
const texts = loadTextKernel(BYTES);

function digestOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

describe('the text kernel', () => {
  it.each([
    [0, 5],
    [8, 3],
    [99_998, 4],
    [2 ** 32 - 2, 5],
    [2 ** 53 - 3, 3],
  ])('writes the numbers from %d', (from, count) => {
    texts.count(from, count);

    expect(texts.decimals()).toEqual(
      Array.from({ length: count }, (_, index) => String(BigInt(from) + BigInt(index))),
    );
  });

  it('hashes texts of every length up to five blocks', () => {
    for (let length = 0; length <= 300; length += 1) {
      const [before, after] = ['b'.repeat(Math.floor(length / 2)), 'é'.repeat(length % 7)];
      texts.count(7, 6);
      texts.hash(before, after);

      const expected = [7, 8, 9, 10, 11, 12].map((number) => digestOf(before + number + after));
      expect(texts.hexes()).toEqual(expected);
    }
  });

  it('hashes digests as numbers, whose lengths differ', () => {
    texts.count(0, TEXTS_MAX);
    texts.hash('a', '');
    const first = texts.hexes();
    texts.chain();
    const numbers = texts.decimals();
    texts.hash('p'.repeat(34), 'q'.repeat(8));

    expect(numbers).toEqual(first.map((hex) => BigInt(`0x${hex}`).toString()));
    expect(new Set(numbers.map((text) => text.length)).size).toBeGreaterThan(3);
    const expected = numbers.map((text) => digestOf('p'.repeat(34) + text + 'q'.repeat(8)));
    expect(texts.hexes()).toEqual(expected);
  });

  it('gives the words of the digests', () => {
    texts.count(3, 2);
    texts.hash('', '');

    const words = Array.from(texts.words(), (word) => (word >>> 0).toString(16).padStart(8, '0'));
    expect(words.join('')).toBe(digestOf('3') + digestOf('4'));
  });

  it.each([
    [-1, 1],
    [0.5, 1],
    [2 ** 53, 1],
    [2 ** 53 - 2, 3],
    [0, TEXTS_MAX + 1],
  ])('refuses the numbers from %d, %d of them', (from, count) => {
    expect(() => texts.count(from, count)).toThrow(RangeError);
  });

  it('refuses a text around the numbers that is too long', () => {
    texts.count(0, 1);
    texts.hash('x'.repeat(1024), 'y'.repeat(1024));

    expect(texts.hexes()).toEqual([digestOf(`${'x'.repeat(1024)}0${'y'.repeat(1024)}`)]);
    expect(() => texts.hash('x'.repeat(1025), '')).toThrow(RangeError);
    expect(() => texts.hash('', 'é'.repeat(513))).toThrow(RangeError);
  });

  it('refuses another module, and one that computes another hash', () => {
    const other = readFileSync(new URL('../../../build/solutions.wasm', import.meta.url));
    expect(() => loadTextKernel(new Uint8Array(other))).toThrow(TypeError);
    const constant = Uint8Array.of(0x98, 0x2f, 0x8a, 0x42);
    const at = Buffer.from(BYTES).indexOf(constant);
    expect(at).toBeGreaterThan(0);
    const changed = BYTES.slice();
    changed[at] = 0x99;
    expect(() => loadTextKernel(changed)).toThrow('wrong hash');
  });
});
