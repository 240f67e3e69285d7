/**
 * @module
 * The normal quantile against values of 20 digits, the exact interval against published ones and its coverage.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { binomialProbability, drawBinomial } from '../../../src/experiment/theory/binomial-odds.ts';
import {
  exactInterval,
  intervalWidth,
  meanInterval,
  nextLook,
  normalQuantile,
  poissonInterval,
  studentQuantile,
} from '../../../src/experiment/theory/statistics.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';

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
    expect(() => normalQuantile(probability)).toThrow(
      /^"probability" expected above 0 and below 1/,
    );
  });
});

describe('exact interval', () => {
  // Newcombe 1998, Statistics in Medicine 17, table I, method 5: his four cases to four digits.
  it.each([
    [81, 263, 0.2527, 0.3676],
    [15, 148, 0.0578, 0.1617],
    [0, 20, 0, 0.1684],
    [1, 29, 0.0009, 0.1776],
  ])('of %d in %d is %d to %d at 95 percent', (wins, runs, low, high) => {
    const interval = exactInterval({ wins, runs, confidence: 0.95 });

    expect(interval[0]).toBeCloseTo(low, 4);
    expect(interval[1]).toBeCloseTo(high, 4);
  });

  // Roots of the incomplete beta function, found with 40 digits and rounded to doubles.
  it.each([
    [1, 2, 0.95, 0.01257911709342506, 0.9874208829065749],
    [3, 40, 0.9999, 0.0017447787808761374, 0.35330900069795446],
    [99, 100, 0.95, 0.9455406146079194, 0.9997468539670226],
    [17, 30, 1 - 1e-9, 0.10268076084256252, 0.9510812525204435],
    [500, 1_000_000, 0.95, 0.0004571381485584746, 0.0005457967656540888],
    [1, 1_000_000_000, 0.95, 2.5317807983969402e-11, 5.571643378203114e-9],
    [7, 1_000_000_000, 0.999, 1.3483639907545009e-9, 2.0654036717563166e-8],
  ])('of %d in %d at %d is %d to %d', (wins, runs, confidence, low, high) => {
    const interval = exactInterval({ wins, runs, confidence });

    expect(interval[0] / low).toBeCloseTo(1, 11);
    expect(interval[1] / high).toBeCloseTo(1, 11);
  });

  it.each([1, 3, 40, 1000])('of 0 in %d ends where no win has the probability 0.025', (runs) => {
    const [, high] = exactInterval({ wins: 0, runs, confidence: 0.95 });

    expect(high).toBeCloseTo(1 - 0.025 ** (1 / runs), 14);
  });

  it.each([1, 7, 100, 1_000_000_007])('is exact at the ends of %d runs', (runs) => {
    for (const confidence of [0.5, 0.95, 0.9999]) {
      expect(exactInterval({ wins: 0, runs, confidence })[0]).toBe(0);
      expect(exactInterval({ wins: runs, runs, confidence })[1]).toBe(1);
    }
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
        const [low, high] = exactInterval({ wins, runs, confidence });
        const [mirroredLow, mirroredHigh] = exactInterval({ wins: runs - wins, runs, confidence });
        const more = exactInterval({ wins: 4 * wins, runs: 4 * runs, confidence });

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

  it('of half of the runs ends as far from 0 as from 1', () => {
    const [low, high] = exactInterval({ wins: 50, runs: 100, confidence: 0.95 });

    expect(high).toBeCloseTo(1 - low, 15);
    expect(intervalWidth({ wins: 50, runs: 100, confidence: 0.95 })).toBe(high - low);
  });

  it.each([
    [{ wins: 0, runs: 0, confidence: 0.95 }, /^"runs" expected an integer of at least 1, got 0/],
    [{ wins: 0, runs: 1.5, confidence: 0.95 }, /^"runs" /],
    [{ wins: 2, runs: 1, confidence: 0.95 }, /^"wins" expected an integer in 0..1, got 2/],
    [{ wins: -1, runs: 1, confidence: 0.95 }, /^"wins" /],
    [{ wins: 0.5, runs: 1, confidence: 0.95 }, /^"wins" /],
    [{ wins: 0, runs: 1, confidence: 0 }, /^"confidence" expected above 0 and below 1, got 0/],
    [{ wins: 0, runs: 1, confidence: 1 }, /^"confidence" /],
  ])('refuses %o', (frequency, message) => {
    expect(() => exactInterval(frequency)).toThrow(RangeError);
    expect(() => exactInterval(frequency)).toThrow(message);
  });
});

/** The probabilities and numbers of runs for which the coverage is measured. */
const COVERED = [0.005, 0.01, 0.05, 0.3].flatMap((probability) =>
  [40, 100, 400].map((runs) => ({ probability, runs })),
);

describe('Poisson interval', () => {
  // Garwood 1936, Biometrika 28, as in the usual tables of 95 % limits, to three or four digits.
  it.each([
    [0, 0, 3.689],
    [1, 0.0253, 5.572],
    [2, 0.242, 7.225],
    [7, 2.814, 14.423],
    [20, 12.217, 30.888],
  ])('of a count of %d is %d to %d at 95 percent', (count, low, high) => {
    const interval = poissonInterval(count, 0.95);

    expect(Math.abs(interval[0] - low)).toBeLessThan(5e-4);
    expect(Math.abs(interval[1] - high)).toBeLessThan(5e-4);
  });
});

describe("Student's quantile", () => {
  // The usual tables, to six digits.
  it.each([
    [0.975, 10, 2.228139, 2e-3],
    [0.975, 30, 2.042272, 1e-4],
    [0.995, 30, 2.749996, 3e-4],
    [0.95, 100, 1.660234, 1e-5],
    [0.025, 30, -2.042272, 1e-4],
    [0.6, 30, 0.255605, 1e-5],
  ])('at %d with %d degrees is %d within %d', (probability, degrees, quantile, within) => {
    expect(Math.abs(studentQuantile(probability, degrees) / quantile - 1)).toBeLessThan(within);
  });
});

describe('the interval of a mean', () => {
  const intervalOf = (values: readonly number[]) =>
    meanInterval({
      runs: values.length,
      sum: values.reduce((sum, value) => sum + value, 0),
      squares: values.reduce((sum, value) => sum + value * value, 0),
      confidence: 0.95,
    });

  it('reaches as many standard errors as the quantile says', () => {
    // The mean is 15, and its standard error √(Σ(x − 15)²/(30·31)) = √(2480/930) = 1.632993.
    const [low, high] = intervalOf(Array.from({ length: 31 }, (_, index) => index)) ?? [];

    expect(low).toBeCloseTo(15 - 2.042272 * 1.632993, 3);
    expect(high).toBeCloseTo(15 + 2.042272 * 1.632993, 3);
    expect(String(low)).toMatch(/^.{1,7}$/);
  });

  it('is a point if all values are equal, although sums are rounded', () => {
    expect(intervalOf([0.1, 0.1, 0.1])).toEqual([0.1, 0.1]);
  });

  it('needs two runs', () => {
    expect(intervalOf([1])).toBeNull();
    expect(intervalOf([1, 2])).not.toBeNull();
  });
});

describe('coverage of the 95 % interval', () => {
  it.each(COVERED)(
    'at p = $probability among $runs runs is at least 95 %',
    ({ probability, runs }) => {
      const coverage = covering(runs, probability)
        .map((covers, wins) =>
          covers ? binomialProbability({ trials: runs, probability }, wins) : 0,
        )
        .reduce((sum, share) => sum + share);

      expect(coverage).toBeGreaterThanOrEqual(0.95);
    },
  );

  it.each(COVERED)(
    'at p = $probability among $runs runs is 95 % in drawn samples',
    ({ probability, runs }) => {
      const repetitions = 4000;
      const random = createRandom(parseSeed('16'), 'coverage', runs, probability);
      const covers = covering(runs, probability);
      const covered = Array.from(
        { length: repetitions },
        () => covers[drawBinomial(random, runs, probability)],
      ).filter(Boolean).length;

      const standardError = Math.sqrt((0.95 * 0.05) / repetitions);
      expect(covered / repetitions).toBeGreaterThanOrEqual(0.95 - 3 * standardError);
    },
  );
});

/** Whether the interval contains the probability, for each number of wins. */
function covering(runs: number, probability: number): boolean[] {
  return Array.from({ length: runs + 1 }, (_, wins) => {
    const [low, high] = exactInterval({ wins, runs, confidence: 0.95 });
    return low <= probability && probability <= high;
  });
}

describe('the next look at a width', () => {
  it('is more than now, at most four times as far, and near what is needed', () => {
    const few = { wins: 30, runs: 100, confidence: 0.95 };
    const many = { wins: 9000, runs: 30_000, confidence: 0.95 };

    expect(nextLook(few, 0.01)).toBe(400);
    expect(nextLook(many, 0.01)).toBe(37_500);
    // 2·1.959964·√(p(1−p)/N) = 0.1 for p = 31/102 and N = 325.07.
    expect(nextLook(few, 0.1)).toBe(326);
    expect(nextLook({ ...few, wins: 70 }, 0.1)).toBe(326);
    expect(nextLook({ wins: 0, runs: 100, confidence: 0.95 }, 0.5)).toBe(125);
  });
});
