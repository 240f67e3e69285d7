/**
 * @module
 * Quantiles, intervals and distribution functions against counting and resampling.
 */

import { describe, expect, it } from 'vitest';

import {
  distributionOf,
  quantileInterval,
  summaryOf,
} from '../../../src/experiment/elections/tables.ts';

/** A generator of the test's own. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Resamples and sorts, as Efron describes it. */
function resampled(values: readonly number[], share: number, times: number): [number, number] {
  const draw = draws(7);
  const quantiles = Array.from({ length: times }, () => {
    const sample = values.map(() => values[Math.floor(draw() * values.length)] ?? 0);
    return sample.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? 0;
  }).toSorted((a, b) => a - b);
  const at = (part: number) => quantiles[Math.ceil(part * times) - 1] ?? 0;
  return [at(0.025), at(0.975)];
}

const VALUES = (() => {
  const draw = draws(3);
  return Array.from({ length: 120 }, () => Math.floor(1000 * draw() ** 3));
})();

describe('a summary', () => {
  it('has the least value that the share of the runs does not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

    const summary = summaryOf(hundred);
    expect(summary).toMatchObject({ n: 100, never: 0, mean: 50.5, min: 1, max: 100 });
    expect([summary?.p50.value, summary?.p90.value, summary?.p99.value]).toEqual([50, 90, 99]);
    expect(summaryOf([])).toBeNull();
  });

  it('counts events that do not happen above every number', () => {
    const never = Number.POSITIVE_INFINITY;

    const summary = summaryOf([3, never, 1, 2, never]);
    expect(summary).toMatchObject({ n: 5, never: 2, mean: 2, min: 1, max: null });
    expect([summary?.p50.value, summary?.p90.value]).toEqual([3, null]);
  });
});

describe('the interval of a quantile', () => {
  it.each([0.5, 0.9])('of %d is that of many resamples', (share) => {
    const sorted = Float64Array.from(VALUES).sort();
    const [low, high] = resampled(VALUES, share, 20_000);
    const [from, to] = quantileInterval(sorted, share);

    // Resampling misses the exact end by one rank at most.
    const rank = (value: number | null) => sorted.indexOf(value ?? Number.NaN);
    expect(Math.abs(rank(from) - rank(low))).toBeLessThanOrEqual(1);
    expect(Math.abs(rank(to) - rank(high))).toBeLessThanOrEqual(1);
  });

  // A power such as 0.99^367 exceeds 2.5 %, and 0.99^368 does not.
  it.each([
    [0.5, 5, 6],
    [0.9, 35, 36],
    [0.99, 367, 368],
  ])('of %d has no upper end with %i values, and one with %i', (share, few, enough) => {
    const interval = (count: number) =>
      quantileInterval(
        Float64Array.from({ length: count }, (_, index) => index),
        share,
      );

    expect(interval(few)[1]).toBeNull();
    expect(interval(enough)[1]).not.toBeNull();
    expect(interval(few)[0] === null).toBe(share === 0.5);
  });

  it('covers the median of a known law in about 95 % of samples', () => {
    const draw = draws(11);
    let covered = 0;
    for (let sample = 0; sample < 2000; sample += 1) {
      const values = Float64Array.from({ length: 101 }, draw).sort();
      const [low, high] = quantileInterval(values, 0.5);
      if ((low ?? 1) <= 0.5 && 0.5 <= (high ?? 0)) covered += 1;
    }
    expect(covered / 2000).toBeGreaterThan(0.92);
    expect(covered / 2000).toBeLessThan(0.98);
  });
});

describe('the distribution function', () => {
  it('has the share of runs at most each value, and ends below 1 if something never happens', () => {
    const steps = distributionOf([...VALUES, Number.POSITIVE_INFINITY]);

    for (const { value, share } of steps) {
      expect(share).toBeCloseTo(VALUES.filter((each) => each <= value).length / 121, 12);
    }
    expect(steps.at(-1)?.share).toBeCloseTo(120 / 121, 12);
    expect(new Set(steps.map(({ value }) => value))).toEqual(new Set(VALUES));
  });

  it('keeps the first and the last step if there are too many', () => {
    const all = distributionOf(VALUES);
    const few = distributionOf(VALUES, 10);

    expect(few).toHaveLength(10);
    expect([few[0], few[9]]).toEqual([all[0], all.at(-1)]);
  });
});
