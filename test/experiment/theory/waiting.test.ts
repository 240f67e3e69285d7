/**
 * @module
 * How long honest nodes wait, against sums of the geometric law.
 */

import { describe, expect, it } from 'vitest';

import { affordableBits, slowestQuantile } from '../../../src/experiment/theory/waiting.ts';
import { attemptQuantile } from '../../../src/mining/odds.ts';

describe('the slowest of n nodes', () => {
  it('is done by the first attempt at which all are with that probability', () => {
    for (const bits of [1, 4, 9]) {
      for (const nodes of [1, 2, 16, 1000]) {
        for (const quantile of [0.05, 0.5, 0.95, 0.999]) {
          const probability = 2 ** -bits;
          let attempts = 1;
          const allDone = () => (1 - (1 - probability) ** attempts) ** nodes;
          // A hair of slack for quantiles that fall on an attempt exactly.
          while (allDone() < quantile - 1e-12) attempts += 1;

          expect(slowestQuantile(probability, { nodes, quantile })).toBe(attempts);
        }
      }
    }
  });

  it('is that one node where there is one, and needs one attempt where all are valid', () => {
    expect(slowestQuantile(2 ** -8, { nodes: 1, quantile: 0.9 })).toBe(589);
    expect(attemptQuantile(2 ** -8, 0.99)).toBe(1177);
    expect(slowestQuantile(1, { nodes: 64, quantile: 0.99 })).toBe(1);
  });

  it('keeps its digits for a million nodes', () => {
    const attempts = slowestQuantile(2 ** -40, { nodes: 1e6, quantile: 0.95 });

    expect(attempts / 2 ** 40).toBeCloseTo(Math.log(1e6 / -Math.log(0.95)), 5);
  });
});

describe('the attempts of one node', () => {
  it.each([1, 4, 8])('deviate by √(1−p)/p at %d bits', (bits) => {
    const probability = 2 ** -bits;
    let square = 0;
    for (let attempt = 1; attempt < 20_000; attempt += 1) {
      square += attempt ** 2 * probability * (1 - probability) ** (attempt - 1);
    }

    expect(Math.sqrt(1 - probability) / probability).toBeCloseTo(Math.sqrt(square - 4 ** bits), 6);
  });
});

describe('bearable bits', () => {
  it('are the most that keep the quantile within the attempts', () => {
    for (const nodes of [1, 16]) {
      for (const attempts of [40, 1000, 123_456]) {
        const waiting = { nodes, quantile: 0.95 };

        const bits = affordableBits(attempts, waiting);

        expect(slowestQuantile(2 ** -(bits - 1e-9), waiting)).toBeLessThanOrEqual(attempts);
        expect(slowestQuantile(2 ** -(bits + 0.05), waiting)).toBeGreaterThan(attempts);
      }
    }
  });

  it('are none for less than an attempt, and 0 only where one attempt may be enough', () => {
    expect(affordableBits(0.9, { nodes: 1, quantile: 0.5 })).toBe(Number.NEGATIVE_INFINITY);
    expect(affordableBits(1, { nodes: 1, quantile: 0.5 })).toBeCloseTo(1, 12);
    expect(affordableBits(1, { nodes: 1, quantile: 0.95 })).toBeLessThan(0.1);
  });
});
