/**
 * @module
 * The solution kernel against noble and node:crypto: no solution lost at any edge of a range or of
 * a 32-bit word. `KERNEL_ATTEMPTS_LOG2` makes the suite larger.
 */

import { createHash } from 'node:crypto';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { bytesToHex, hexToBytes, leadingZeroBits, u64be } from '../../../src/bytes.ts';
import { challengeOf, dynamicBits } from '../../../src/identity/puzzles/puzzle.ts';
import type { SolutionSearch } from '../../../src/mining/kernel/solution-kernel.ts';
import { loadSolutionKernel } from '../../../src/mining/kernel/solution-kernel.ts';
import { KERNEL_BYTES, SOLUTIONS_BYTES } from './wasm.ts';

const ATTEMPTS = 2 ** Number(process.env.KERNEL_ATTEMPTS_LOG2 ?? 18);
const CONSECUTIVE = 2 ** 16;
const FORMS = ['concat', 'xor'] as const;
const MOST = Number.MAX_SAFE_INTEGER;

/** The node ID of the key of RFC 8032 section 7.1, test 1. */
const NODE_ID = hexToBytes('21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9');
const CHALLENGE = challengeOf({ epoch: 0, context: 'usurp' });
const kernel = loadSolutionKernel(SOLUTIONS_BYTES);

interface SolutionExports {
  readonly memory: WebAssembly.Memory;
  parameters(): number;
  begin(): void;
  prepare(counterWord: number): void;
  search(low: number, count: number, enough: number): number;
}

describe.each(FORMS)('%s', (form) => {
  const searchOf = (c2: number): SolutionSearch => ({
    form,
    challenge: CHALLENGE,
    nodeId: NODE_ID,
    c2,
  });

  test('finds what noble finds, whatever the count, where either word of X ends', () => {
    for (const start of [0, 1, 2 ** 31 - 5, 2 ** 32 - 20, 3 * 2 ** 32 - 20, MOST - 45]) {
      const all = hitsByNoble(searchOf(1), { from: start, count: 46 });
      for (const count of [0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40]) {
        for (const from of [start, start + 1, start + 3, start + 6]) {
          const hits = kernel.scan(searchOf(1), { from, count });

          const expected = all.filter((hit) => hit >= from && hit < from + count);
          expect(hits, `${count} from ${from}`).toEqual(expected);
        }
      }
      expect(all.length, `from ${start}`).toBeGreaterThan(5);
    }
  });

  test('finds the same for any node and challenge', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, bytes, fc.nat(MOST - 64), (challenge, nodeId, from) => {
        const search = { form, challenge, nodeId, c2: 2 };

        const hits = kernel.scan(search, { from, count: 64 });

        expect(hits).toEqual(hitsByNoble(search, { from, count: 64 }));
      }),
      { seed: 3, numRuns: 100 },
    );
  });

  test('finds every hit of 2^16 consecutive X that node:crypto finds', () => {
    for (const from of [0, 2 ** 32 - 2 ** 15]) {
      const bits = Array.from({ length: CONSECUTIVE }, (_, index) =>
        bitsByNode(searchOf(0), from + index),
      );
      for (const c2 of [4, 5, 6, 7, 8]) {
        const hits = kernel.scan(searchOf(c2), { from, count: CONSECUTIVE });

        const expected = bits.flatMap((each, index) => (each >= c2 ? [from + index] : []));
        expect(hits, `${c2} bits from ${from}`).toEqual(expected);
      }
    }
  });

  test(`finds ${ATTEMPTS} · 2^-8 hits within 4 sigma`, () => {
    const hits = kernel.scan(searchOf(8), { from: 0, count: ATTEMPTS }).length;

    const mean = ATTEMPTS / 256;
    expect(Math.abs(hits - mean)).toBeLessThan(4 * Math.sqrt(mean * (1 - 1 / 256)));
  });

  test('reports every X where everything is a hit, though the list is full many times', () => {
    const from = 2 ** 32 - 30_001;

    const hits = kernel.scan(searchOf(0), { from, count: 50_003 });

    expect(hits).toEqual(Array.from({ length: 50_003 }, (_, index) => from + index));
  });

  test('no range has a hit of more bits than its best', () => {
    const range = { from: 0, count: 2 ** 18 };
    for (const c2 of [32, 33, 64, 65, 256]) {
      expect(kernel.scan(searchOf(c2), range), `${c2} bits`).toEqual([]);
    }
  });

  test('searches take turns', () => {
    const other = { form: 'concat', challenge: NODE_ID, nodeId: CHALLENGE, c2: 3 } as const;
    const range = { from: 0, count: 500 };
    const alone = kernel.scan(searchOf(6), range);

    const between = kernel.scan(other, range);
    const again = kernel.scan(searchOf(6), range);

    expect(again).toEqual(alone);
    expect(between).toEqual(hitsByNoble(other, range));
  });

  test.each([
    [{ c2: -1 }, '"c2" expected 0..256, got -1'],
    [{ c2: 257 }, '"c2" expected 0..256, got 257'],
    [{ c2: 1.5 }, '"c2" expected 0..256, got 1.5'],
    [{ nodeId: NODE_ID.slice(1) }, '"nodeId" expected 32 bytes, got 31'],
    [{ challenge: new Uint8Array(33) }, '"challenge" expected 32 bytes, got 33'],
  ])('refuses the search %o', (wrong, message) => {
    expect(() => kernel.scan({ ...searchOf(8), ...wrong }, { from: 0, count: 1 })).toThrow(message);
  });
});

test.each([
  ['concat', 8, '0000000000000163'],
  ['concat', 12, '0000000000000aa1'],
  ['concat', 14, '0000000000000e3d'],
  ['xor', 8, '00000000000000e9'],
  ['xor', 12, '0000000000000452'],
  ['xor', 13, '0000000000002741'],
] as const)('the first X in the %s form with %d bits is the published one', (form, c2, hex) => {
  const search = { form, challenge: CHALLENGE, nodeId: NODE_ID, c2 };

  const [first = -1] = kernel.scan(search, { from: 0, count: 20_000 });

  expect(bytesToHex(u64be(first))).toBe(hex);
});

test('the kernel compares 64 bits, the second word only where the first is at its limit', () => {
  // No test can wait for a hash of more than 32 zero bits, so the limit is that of a known hash.
  const hash = createHash('sha256').update(NODE_ID).digest().readBigUInt64BE(0);
  const isHit = (limit: bigint) => hitsBelow(limit) === 1;

  expect([hash - 1n, hash, hash + 1n].map(isHit)).toEqual([false, true, true]);
  expect([hash - 2n ** 32n, hash + 2n ** 32n].map(isHit)).toEqual([false, true]);
});

test.each([
  [-1, 5, '"from" expected an integer in 0..2^53-1, got -1'],
  [0.5, 5, '"from" expected an integer in 0..2^53-1, got 0.5'],
  [0, -1, '"count" expected an integer in 0..2^53-1, got -1'],
  [MOST, 2, '"count" expected numbers below 2^53'],
])('refuses the range from %d with %d numbers', (from, count, message) => {
  const search = { form: 'xor', challenge: CHALLENGE, nodeId: NODE_ID, c2: 8 } as const;

  expect(() => kernel.scan(search, { from, count })).toThrow(message);
  expect(() => kernel.scan(search, { from, count })).toThrow(message);
});

describe('refuses', () => {
  test('bytes that are not WebAssembly', () => {
    expect(() => loadSolutionKernel(SOLUTIONS_BYTES.slice(0, 1000))).toThrow(
      WebAssembly.CompileError,
    );
  });

  test.each([
    ['an empty module', Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)],
    ['the kernel of the key search', KERNEL_BYTES],
  ])('%s', (_name, bytes) => {
    expect(() => loadSolutionKernel(bytes)).toThrow('solution kernel: expected one of 8 lanes');
  });

  test('a file with one wrong bit in a constant of the hash', () => {
    const bytes = SOLUTIONS_BYTES.slice();
    // The first round constant, 0x428a2f98, as the data segment has it.
    const at = Buffer.from(bytes).indexOf(Uint8Array.of(0x98, 0x2f, 0x8a, 0x42));
    bytes[at] = 0x99;

    expect(() => loadSolutionKernel(bytes)).toThrow('solution kernel: wrong concat hash');
    expect(at).toBeGreaterThan(0);
  });
});

/** Hits among X = 0 alone in the xor form, whose hash is SHA-256(NODE_ID), by the bare exports. */
function hitsBelow(limit: bigint): number {
  const { memory, parameters, begin, prepare, search } = new WebAssembly.Instance(
    new WebAssembly.Module(SOLUTIONS_BYTES),
  ).exports as unknown as SolutionExports;
  const view = new DataView(memory.buffer, parameters());
  const block = new DataView(new Uint8Array([...NODE_ID, 0x80, ...Array(31).fill(0)]).buffer);
  begin();
  for (let at = 0; at < 64; at += 4) view.setUint32(at, at < 60 ? block.getUint32(at) : 256, true);
  view.setUint32(64, Number(limit >> 32n), true);
  view.setUint32(68, Number(limit & 0xffffffffn), true);
  prepare(7);
  search(0, 1, 10);
  return view.getUint32(72, true);
}

function hitsByNoble(
  search: SolutionSearch,
  { from, count }: { readonly from: number; readonly count: number },
): number[] {
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  return numbers.filter(
    (number) => dynamicBits({ ...search, solution: solutionOf(search, number) }) >= search.c2,
  );
}

function bitsByNode(search: SolutionSearch, number: number): number {
  const { form, challenge, nodeId } = search;
  const solution = solutionOf(search, number);
  const parts =
    form === 'concat'
      ? [challenge, nodeId, solution]
      : [solution.map((byte, index) => byte ^ (nodeId[index] ?? 0))];
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return leadingZeroBits(hash.digest());
}

function solutionOf({ form }: SolutionSearch, number: number): Uint8Array {
  const solution = new Uint8Array(form === 'concat' ? 8 : 32);
  solution.set(u64be(number), solution.length - 8);
  return solution;
}
