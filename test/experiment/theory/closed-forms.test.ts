/**
 * @module
 * The closed forms against exact rationals, against tables, and against the sums they stand for.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Forging } from '../../../src/experiment/theory/closed-forms.ts';
import {
  safeDifficultyBits,
  topProbability,
  topRanksProbability,
} from '../../../src/experiment/theory/closed-forms.ts';
import { identitiesForTop, topProbabilityBound, topProbabilityPoisson } from './exact/bounds.ts';

describe('E[K/(n+K)]', () => {
  it.each([
    [2, 3, 1, 31 / 80],
    [3, 4, 2, 1931 / 8960],
    [4, 4, 1, 351 / 1120],
    [3, 5, 3, 37111 / 262144],
  ])('n = %d, N = %d, c = %d is the exact rational', (honest, attempts, difficultyBits, exact) => {
    const probability = topProbability({ honest, attempts, difficultyBits });

    expect(probability / exact).toBeCloseTo(1, 14);
  });

  it.each([
    [1, ['0.115338467', '0.368193531', '0.754764924', '0.937515262', '0.984375954']],
    [4, ['0.048018113', '0.170979601', '0.467150997', '0.791416225', '0.940342876']],
    [9, ['0.024451781', '0.091640160', '0.291525250', '0.630471517', '0.875203491']],
    [16, ['0.014507358', '0.055730286', '0.192195845', '0.492098210', '0.797972158']],
    [64, ['0.003831864', '0.015155815', '0.058022201', '0.198017761', '0.498046906']],
  ])('c = 8, n = %d at means 1/4, 1, 4, 16, 64', (honest, expected) => {
    const row = MEANS.map((mean) =>
      topProbability({ honest, attempts: 256 * mean, difficultyBits: 8 }).toFixed(9),
    );

    expect(row).toEqual(expected);
  });

  it.each([
    [1, ['0.115203132', '0.367879441', '0.754578910', '0.937500007', '0.984375000']],
    [4, ['0.047988809', '0.170893412', '0.467032909', '0.791381836', '0.940339565']],
    [9, ['0.024443432', '0.091612293', '0.291467205', '0.630434329', '0.875197521']],
    [16, ['0.014504288', '0.055719346', '0.192167326', '0.492067746', '0.797964165']],
    [64, ['0.003831639', '0.015154944', '0.058019141', '0.198010122', '0.498039277']],
  ])('has the Poisson limit for n = %d at means 1/4, 1, 4, 16, 64', (honest, expected) => {
    const row = MEANS.map((mean) => topProbabilityPoisson({ honest, mean }).toFixed(9));

    expect(row).toEqual(expected);
  });

  it('is bounded by Jensen: n = 9 at means 1/4, 1, 4, 16, 64', () => {
    const row = MEANS.map((mean) =>
      topProbabilityBound({ honest: 9, attempts: 256 * mean, difficultyBits: 8 }).toFixed(6),
    );

    expect(row).toEqual(['0.027027', '0.100000', '0.307692', '0.640000', '0.876712']);
  });

  it('equals the sum over K, exact in rationals, for small parameters', () => {
    const small = fc.record({
      honest: fc.integer({ min: 1, max: 12 }),
      attempts: fc.integer({ min: 0, max: 24 }),
      difficultyBits: fc.integer({ min: 0, max: 6 }),
    });

    fc.assert(
      fc.property(small, (forging) => {
        expect(topProbability(forging)).toBeCloseTo(rationalSum(forging), 14);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('equals its closed form for n = 1 and tiny probabilities, to the last digits', () => {
    for (const difficultyBits of [4, 20, 60, 200, 256]) {
      for (const attempts of [1, 1000, 2 ** 40, 2 ** 60]) {
        const p = 2 ** -difficultyBits;
        const exact = 1 + Math.expm1((attempts + 1) * Math.log1p(-p)) / ((attempts + 1) * p);
        const mean = attempts * p;
        // Below a mean of 1e-5 that form cancels, and the first two terms of the series are enough.
        const series = mean / 2 - (mean ** 2 - p * mean) / 6;
        const expected = mean < 1e-5 ? series : exact;

        const probability = topProbability({ honest: 1, attempts, difficultyBits });

        expect(Math.abs(probability / expected - 1)).toBeLessThan(1e-10);
      }
    }
  });

  it('is N/(n+N) without a puzzle, up to 2^60 attempts and a million nodes', () => {
    for (const honest of [1, 8, 1000, 1_000_000]) {
      for (const attempts of [0, 1, 63, 2 ** 30, 2 ** 53, 2 ** 60]) {
        const probability = topProbability({ honest, attempts, difficultyBits: 0 });

        const exact = attempts / (honest + attempts);
        expect(Math.abs(probability - exact)).toBeLessThanOrEqual(1e-13 * exact);
      }
    }
  });

  it('is never above its bound, grows with attempts, falls with bits and nodes', () => {
    const anything = fc.record({
      honest: fc.integer({ min: 1, max: 1_000_000 }),
      attempts: fc.integer({ min: 1, max: 2 ** 51 }),
      difficultyBits: fc.integer({ min: 0, max: 250 }),
    });

    fc.assert(
      fc.property(anything, (forging) => {
        const { honest, attempts, difficultyBits } = forging;
        const probability = topProbability(forging);

        expect(probability).toBeGreaterThan(0);
        expect(probability).toBeLessThanOrEqual(topProbabilityBound(forging) * (1 + 1e-13));
        const more = topProbability({ ...forging, attempts: 2 * attempts });
        const harder = topProbability({ ...forging, difficultyBits: difficultyBits + 1 });
        const larger = topProbability({ ...forging, honest: 2 * honest });
        expect(more).toBeGreaterThanOrEqual(probability * (1 - 1e-13));
        expect(harder).toBeLessThanOrEqual(probability * (1 + 1e-13));
        expect(larger).toBeLessThanOrEqual(probability * (1 + 1e-13));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it.each([
    [2e4, ['0.948055', '0.526291', '0.063282', '0.004191', '0.000263', '0.000016']],
    [1e6, [null, null, '0.779106', '0.175239', '0.012987', '0.000821']],
    [1e8, [null, null, null, '0.957066', '0.576345', '0.076236']],
  ])(
    'is what a minute at %d candidates/s is worth against 16 nodes, c = 12 to 32',
    (rate, expected) => {
      const bits = [12, 16, 20, 24, 28, 32];

      const row = bits.map((c) =>
        topProbabilityPoisson({ honest: 16, mean: (60 * rate) / 2 ** c }),
      );

      expect(row.map((value, at) => expected[at] && value.toFixed(6))).toEqual(expected);
    },
  );

  it.each([
    { honest: 0, attempts: 1, difficultyBits: 1 },
    { honest: 1, attempts: -1, difficultyBits: 1 },
    { honest: 1, attempts: 1, difficultyBits: -1 },
    { honest: Number.NaN, attempts: 1, difficultyBits: 1 },
  ])('refuses %o', (forging) => {
    expect(() => topProbability(forging)).toThrow(RangeError);
  });
});

describe('a fixed number of forged identities', () => {
  it.each([
    [3, [1 / 4, 1 / 22, 1 / 220]],
    [9, [1 / 2, 4 / 17, 7 / 68]],
    [27, [3 / 4, 39 / 70, 195 / 476]],
  ])('k = %d of 9 honest hold the highest 1, 2, 3 ranks', (forged, expected) => {
    for (const [index, exact] of expected.entries()) {
      const probability = topRanksProbability({ honest: 9, forged }, index + 1);

      expect(probability).toBeCloseTo(exact, 15);
    }
  });

  it('hold no more ranks than they are', () => {
    expect(topRanksProbability({ honest: 3, forged: 2 }, 2)).toBeCloseTo(1 / 10, 15);
    expect(topRanksProbability({ honest: 3, forged: 2 }, 3)).toBe(0);
  });

  it('equals enumeration of every order', () => {
    for (let honest = 1; honest <= 4; honest += 1) {
      for (let forged = 0; forged <= 4; forged += 1) {
        const exact = enumeratedTop(honest, forged);

        expect(topRanksProbability({ honest, forged }, 1)).toBeCloseTo(exact, 15);
      }
    }
  });
});

describe('identities until one is on top', () => {
  it.each([1, 4, 9, 16, 64])(
    'of %d honest nodes have their median at n, 90 percent at 9n, 99 at 99n',
    (honest) => {
      expect(identitiesForTop(honest, 0.5)).toBe(honest);
      expect(identitiesForTop(honest, 0.9)).toBe(9 * honest);
      expect(identitiesForTop(honest, 0.99)).toBe(99 * honest);
    },
  );
});

describe('bits for a target', () => {
  it.each([
    [0.5, 15.195],
    [0.1, 18.365],
    [0.01, 21.824],
    [0.001, 25.159],
  ])('hold an adversary of 600 000 attempts at %d with %d bits', (probability, expected) => {
    const attempts = 600_000;

    const bits = safeDifficultyBits({ honest: 16, attempts }, probability);

    expect(bits).toBeCloseTo(expected, 3);
    expect(safeDifficultyBits({ honest: 4, attempts }, probability)).toBeCloseTo(bits + 2, 12);
    expect(safeDifficultyBits({ honest: 64, attempts }, probability)).toBeCloseTo(bits - 2, 12);
    const held = topProbability({ honest: 16, attempts, difficultyBits: Math.ceil(bits) });
    expect(held).toBeLessThanOrEqual(probability);
  });
});

const MEANS = [0.25, 1, 4, 16, 64];

/** Σ_k C(N,k) (2^c−1)^(N−k) / 2^(cN) · k/(n+k), every factor an exact integer. */
function rationalSum({ honest, attempts, difficultyBits }: Forging): number {
  const outcomes = 2n ** BigInt(difficultyBits);
  const scale = 10n ** 30n;
  let sum = 0n;
  let choices = 1n;
  for (let k = 0; k <= attempts; k += 1) {
    const weight = choices * (outcomes - 1n) ** BigInt(attempts - k);
    sum += (scale * weight * BigInt(k)) / BigInt(honest + k);
    choices = (choices * BigInt(attempts - k)) / BigInt(k + 1);
  }
  return Number(sum / outcomes ** BigInt(attempts)) / 1e30;
}

/** The share of all placements of `forged` among honest + forged ranks with a forged one on top. */
function enumeratedTop(honest: number, forged: number): number {
  const ranks = honest + forged;
  let all = 0;
  let onTop = 0;
  for (let pattern = 0; pattern < 2 ** ranks; pattern += 1) {
    const bits = [...pattern.toString(2)].filter((bit) => bit === '1').length;
    if (bits !== forged) continue;
    all += 1;
    if (pattern >= 2 ** (ranks - 1)) onTop += 1;
  }
  return onTop / all;
}
