/**
 * @module
 * Gains in bits and spreads of work against tables, sums and the law of many drawn puzzles.
 */

import { describe, expect, it } from 'vitest';
import { safeDifficultyBits, topProbability } from '../../../src/experiment/theory/closed-forms.ts';
import { saltBits, speedUpBits } from '../../../src/experiment/theory/waiting.ts';
import { attemptOdds } from '../../../src/mining/odds.ts';
import { relatedKeysBits, slowestWork, workDeviation } from './exact/advantage.ts';

describe('a speed-up', () => {
  // 15: what mkp224o says its batches gain over its default.
  it.each([
    [2, 1],
    [3, 1.585],
    [6, 2.585],
    [8, 3],
    [10, 3.322],
    [15, 3.907],
    [16, 4],
    [64, 6],
    [256, 8],
    [1000, 9.966],
  ])('of %d is worth %d bits', (ratio, bits) => {
    expect(speedUpBits(ratio)).toBeCloseTo(bits, 3);
  });

  it('is what the difficulty must rise by to hold the adversary where it was', () => {
    const network = { honest: 16, attempts: 2 ** 20 };

    const faster = safeDifficultyBits({ honest: 16, attempts: 6 * 2 ** 20 }, 0.1);

    expect(faster - safeDifficultyBits(network, 0.1)).toBeCloseTo(speedUpBits(6), 12);
    const slow = topProbability({ ...network, difficultyBits: 16 });
    const fast = topProbability({ honest: 16, attempts: 2 ** 23, difficultyBits: 19 });
    expect(fast / slow).toBeCloseTo(1, 4);
  });

  it.each([0, -1, Number.NaN])('refuses the ratio %d', (ratio) => {
    expect(() => speedUpBits(ratio)).toThrow(RangeError);
  });
});

describe('related keys', () => {
  it.each([
    [2, [0.415, 0.874, 0.986]],
    [6, [0.778, 2.044, 2.515]],
    [8, [0.83, 2.29, 2.903]],
    [16, [0.913, 2.759, 3.8]],
  ])('%d per operation gain the expected bits at a cost of 1, 10, 100 hashes', (keys, expected) => {
    const bits = [1, 10, 100].map((operationCost) =>
      relatedKeysBits({ perOperation: keys, operationCost, hashCost: 1 }).toFixed(3),
    );

    expect(bits).toEqual(expected.map((value) => value.toFixed(3)));
  });

  it.each([1, 10, 100])('never gain more than log2(1 + E/h), E = %d', (operationCost) => {
    const limit = Math.log2(1 + operationCost);

    const bits = relatedKeysBits({ perOperation: 2 ** 40, operationCost, hashCost: 1 });

    expect(bits).toBeLessThan(limit);
    expect(bits).toBeCloseTo(limit, 9);
  });
});

describe('a beacon in puzzle and rank', () => {
  it('takes off the doublings between preparation and window', () => {
    const adversary = {
      keysPerSecond: 1000,
      preparationSeconds: 3600,
      hashesPerSecond: 1000,
      windowSeconds: 60,
    };

    expect(saltBits(adversary)).toBeCloseTo(Math.log2(60), 12);
    expect(saltBits({ ...adversary, hashesPerSecond: 60_000 })).toBeCloseTo(0, 12);
    expect(saltBits({ ...adversary, hashesPerSecond: 120_000 })).toBeCloseTo(-1, 12);
  });
});

describe('a puzzle in parts', () => {
  it.each([
    [1, '1.0000'],
    [4, '0.5000'],
    [16, '0.2500'],
    [64, '0.1249'],
    [256, '0.0624'],
  ])('of %d has the relative deviation %s at 16 bits', (parts, expected) => {
    expect(workDeviation({ difficultyBits: 16, parts }).toFixed(4)).toBe(expected);
  });

  it('of one is geometric: a deviation of √(1−p)/p', () => {
    const p = 2 ** -4;

    const deviation = workDeviation({ difficultyBits: 4, parts: 1 }) * attemptOdds(p).expected;

    // Σ t² p(1−p)^(t−1) − 1/p², summed.
    let square = 0;
    for (let attempt = 1; attempt < 2000; attempt += 1) {
      square += attempt ** 2 * p * (1 - p) ** (attempt - 1);
    }
    expect(deviation).toBeCloseTo(Math.sqrt(square - 1 / p ** 2), 9);
  });

  it('cannot be cut into more parts than it has attempts', () => {
    expect(workDeviation({ difficultyBits: 4, parts: 16 })).toBe(0);
    expect(() => workDeviation({ difficultyBits: 4, parts: 17 })).toThrow(RangeError);
    expect(() => workDeviation({ difficultyBits: 4, parts: 0 })).toThrow(RangeError);
  });
});

describe('the slowest of n honest nodes', () => {
  it.each([
    [1, '1.0000'],
    [4, '2.0833'],
    [16, '3.3807'],
    [64, '4.7439'],
  ])('of %d takes %s times 2^c attempts', (honest, expected) => {
    expect(slowestWork(honest).toFixed(4)).toBe(expected);
  });

  it('has the mean Σ P(T > t) of the maximum, closer with every bit', () => {
    for (const honest of [4, 16]) {
      const errors = [4, 8, 12].map((bits) => {
        const p = 2 ** -bits;
        let mean = 0;
        for (let spent = 0; spent * p < 50; spent += 1)
          mean += 1 - (1 - (1 - p) ** spent) ** honest;
        return Math.abs(mean * p - slowestWork(honest));
      });

      expect(errors[0]).toBeLessThan(0.1);
      expect(errors[1]).toBeLessThan(0.01);
      expect(errors[2]).toBeLessThan(0.001);
    }
  });
});
