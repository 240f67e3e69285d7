/**
 * @module
 * Exact odds of capture against tables, and against every order and every pattern of validity of few
 * identities.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  topProbability,
  topRanksProbability,
} from '../../../src/experiment/theory/closed-forms.ts';
import { attemptOdds } from '../../../src/mining/odds.ts';
import { shareOfOrders, topByPatterns } from './enumeration.ts';
import { identitiesForTop, topProbabilityBound } from './exact/bounds.ts';
import {
  EXACT_ATTEMPTS_MAX,
  EXACT_RIVALS_MAX,
  identitiesForTopMean,
  passesLater,
  successorsCaptured,
  tieBound,
  topExactly,
  topRanks,
  uniqueMostZeros,
  uniqueMostZerosExactly,
  workShare,
} from './exact/capture-odds.ts';
import { fraction, ONE, plus, toNumber, ZERO } from './exact/fraction.ts';

describe('the highest ranks', () => {
  it.each([
    [3, [fraction(1, 4), fraction(1, 22), fraction(1, 220)]],
    [9, [fraction(1, 2), fraction(4, 17), fraction(7, 68)]],
    [27, [fraction(3, 4), fraction(39, 70), fraction(195, 476)]],
  ])('1, 2, 3 above 9 honest nodes, of %d forged', (forged, expected) => {
    const odds = [1, 2, 3].map((ranks) => topRanks({ honest: 9, forged }, ranks));

    expect(odds).toEqual(expected);
  });

  it('are the share of all orders that have them forged', () => {
    const small = fc.record({
      honest: fc.integer({ min: 0, max: 6 }),
      forged: fc.integer({ min: 0, max: 6 }),
      ranks: fc.integer({ min: 0, max: 7 }),
    });

    fc.assert(
      fc.property(small, ({ honest, forged, ranks }) => {
        const share = shareOfOrders(
          { honest, forged },
          (order) =>
            order.length >= ranks && order.slice(0, ranks).every((owner) => owner === 'forged'),
        );

        expect(topRanks({ honest, forged }, ranks)).toEqual(share);
      }),
      { seed: 3, numRuns: 150 },
    );
  });

  it('have the double that sweeps use', () => {
    for (const forged of [0, 1, 3, 9, 27, 1000]) {
      for (const ranks of [0, 1, 2, 5, 40]) {
        const exact = toNumber(topRanks({ honest: 9, forged }, ranks));

        const double = topRanksProbability({ honest: 9, forged }, ranks);

        expect(Math.abs(double - exact)).toBeLessThanOrEqual(1e-13 * exact);
      }
    }
  });

  it.each([-1, 0.5, Number.NaN])('refuse %d forged identities', (forged) => {
    expect(() => topRanks({ honest: 1, forged }, 1)).toThrow(RangeError);
  });
});

describe('the successors of a victim', () => {
  it.each([
    [3, ['0.250000', '0.045455', '0.004545']],
    [10, ['0.526316', '0.263158', '0.123839']],
    [30, ['0.769231', '0.587045', '0.444250']],
  ])('1, 2, 3 among 10 honest nodes, of %d forged', (forged, expected) => {
    const odds = [1, 2, 3].map((count) => successorsCaptured({ honest: 10, forged }, count));

    expect(odds.map((exact) => toNumber(exact).toFixed(6))).toEqual(expected);
  });

  it('and both neighbours are the share of all rings that have them forged', () => {
    for (const honest of [1, 2, 4, 5]) {
      for (const forged of [0, 1, 3, 5]) {
        for (const count of [1, 2, 3]) {
          // The victim is cut out of the ring, and the rest read from its index on.
          const share = shareOfOrders(
            { honest: honest - 1, forged },
            (round) =>
              round.length >= count && round.slice(0, count).every((owner) => owner === 'forged'),
          );
          const around = shareOfOrders(
            { honest: honest - 1, forged },
            (round) => round.length >= 2 && round.at(0) === 'forged' && round.at(-1) === 'forged',
          );

          const label = `n = ${honest}, k = ${forged}, s = ${count}`;
          expect(successorsCaptured({ honest, forged }, count), label).toEqual(share);
          expect(successorsCaptured({ honest, forged }, 2), label).toEqual(around);
        }
      }
    }
  });
});

describe('E[K/(n+K)] exactly', () => {
  it.each([
    [2, 3, 1, fraction(31, 80)],
    [3, 4, 2, fraction(1931, 8960)],
    [4, 4, 1, fraction(351, 1120)],
    [3, 5, 3, fraction(37111, 262144)],
  ])('n = %d, N = %d, c = %d', (honest, attempts, difficultyBits, expected) => {
    expect(topExactly({ honest, attempts, difficultyBits })).toEqual(expected);
  });

  it('is the mean over all patterns of validity and all orders', () => {
    const small = fc.record({
      honest: fc.integer({ min: 1, max: 5 }),
      attempts: fc.integer({ min: 0, max: 5 }),
      difficultyBits: fc.integer({ min: 0, max: 4 }),
    });

    fc.assert(
      fc.property(small, (forging) => {
        expect(topExactly(forging)).toEqual(topByPatterns(forging));
      }),
      { seed: 4, numRuns: 100 },
    );
  });

  it('has the double that sweeps use, up to the limit on attempts', () => {
    for (const attempts of [0, 1, 40, EXACT_ATTEMPTS_MAX]) {
      const forging = { honest: 16, attempts, difficultyBits: 5 };

      const exact = toNumber(topExactly(forging));

      expect(Math.abs(topProbability(forging) - exact)).toBeLessThanOrEqual(1e-13 * exact);
    }
  });

  it('refuses one attempt more than its limit', () => {
    const forging = { honest: 1, attempts: EXACT_ATTEMPTS_MAX + 1, difficultyBits: 1 };

    expect(() => topExactly(forging)).toThrow(RangeError);
  });

  it.each([
    [1e6, 12, '0.998909'],
    [1e6, 16, '0.982824'],
    [1e8, 12, '0.999989'],
    [1e8, 16, '0.999825'],
    [1e8, 20, '0.997212'],
  ])('is all but certain for a minute at %d candidates/s and %d bits', (rate, bits, expected) => {
    const forging = { honest: 16, attempts: 60 * rate, difficultyBits: bits };

    expect(topProbabilityBound(forging).toFixed(6)).toBe(expected);
    const gap = topProbabilityBound(forging) - topProbability(forging);
    expect(gap).toBeGreaterThan(0);
    expect(gap).toBeLessThan(2e-5);
  });
});

describe('identities until one beats n honest ones', () => {
  it('are more than k with probability n/(n+k), half of the time more than n', () => {
    expect(passesLater({ honest: 9, forged: 3 })).toEqual(fraction(3, 4));
    for (const honest of [1, 4, 9, 16, 64]) {
      expect(passesLater({ honest, forged: identitiesForTop(honest, 0.5) })).toEqual(
        fraction(1, 2),
      );
      expect(passesLater({ honest, forged: identitiesForTop(honest, 0.99) })).toEqual(
        fraction(1, 100),
      );
    }
  });

  it.each([
    [1, '7.4855'],
    [4, '22.6205'],
    [9, '42.9802'],
    [16, '66.9140'],
    [64, '180.3693'],
  ])('against %d nodes have the mean %s, given up after 1000', (honest, expected) => {
    expect(identitiesForTopMean(honest, 1000).toFixed(4)).toBe(expected);
  });

  it('have the truncated mean Σ k P(T = k), exactly, for small limits', () => {
    for (const honest of [1, 2, 5]) {
      for (const identitiesMax of [0, 1, 2, 7]) {
        let mean = ZERO;
        for (let forged = 0; forged < identitiesMax; forged += 1) {
          mean = plus(mean, passesLater({ honest, forged }));
        }

        expect(identitiesForTopMean(honest, identitiesMax)).toBeCloseTo(toNumber(mean), 13);
      }
    }
  });

  it('have no mean: ten times the limit adds n·ln 10, however large it is', () => {
    const growth = identitiesForTopMean(4, 10_000_000) - identitiesForTopMean(4, 1_000_000);

    expect(growth).toBeCloseTo(4 * Math.log(10), 4);
  });

  it.each([0.5, 0.9, 0.99])(
    'are geometric with mean 1/(1−u) where the highest honest ID is at quantile %d',
    (quantile) => {
      expect(attemptOdds(1 - quantile).expected).toBeCloseTo(1 / (1 - quantile), 10);
    },
  );
});

describe('equal IDs', () => {
  it('are no likelier than the bound, in all draws of few bits', () => {
    for (const bits of [2, 3, 4]) {
      for (const ids of [2, 3, 4, 5]) {
        let unlike = 1;
        for (let drawn = 0; drawn < ids; drawn += 1) unlike *= Math.max(0, 1 - drawn / 2 ** bits);

        expect(1 - unlike, `${ids} of ${bits} bits`).toBeLessThan(tieBound({ ids, bits }));
      }
    }
  });

  it('of 256 bits have no part in any result', () => {
    expect(tieBound({ ids: 2 ** 40, bits: 256 })).toBe(2 ** -177);
  });
});

describe('rank by the number of leading zeros alone', () => {
  it.each([
    [1, ONE],
    [2, fraction(2, 3)],
    [3, fraction(5, 7)],
    [4, fraction(76, 105)],
  ])('has a single leader among %d with an exact probability', (rivals, expected) => {
    expect(uniqueMostZerosExactly(rivals)).toEqual(expected);
  });

  it.each([
    [8, '0.720915199'],
    [16, '0.721347424'],
    [64, '0.721355092'],
    [256, '0.721352773'],
  ])('has a single leader among %d with probability %s', (rivals, expected) => {
    expect(uniqueMostZeros(rivals).toFixed(9)).toBe(expected);
  });

  it('has the sum that its exact form has', () => {
    for (let rivals = 1; rivals <= EXACT_RIVALS_MAX; rivals += 7) {
      expect(uniqueMostZeros(rivals)).toBeCloseTo(toNumber(uniqueMostZerosExactly(rivals)), 13);
    }
  });

  it('swings about 1/(2 ln 2) with every doubling, and never settles', () => {
    const limit = 1 / (2 * Math.LN2);

    for (const least of [128, 1024, 8192]) {
      const doubling = Array.from({ length: 16 }, (_, step) =>
        Math.round(least * 2 ** (step / 16)),
      );
      const distances = doubling.map((rivals) => uniqueMostZeros(rivals) - limit);

      expect(Math.max(...distances), `from ${least}`).toBeGreaterThan(6e-6);
      expect(Math.min(...distances), `from ${least}`).toBeLessThan(-6e-6);
    }
  });
});

describe('rank by work', () => {
  it('leads with the share of all attempts', () => {
    expect(workShare({ adversary: 3, honest: 9 })).toEqual(fraction(1, 4));
    expect(workShare({ adversary: 0, honest: 9 })).toEqual(ZERO);
    expect(workShare({ adversary: 5, honest: 0 })).toEqual(ONE);
  });

  it('gives what the bound of a puzzle gives whose honest nodes make 2^c attempts each', () => {
    const [honest, difficultyBits] = [16, 12];
    for (const attempts of [1, 2 ** 12, 2 ** 20]) {
      const share = workShare({ adversary: attempts, honest: honest * 2 ** difficultyBits });

      expect(toNumber(share)).toBeCloseTo(
        topProbabilityBound({ honest, attempts, difficultyBits }),
        14,
      );
    }
  });
});
