/**
 * @module
 * Windows of intervals, the first guess, and what is not learnt: Akka's own time sequences, the
 * textbook's conventions, and ceilings.
 */

import { describe, expect, it } from 'vitest';

import type { AccrualRule, Arrivals } from '../../../src/election/detectors/fd-phi.ts';
import {
  hearBeat,
  meanOf,
  noArrivals,
  phiOf,
  suspicionTicks,
  variance,
} from '../../../src/election/detectors/fd-phi.ts';

/** As Akka's tests make their detectors. */
const AKKA: AccrualRule = {
  formula: 'akka',
  threshold: 8,
  windowIntervals: 1000,
  deviationTicksMin: 100,
  pauseTicks: 0,
  intervalTicksMax: Number.POSITIVE_INFINITY,
  guessTicks: 1000,
};
const TEXTBOOK: AccrualRule = { ...AKKA, formula: 'textbook' };
const HISTORY = [1000, 1010, 990, 1005, 995, 1000, 1020, 980, 1000, 1000];

describe('statistics of a window', () => {
  it('have the mean and variance of 100, 200, 125, 340, 130', () => {
    const intervals = [100, 200, 125, 340, 130];

    expect(meanOf(intervals)).toBeCloseTo(179, 9);
    expect(variance(intervals)).toBeCloseTo(7584, 9);
  });

  it('have no variance for one interval', () => {
    expect(variance([1000])).toBe(0);
  });

  it('are those of the last three where the window holds three', () => {
    const rule = { ...TEXTBOOK, windowIntervals: 3 };
    const arrivals = heard(rule, [0, 100, 210, 300]);
    const seen = () => [meanOf(arrivals.intervals), variance(arrivals.intervals)];

    const first = seen();
    hearBeat(rule, arrivals, 440);
    const second = seen();
    hearBeat(rule, arrivals, 520);
    const third = seen();

    expectClose(first, [100, 66.6666667]);
    expectClose(second, [113.3333333, 422.2222222]);
    expectClose(third, [103.3333333, 688.8888889]);
  });

  it('have mean 1000, population variance 105 and sample deviation 10.80123 for ten near beats', () => {
    const squares = variance(HISTORY);

    expect(meanOf(HISTORY)).toBe(1000);
    expect(squares).toBe(105);
    expect(Math.sqrt(squares)).toBeCloseTo(10.24695, 5);
    expect(Math.sqrt((squares * 10) / 9)).toBeCloseTo(10.80123, 5);
  });
});

describe("Akka's time sequences", () => {
  it('hold a member that was never heard for healthy', () => {
    expect(phiOf(AKKA, noArrivals())(1e9)).toBe(0);
  });

  it('guess after one beat: mean ± mean/4', () => {
    const arrivals = heard(AKKA, [0]);
    const phiAt = phiOf(AKKA, arrivals);

    expect(arrivals.intervals).toEqual([750, 1250]);
    expect(Math.abs(phiAt(1000) - 0.3)).toBeLessThanOrEqual(0.2);
    expect(Math.abs(phiAt(2000) - 4.5)).toBeLessThanOrEqual(0.3);
    expect(phiAt(3000)).toBeGreaterThan(15);
  });

  it('use the first interval after the second beat', () => {
    expect(phiOf(AKKA, heard(AKKA, [0]))(100)).toBeGreaterThan(0);
    expect(phiOf(AKKA, heard(AKKA, [0, 200]))(100)).toBeGreaterThan(0);
  });

  it('suspect when beats are missed: three beats, 100 ms, 7100 ms', () => {
    const rule = { ...AKKA, threshold: 3 };
    const phiAt = phiOf(rule, heard(rule, [0, 1000, 1100]));

    expect(phiAt(100)).toBeLessThan(3);
    expect(phiAt(7100)).toBeGreaterThanOrEqual(3);
  });

  it('trust again after five minutes of silence, and are no blinder for it', () => {
    const rule = { ...AKKA, pauseTicks: 3000 };
    const arrivals = heard(
      rule,
      Array.from({ length: 1000 }, (_, index) => 1000 * index),
    );
    const isAvailable = (at: number) => phiOf(rule, arrivals)(at - (arrivals.at ?? 0)) < 8;
    const resumedAt = 999_000 + 300_000 + 100;

    const answers = [isAvailable(resumedAt - 100)];
    for (const [beatAt, askedAt] of [
      [0, 900],
      [1000, 8000],
      [8100, 9000],
      [9100, 10_000],
    ] as const) {
      hearBeat(rule, arrivals, resumedAt + beatAt);
      answers.push(isAvailable(resumedAt + askedAt));
    }

    expect(answers).toEqual([false, true, false, true, true]);
    expect(Math.max(...arrivals.intervals)).toBeLessThan(8000);
  });

  it('accept missing beats within the acceptable pause', () => {
    const rule = { ...AKKA, pauseTicks: 3000 };

    const before = phiOf(rule, heard(rule, [0, 1000, 2000, 3000]))(4000);
    const after = phiOf(rule, heard(rule, [0, 1000, 2000, 3000, 8000]))(1000);

    expect(before).toBeLessThan(8);
    expect(after).toBeLessThan(8);
  });

  it('suspect once more than the acceptable pause is missed', () => {
    const rule = { ...AKKA, pauseTicks: 3000 };
    const beats = [0, 1000, 2000, 3000, 4000, 5000];

    expect(phiOf(rule, heard(rule, beats))(500)).toBeLessThan(8);
    expect(phiOf(rule, heard(rule, [...beats, 6000]))(5000)).toBeGreaterThanOrEqual(8);
  });

  it('give the same φ once 500 ms intervals have displaced those of 100 ms', () => {
    const rule = { ...AKKA, windowIntervals: 3 };

    const fast = phiOf(rule, heard(rule, [0, 100, 200, 300]))(100);
    const slow = phiOf(rule, heard(rule, [0, 100, 200, 300, 1000, 1500, 2000, 2500]))(500);

    expect(slow).toBeCloseTo(fast, 3);
  });
});

describe('an interval that ended while suspected', () => {
  const beats = [0, 1000, 2000, 3000, 100_000];

  it('is not learnt by Akka', () => {
    expect(heard(AKKA, beats).intervals).toEqual([750, 1250, 1000, 1000, 1000]);
  });

  it('is not learnt by Akka from the very tick of the suspicion on', () => {
    const limit = suspicionTicks(AKKA, heard(AKKA, [0, 1000, 2000]));

    expect(heard(AKKA, [0, 1000, 2000, 2000 + limit - 1]).intervals).toHaveLength(5);
    expect(heard(AKKA, [0, 1000, 2000, 2000 + limit]).intervals).toHaveLength(4);
  });

  it.each(['normal', 'exponential', 'textbook'] as const)('is learnt by %s', (formula) => {
    expect(heard({ ...AKKA, formula }, beats).intervals).toContain(97_000);
  });

  it('is learnt as no more than the ceiling', () => {
    const rule: AccrualRule = { ...AKKA, formula: 'normal', intervalTicksMax: 1500 };

    expect(heard(rule, beats).intervals).toEqual([750, 1250, 1000, 1000, 1000, 1500]);
  });
});

describe('the textbook form', () => {
  it('finds a member that was never heard infinitely suspicious', () => {
    expect(phiOf(TEXTBOOK, noArrivals())(0)).toBe(Number.POSITIVE_INFINITY);
    expect(suspicionTicks(TEXTBOOK, noArrivals())).toBe(0);
  });

  it('suspects no node before two intervals, however long the silence', () => {
    expect(suspicionTicks(TEXTBOOK, heard(TEXTBOOK, [0]))).toBe(Number.POSITIVE_INFINITY);
    expect(suspicionTicks(TEXTBOOK, heard(TEXTBOOK, [0, 10]))).toBe(Number.POSITIVE_INFINITY);
    expect(suspicionTicks(TEXTBOOK, heard(TEXTBOOK, [0, 10, 20]))).toBe(11);
  });

  it('takes a deviation of 0 for 0.001, so that the least lateness is infinite', () => {
    const phiAt = phiOf(TEXTBOOK, heard(TEXTBOOK, [0, 1000, 2000, 3000]));

    expect(phiAt(1000)).toBeCloseTo(0.30103, 5);
    expect(phiAt(1001)).toBe(Number.POSITIVE_INFINITY);
  });

  it('uses the sample deviation: 2.56236411 after 1030 ms of ten near beats', () => {
    const times = [0];
    for (const interval of HISTORY) times.push((times.at(-1) ?? 0) + interval);

    const phi = phiOf(TEXTBOOK, heard(TEXTBOOK, times))(1030);

    expect(phi).toBeCloseTo(2.56236411, 8);
  });
});

it('takes intervals of 0, as after a pause, for the shortest there are', () => {
  const rule: AccrualRule = { ...AKKA, formula: 'exponential', windowIntervals: 2 };

  expect(suspicionTicks(rule, heard(rule, [0, 0, 0, 0]))).toBe(19);
});

function heard(rule: AccrualRule, times: readonly number[]): Arrivals {
  const arrivals = noArrivals();
  for (const at of times) hearBeat(rule, arrivals, at);
  return arrivals;
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  for (const [index, value] of expected.entries()) expect(actual[index]).toBeCloseTo(value, 6);
}
