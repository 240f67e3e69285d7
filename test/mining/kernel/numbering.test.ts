/**
 * @module
 * Attempt number to location and back: bijections.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  attemptsPerBatch,
  GROUP_ORDER,
  locationOf,
  pointScalar,
} from '../../../src/mining/kernel/numbering.ts';
import { attemptAt, WALKS } from './walks.ts';

test.each(WALKS)(
  '$scheme, siblings $siblings: attempt and location determine each other',
  (kind) => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), (attempt) => {
        const walk = { ...kind, startScalar: 7n };

        expect(attemptAt(walk, locationOf(walk, attempt))).toBe(attempt);
      }),
    );
  },
);

test.each(WALKS)(
  '$scheme, siblings $siblings: the points of two batches are consecutive',
  (kind) => {
    const walk = { ...kind, startScalar: 5000n };
    const keys = attemptsPerBatch(walk) / 2049;

    const scalars = Array.from({ length: 2 * 2049 }, (_, point) =>
      pointScalar(walk, locationOf(walk, BigInt(point * keys))),
    );

    scalars.sort((a, b) => Number(a - b));
    expect(scalars).toEqual(Array.from({ length: 2 * 2049 }, (_, i) => BigInt(5000 - 1024 + i)));
  },
);

test('a batch is ordered 0, +1, -1, +2, …, +1024, -1024', () => {
  const walk = { scheme: 'ed25519', siblings: true, startScalar: 0n } as const;
  const offsets = [0, 2, 4, 6, 8, 4094, 4096, 4098].map((a) => locationOf(walk, BigInt(a)));

  expect(offsets.map((location) => location.offset)).toEqual([0, 1, -1, 2, -2, 1024, -1024, 0]);
  expect(offsets.at(-1)?.batch).toBe(1n);
});

test('scalars wrap at the order', () => {
  const order = GROUP_ORDER.secp256k1;
  const walk = { scheme: 'secp256k1', siblings: true, startScalar: order - 1n } as const;

  expect(pointScalar(walk, { batch: 0n, offset: 3 })).toBe(2n);
  expect(pointScalar({ ...walk, startScalar: 1n }, { batch: 0n, offset: -3 })).toBe(order - 2n);
});

test('refuses a negative attempt', () => {
  const walk = { scheme: 'ed25519', siblings: false, startScalar: 1n } as const;

  expect(() => locationOf(walk, -1n)).toThrow('"attempt" expected 0 or more, got -1');
});
