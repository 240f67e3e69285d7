/**
 * @module
 * Exact fractions against integers and doubles.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { complement, fraction, ONE, plus, power, times, toNumber, ZERO } from './exact/fraction.ts';

describe('a fraction', () => {
  it.each([
    [6, 4, 3n, 2n],
    [0, 7, 0n, 1n],
    [-6, 4, -3n, 2n],
    [5, 5, 1n, 1n],
  ])('%d/%d is in lowest terms', (above, below, numerator, denominator) => {
    expect(fraction(above, below)).toEqual({ numerator, denominator });
  });

  it.each([0, -1])('refuses the denominator %d', (denominator) => {
    expect(() => fraction(1, denominator)).toThrow(RangeError);
  });

  it('adds, multiplies, complements and is raised like the rationals', () => {
    const third = fraction(1, 3);

    expect(plus(third, fraction(1, 6))).toEqual(fraction(1, 2));
    expect(times(third, fraction(3, 4))).toEqual(fraction(1, 4));
    expect(complement(third)).toEqual(fraction(2, 3));
    expect(complement(ONE)).toEqual(ZERO);
    expect(power(fraction(2, 3), 3)).toEqual(fraction(8, 27));
    expect(power(ZERO, 0)).toEqual(ONE);
  });
});

describe('the double of a fraction', () => {
  it('is the quotient, to the last digit but one', () => {
    const integer = fc.maxSafeInteger();
    const positive = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

    fc.assert(
      fc.property(integer, positive, (above, below) => {
        const double = toNumber(fraction(above, below));

        expect(Math.abs(double - above / below)).toBeLessThanOrEqual(
          Math.abs(above / below) * Number.EPSILON,
        );
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('outlives terms that no double can hold', () => {
    expect(toNumber(fraction(3n ** 2000n, 3n ** 2001n))).toBeCloseTo(1 / 3, 15);
    expect(toNumber(fraction(1n, 1n << 1060n))).toBe(2 ** -1060);
    expect(toNumber(ZERO)).toBe(0);
  });
});
