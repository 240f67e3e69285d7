/**
 * @module
 * What attempts capture on average, against exact sums, against every pattern of valid attempts and
 * every order, and against each other where no sum can be made.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { CappedForging } from '../../../src/experiment/theory/closed-forms.ts';
import {
  topProbability,
  topRanksProbability,
} from '../../../src/experiment/theory/closed-forms.ts';
import {
  expectedSuccessors,
  expectedTopRanks,
  forgedProbability,
} from '../../../src/experiment/theory/expected-capture.ts';
import type { Role } from './enumeration.ts';
import { shareOfOrders } from './enumeration.ts';
import { successorsProbability } from './exact/bounds.ts';
import {
  expectedSuccessorsExactly,
  expectedTopRanksExactly,
  forgedExactly,
  majorityExactly,
  majorityProbability,
} from './exact/expected-capture.ts';
import type { Fraction } from './exact/fraction.ts';
import { complement, fraction, ONE, plus, times, toNumber, ZERO } from './exact/fraction.ts';

const SMALL = fc.record({
  honest: fc.integer({ min: 1, max: 4 }),
  attempts: fc.integer({ min: 0, max: 5 }),
  difficultyBits: fc.integer({ min: 0, max: 3 }),
  identitiesMax: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
});

describe('the highest ranks, the successors and the majority, exactly', () => {
  it('are the mean over all patterns of validity and all orders', () => {
    fc.assert(
      fc.property(SMALL, fc.integer({ min: 0, max: 3 }), (forging, count) => {
        const { honest } = forging;
        const leads = (order: readonly Role[]) =>
          order.length >= count && order.slice(0, count).every((role) => role === 'forged');
        const ranks = byPatterns(forging, (forged) => shareOfOrders({ honest, forged }, leads));
        const successors = byPatterns(forging, (forged) =>
          shareOfOrders({ honest: honest - 1, forged }, leads),
        );
        const majority = byPatterns(forging, (forged) =>
          2 * forged > honest + forged ? ONE : ZERO,
        );

        expect(expectedTopRanksExactly(forging, count)).toEqual(ranks);
        expect(expectedSuccessorsExactly(forging, count)).toEqual(successors);
        expect(majorityExactly(forging)).toEqual(majority);
      }),
      { seed: 9, numRuns: 80 },
    );
  });

  it('have the doubles that sweeps use', () => {
    for (const attempts of [1, 5, 60, 200]) {
      for (const difficultyBits of [0, 1, 4, 12]) {
        for (const identitiesMax of [undefined, 1, 7, 150]) {
          const forging = { honest: 9, attempts, difficultyBits, identitiesMax };
          for (const count of [0, 1, 3, 40]) {
            const label = JSON.stringify({ ...forging, count });
            expectClose(
              expectedTopRanks(forging, count),
              expectedTopRanksExactly(forging, count),
              label,
            );
            expectClose(
              expectedSuccessors(forging, count),
              expectedSuccessorsExactly(forging, count),
              label,
            );
            expectClose(forgedProbability(forging, count), forgedExactly(forging, count), label);
          }
          expectClose(majorityProbability(forging), majorityExactly(forging), 'majority');
        }
      }
    }
  });

  it('of a single victim are all forged as soon as there are enough', () => {
    const forging = { honest: 1, attempts: 20, difficultyBits: 2 };

    expect(expectedSuccessorsExactly(forging, 2)).toEqual(forgedExactly(forging, 2));
    expectClose(expectedSuccessors(forging, 2), forgedExactly(forging, 2), 'alone');
  });

  it.each([
    [3, ['0.250000', '0.045455', '0.004545']],
    [10, ['0.526316', '0.263158', '0.123839']],
    [30, ['0.769231', '0.587045', '0.444250']],
  ])('of a victim among 10, of %d forged without a puzzle', (forged, expected) => {
    const forging = { honest: 10, attempts: forged, difficultyBits: 0 };

    const odds = [1, 2, 3].map((count) => expectedSuccessors(forging, count).toFixed(6));

    expect(odds).toEqual(expected);
    expect(successorsProbability({ honest: 10, forged }, 2).toFixed(6)).toBe(expected[1]);
  });
});

describe('attempts up to 2^60', () => {
  const LARGE = fc.record({
    honest: fc.integer({ min: 1, max: 1_000_000 }),
    attemptsBits: fc.integer({ min: 20, max: 60 }),
    spareBits: fc.integer({ min: -4, max: 20 }),
  });

  it('give one place as topProbability does, and fewer odds for every further place', () => {
    fc.assert(
      fc.property(LARGE, ({ honest, attemptsBits, spareBits }) => {
        const difficultyBits = Math.max(0, attemptsBits - spareBits);
        const forging = { honest, attempts: 2 ** attemptsBits, difficultyBits };

        const [one = 0, two = 0, three = 0] = [1, 2, 3].map((count) =>
          expectedTopRanks(forging, count),
        );

        expect(Math.abs(one / topProbability(forging) - 1)).toBeLessThan(1e-11);
        expect(two).toBeLessThanOrEqual(one);
        expect(three).toBeLessThanOrEqual(two);
        // One honest node fewer to beat.
        expect(expectedSuccessors(forging, 1)).toBeGreaterThanOrEqual(one);
      }),
      { seed: 10, numRuns: 60 },
    );
  });

  it('give the sum over K where a cap is never reached, and the fixed number where it always is', () => {
    const forging = { honest: 16, attempts: 2 ** 60, difficultyBits: 56 };

    const summed = expectedTopRanks({ ...forging, identitiesMax: 10_000 }, 3);
    const stopped = expectedTopRanks({ ...forging, difficultyBits: 30, identitiesMax: 100 }, 3);

    expect(summed / expectedTopRanks(forging, 3)).toBeCloseTo(1, 11);
    expect(stopped / topRanksProbability({ honest: 16, forged: 100 }, 3)).toBeCloseTo(1, 12);
  });

  it('give a majority near one half where the mean is n, and none past a cap', () => {
    for (const bits of [3, 10, 19]) {
      const honest = 2 ** bits;
      const forging = { honest, attempts: 2 ** 60, difficultyBits: 60 - bits };

      const majority = majorityProbability(forging);

      // P(K > n) at the mean n of a Poisson law is about 1/2 − 2/(3√(2πn)).
      const poisson = 0.5 - 2 / 3 / Math.sqrt(2 * Math.PI * honest);
      expect(Math.abs(majority - poisson)).toBeLessThan(1 / honest);
      expect(majorityProbability({ ...forging, identitiesMax: honest })).toBe(0);
      expect(majorityProbability({ ...forging, identitiesMax: honest + 1 })).toBe(majority);
    }
  });
});

function expectClose(double: number, exact: Fraction, label: string): void {
  const expected = toNumber(exact);
  expect(Math.abs(double - expected), label).toBeLessThanOrEqual(1e-11 * expected);
}

/** The mean of `share` over every pattern of valid attempts; an adversary stops at its cap. */
function byPatterns(forging: CappedForging, share: (forged: number) => Fraction): Fraction {
  const { attempts, difficultyBits, identitiesMax = attempts } = forging;
  const valid = fraction(1, 2 ** difficultyBits);
  let sum = ZERO;
  for (let pattern = 0; pattern < 2 ** attempts; pattern += 1) {
    let [weight, forged] = [ONE, 0];
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const isValid = (pattern >> attempt) % 2 === 1;
      weight = times(weight, isValid ? valid : complement(valid));
      if (isValid) forged += 1;
    }
    sum = plus(sum, times(weight, share(Math.min(forged, identitiesMax))));
  }
  return sum;
}
