/**
 * @module
 * The test for the subgroup of prime order, held against multiplication by the order. Environment:
 * PRIME_ORDER_POINTS, number of points, each with its eight siblings.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { describe, expect, it } from 'vitest';

import { isOfPrimeOrder } from '../../../src/identity/keys/ed25519.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { torsionPoints } from '../forged-claims.ts';
import { randomScalar } from './odd-signatures.ts';

const POINTS = Number(process.env.PRIME_ORDER_POINTS ?? 30);
const { Point } = ed25519;
const TORSION = torsionPoints();

describe('the subgroup of prime order', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'contains of the eight torsion points the identity: %i',
    (index) => {
      const point = TORSION[index] ?? Point.ZERO;

      expect(isOfPrimeOrder(point)).toBe(index === 0);
      expect(point.isTorsionFree()).toBe(index === 0);
    },
  );

  it(`contains one of the siblings of ${POINTS} drawn points`, () => {
    const random = createRandom(parseSeed('1'), 'prime-order');
    for (let count = 0; count < POINTS; count += 1) {
      const base = Point.BASE.multiplyUnsafe(randomScalar(random));

      const answers = TORSION.map((torsion) => isOfPrimeOrder(base.add(torsion)));

      expect(answers).toEqual(TORSION.map((_, index) => index === 0));
    }
  });

  it(`agrees with a multiplication on ${POINTS} points of drawn encodings`, () => {
    const random = createRandom(parseSeed('2'), 'prime-order');
    for (let count = 0; count < POINTS; ) {
      const encoding = Uint8Array.from({ length: 32 }, () => random.below(256));
      encoding[31] = (encoding[31] ?? 0) & 0x7f;
      const point = decoded(encoding);
      if (point === null) continue;
      count += 1;

      expect(isOfPrimeOrder(point)).toBe(point.isTorsionFree());
    }
  });

  it('has the same members in projective coordinates', () => {
    const doubled = Point.BASE.double().add(Point.BASE);

    expect(doubled.Z).not.toBe(1n);
    expect(isOfPrimeOrder(doubled)).toBe(true);
    expect(isOfPrimeOrder(doubled.add(TORSION[4] ?? Point.ZERO))).toBe(false);
  });
});

function decoded(encoding: Uint8Array) {
  try {
    return Point.fromBytes(encoding, false);
  } catch {
    return null;
  }
}
