/**
 * @module
 * The normal quantile against values of 20 digits, Wilson's interval against published ones.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  nextLook,
  normalQuantile,
  wilsonInterval,
} from '../../../src/experiment/theory/statistics.ts';

describe('normal quantile', () => {
  // Roots of the normal distribution function, found with 40 digits and rounded to doubles.
  it.each([
    [0.0249, -1.961677869063786],
    [0.00135, -2.999976992703393],
    [0.001, -3.0902323061678136],
    [0.1, -1.2815515655446004],
    [0.25, -0.6744897501960817],
    [0.5, 0],
    [0.9, 1.2815515655446006],
    [0.975, 1.9599639845400538],
    [0.995, 2.5758293035489004],
    [0.99995, 3.890591886413121],
    [1e-20, -9.262340089798407],
    [1e-300, -37.0470962993612],
  ])('at %d is %d', (probability, quantile) => {
    const relative = normalQuantile(probability) - quantile;

    expect(Math.abs(relative)).toBeLessThanOrEqual(4e-15 * Math.max(1, Math.abs(quantile)));
  });

  it.each([0, 1, -0.1, 1.1, Number.NaN])('refuses probability %d', (probability) => {
    expect(() => normalQuantile(probability)).toThrow(RangeError);
  });
});

describe('Wilson interval', () => {
  // Newcombe 1998, Statistics in Medicine 17, table I, method 3: his four cases to four digits.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %d in %d is %d to %d at 95 percent', (wins, runs, low, high) => {
    const interval = wilsonInterval({ wins, runs, confidence: 0.95 });

    expect(interval[0]).toBeCloseTo(low, 4);
    expect(interval[1]).toBeCloseTo(high, 4);
  });

  it.each([1, 7, 100, 1_000_000_007])('is exact at the ends of %d runs', (runs) => {
    for (const confidence of [0.5, 0.95, 0.9999]) {
      expect(wilsonInterval({ wins: 0, runs, confidence })[0]).toBe(0);
      expect(wilsonInterval({ wins: runs, runs, confidence })[1]).toBe(1);
    }
  });

  it('keeps the digits of a rare event', () => {
    const [low] = wilsonInterval({ wins: 1, runs: 1_000_000_000, confidence: 0.95 });

    // For p → 0 the ends are (2w + z² ∓ z√(4w + z²))/2n.
    const z2 = normalQuantile(0.975) ** 2;
    const limit = (2 + z2 - Math.sqrt(z2 * (4 + z2))) / 2e9;
    expect(low / limit).toBeCloseTo(1, 7);
  });

  it('contains the frequency, mirrors wins and losses, and narrows with runs', () => {
    const tallies = fc.integer({ min: 1, max: 5000 }).chain((runs) =>
      fc.record({
        runs: fc.constant(runs),
        wins: fc.integer({ min: 0, max: runs }),
        confidence: fc.double({ min: 0.5, max: 0.99999, noNaN: true }),
      }),
    );

    fc.assert(
      fc.property(tallies, ({ wins, runs, confidence }) => {
        const [low, high] = wilsonInterval({ wins, runs, confidence });
        const [mirroredLow, mirroredHigh] = wilsonInterval({ wins: runs - wins, runs, confidence });
        const more = wilsonInterval({ wins: 4 * wins, runs: 4 * runs, confidence });

        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(wins / runs + 1e-15);
        expect(high).toBeGreaterThanOrEqual(wins / runs - 1e-15);
        expect(high).toBeLessThanOrEqual(1);
        expect(mirroredHigh).toBeCloseTo(1 - low, 12);
        expect(mirroredLow).toBeCloseTo(1 - high, 12);
        expect(more[1] - more[0]).toBeLessThan(high - low);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it.each([
    { wins: 0, runs: 0, confidence: 0.95 },
    { wins: 2, runs: 1, confidence: 0.95 },
    { wins: -1, runs: 1, confidence: 0.95 },
    { wins: 0.5, runs: 1, confidence: 0.95 },
    { wins: 0, runs: 1, confidence: 0 },
    { wins: 0, runs: 1, confidence: 1 },
  ])('refuses %o', (frequency) => {
    expect(() => wilsonInterval(frequency)).toThrow(RangeError);
  });
});

describe('the next look at a width', () => {
  it('is more than now, at most four times as far, and near what is needed', () => {
    const few = { wins: 30, runs: 100, confidence: 0.95 };
    const many = { wins: 9000, runs: 30_000, confidence: 0.95 };

    expect(nextLook(few, 0.01)).toBe(400);
    expect(nextLook(many, 0.01)).toBe(37_500);
    // 2·1.96·√(0.3·0.7/N) = 0.1 for N = 323.
    expect(nextLook(few, 0.1)).toBeGreaterThan(310);
    expect(nextLook(few, 0.1)).toBeLessThan(340);
    expect(nextLook({ wins: 0, runs: 100, confidence: 0.95 }, 0.5)).toBe(125);
  });
});
