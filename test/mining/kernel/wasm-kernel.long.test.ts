/**
 * @module
 * The WASM kernel against its twin: the same candidates, and no hit lost anywhere. `KERNEL_CURSORS`,
 * `KERNEL_CONSECUTIVE_LOG2`, `KERNEL_START_BATCHES` and `KERNEL_ATTEMPTS_LOG2` make the suite larger.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Walk } from '../../../src/mining/kernel/numbering.ts';
import { attemptsPerBatch, GROUP_ORDER } from '../../../src/mining/kernel/numbering.ts';
import { batchKeys, candidateOf } from '../../../src/mining/kernel/twin.ts';
import type { KernelOptions } from '../../../src/mining/kernel/wasm-kernel.ts';
import { loadKernel, passes } from '../../../src/mining/kernel/wasm-kernel.ts';
import { pseudorandom, WALKS } from './walks.ts';
import { KERNEL_BYTES } from './wasm.ts';

function createKernel(bytes: Uint8Array, kernelOptions: KernelOptions) {
  return loadKernel(bytes, kernelOptions.scheme).open(kernelOptions);
}

const CURSORS = Number(process.env.KERNEL_CURSORS ?? 120);
const CONSECUTIVE = 2 ** Number(process.env.KERNEL_CONSECUTIVE_LOG2 ?? 12);
const START_BATCHES = Number(process.env.KERNEL_START_BATCHES ?? 2);
const ATTEMPTS = 2 ** Number(process.env.KERNEL_ATTEMPTS_LOG2 ?? 17);

describe.each(WALKS)('$scheme, siblings $siblings', (kind) => {
  const loaded = loadKernel(KERNEL_BYTES, kind.scheme);
  const size = attemptsPerBatch(kind);
  const order = GROUP_ORDER[kind.scheme];

  test(`tests the twin's candidate at ${CURSORS} random cursors, batch edges forced`, () => {
    for (let i = 0; i < CURSORS; i++) {
      const startScalar = pseudorandom(`start ${i}`, 256) % order;
      const attempt = cursor(i, size);
      const head = nodeIdHead({ ...kind, startScalar }, attempt);
      const options = { ...kind, startScalar, c1: 0 };

      const hit = loaded.open({ ...options, window: { low: head, high: head } }).scan(attempt, 1);

      expect(hit, `cursor ${i}: attempt ${attempt}`).toEqual([attempt]);
      if (i % 20 === 0) {
        const other = { low: (head + 1) % 2 ** 32, high: (head + 1) % 2 ** 32 };
        expect(loaded.open({ ...options, window: other }).scan(attempt, 1)).toEqual([]);
      }
    }
  });

  test('loses no candidate among consecutive attempts, at several offsets and batch borders', () => {
    const options = { ...kind, startScalar: pseudorandom('consecutive', 252), c1: 6 };
    const kernel = loaded.open(options);
    for (const from of [0n, 1n, BigInt(size - 1), BigInt(5 * size + 77), 2n ** 45n + 12345n]) {
      const hits = kernel.scan(from, CONSECUTIVE);

      expect(hits, `from ${from}`).toEqual(expectedHits(options, from, CONSECUTIVE));
    }
  });

  test('finds every range of attempts exactly, whatever the cut', () => {
    const kernel = loaded.open({ ...kind, startScalar: 1234567n, c1: 3 });
    const all = kernel.scan(0, 3 * size);
    fc.assert(
      fc.property(fc.nat(3 * size), fc.nat(3 * size), (a, b) => {
        const [from, to] = a < b ? [a, b] : [b, a];

        expect(kernel.scan(from, to - from)).toEqual(all.filter((hit) => hit >= from && hit < to));
      }),
      { numRuns: 30 },
    );
  });

  test(`finds ${ATTEMPTS} · 2^-8 hits within 4 sigma`, () => {
    const kernel = loaded.open({ ...kind, startScalar: pseudorandom('binomial', 252), c1: 8 });

    const hits = kernel.scan(0, ATTEMPTS).length;

    const mean = ATTEMPTS / 256;
    expect(Math.abs(hits - mean)).toBeLessThan(4 * Math.sqrt(mean * (1 - 1 / 256)));
  });

  test('reports every attempt where everything is a hit', () => {
    const kernel = loaded.open({ ...kind, startScalar: 99999n, c1: 0 });

    const hits = kernel.scan(10, 6 * size);

    expect(hits).toEqual(Array.from({ length: 6 * size }, (_, i) => BigInt(10 + i)));
  });

  /** The zeros of a start lie in its first two batches, unless it says in how many. */
  const starts: [name: string, start: bigint, batches?: number][] = [
    ['0', 0n],
    ['1', 1n],
    ['2', 2n],
    ['1024', 1024n],
    ['1025', 1025n],
    ['2049, the step', 2049n],
    ['2 steps', 4098n],
    ['order - 1', order - 1n],
    ['order - 1024', order - 1024n],
    ['order - 2049, the step before zero', order - 2049n],
    ['order - 2050', order - 2050n],
    ['two steps before 517', order - 4098n + 517n, 3],
    ['half the order', (order + 1n) / 2n],
  ];
  test.each(starts)(
    'loses no candidate around the zeros of a start at %s',
    (_name, startScalar, batches = 2) => {
      const options = { ...kind, startScalar, c1: 4 };
      const count = Math.max(batches, START_BATCHES) * size;

      const hits = loaded.open(options).scan(0, count);

      expect(hits).toEqual(expectedHits(options, 0n, count));
      expect(hits.length).toBeGreaterThan(0);
    },
  );

  test('two walks share a kernel and take turns', () => {
    const one = { ...kind, startScalar: 10n ** 20n, c1: 5 };
    const two = { ...kind, startScalar: 10n ** 30n, c1: 7, window: { low: 0, high: 2 ** 31 } };
    const kernels = [loaded.open(one), loaded.open(two)] as const;

    const first = kernels[0].scan(0, size);
    const second = kernels[1].scan(0, 2 * size);
    const third = kernels[0].scan(size, size);

    expect([...first, ...third]).toEqual(expectedHits(one, 0n, 2 * size));
    expect(second).toEqual(expectedHits(two, 0n, 2 * size));
  });
});

test.each(WALKS)(
  '$scheme, siblings $siblings: a window that wraps reports exactly the IDs outside',
  (kind) => {
    const walk = { ...kind, startScalar: pseudorandom('wrapping', 252), c1: 2 };
    const kernel = loadKernel(KERNEL_BYTES, kind.scheme);
    const [low, high] = [0xe0000000, 0x1fffffff];
    const count = 2 * attemptsPerBatch(kind);

    const outside = kernel.open({ ...walk, window: { low, high } }).scan(0, count);

    const inside = kernel.open({ ...walk, window: { low: high + 1, high: low - 1 } });
    const all = kernel.open(walk).scan(0, count);
    const isInside = new Set(inside.scan(0, count));
    expect(outside).toEqual(all.filter((attempt) => !isInside.has(attempt)));
    expect(outside).toEqual(expectedHits({ ...walk, window: { low, high } }, 0n, count));
    expect(Math.min(outside.length, isInside.size)).toBeGreaterThan(0);
  },
);

test('a window that wraps by one leaves out no ID', () => {
  const window = { low: 0x80000000, high: 0x7fffffff };

  const hits = createKernel(KERNEL_BYTES, options({ c1: 0, window })).scan(0, 100);

  expect(hits).toHaveLength(100);
});

test('an empty range has no hits', () => {
  const kernel = createKernel(KERNEL_BYTES, options({}));

  expect(kernel.scan(123, 0)).toEqual([]);
});

test('a difficulty that no short walk meets has no hits', () => {
  for (const c1 of [40, 64, 65, 256]) {
    expect(createKernel(KERNEL_BYTES, options({ c1 })).scan(0, 2 ** 18)).toEqual([]);
  }
});

test.each([
  [{ c1: -1 }, '"c1" expected 0..256, got -1'],
  [{ c1: 257 }, '"c1" expected 0..256, got 257'],
  [{ c1: 1.5 }, '"c1" expected 0..256, got 1.5'],
  [{ startScalar: -1n }, '"startScalar" expected 0..order - 1, got -1'],
  [{ startScalar: GROUP_ORDER.ed25519 }, '"startScalar" expected 0..order - 1'],
  [{ window: { low: -1, high: 1 } }, '"window" expected 32-bit bounds'],
  [{ window: { low: 0, high: 0.5 } }, '"window" expected 32-bit bounds'],
  [{ window: { low: 0, high: 2 ** 32 } }, '"window" expected 32-bit bounds'],
])('refuses the options %o', (wrong, message) => {
  expect(() => createKernel(KERNEL_BYTES, options(wrong))).toThrow(message);
});

test('refuses a negative or fractional range', () => {
  const kernel = createKernel(KERNEL_BYTES, options({}));

  expect(() => kernel.scan(-1n, 5)).toThrow('"from" expected 0 or more, got -1');
  expect(() => kernel.scan(0, 1.5)).toThrow('"count" expected a non-negative integer, got 1.5');
});

test('refuses bytes that are not WebAssembly, and other WebAssembly', () => {
  const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

  expect(() => createKernel(KERNEL_BYTES.slice(0, 1000), options({}))).toThrow(
    WebAssembly.CompileError,
  );
  expect(() => createKernel(empty, options({}))).toThrow(
    'mining kernel: expected one for 1024 pairs',
  );
});

test('takes less than 4 MB of memory', () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(KERNEL_BYTES));

  expect((exports.memory as WebAssembly.Memory).buffer.byteLength).toBeLessThan(2 ** 22);
});

function options(changes: Partial<KernelOptions>): KernelOptions {
  return { scheme: 'ed25519', siblings: true, startScalar: 1000n, c1: 8, ...changes };
}

/** Mostly anywhere below 2^40; every fourth at a batch's first, second, last or second to last. */
function cursor(i: number, size: number): bigint {
  const anywhere = pseudorandom(`cursor ${i}`, 40);
  if (i % 4 !== 0) return anywhere;
  const edge = [0, 1, size - 1, size - 2][(i >> 2) % 4] ?? 0;
  return (anywhere / BigInt(size)) * BigInt(size) + BigInt(edge);
}

function nodeIdHead(walk: Walk, attempt: bigint): number {
  const candidate = candidateOf(walk, attempt);
  if (candidate === null) throw new Error('the identity has no node ID');
  return new DataView(sha256(candidate.publicKey).buffer).getUint32(0);
}

function expectedHits(options: KernelOptions, from: bigint, count: number): bigint[] {
  const size = BigInt(attemptsPerBatch(options));
  const end = from + BigInt(count);
  const hits: bigint[] = [];
  for (let batch = from / size; batch * size < end; batch++) {
    let attempt = batch * size;
    for (const key of batchKeys(options, batch)) {
      if (attempt >= from && attempt < end && key !== null && passes(options, key))
        hits.push(attempt);
      attempt++;
    }
  }
  return hits;
}
