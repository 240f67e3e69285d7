/**
 * @module
 * φ against exact values, against Akka's own unit tests, and where the formulas part.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  crossing,
  phiAkka,
  phiExponential,
  phiNormal,
  phiTextbook,
} from '../../../src/election/detectors/fd-phi.ts';

const EXACT = 1e-8;
/** Beats every 1000, 1010, 990, … ms: population variance 105, sample variance 1050/9. */
const NARROW = { mean: 1000, deviation: Math.sqrt(105) };
const SAMPLE = { mean: 1000, deviation: Math.sqrt(1050 / 9) };
const WIDE = { mean: 1000, deviation: 100 };
const PAUSED = { mean: 4000, deviation: 100 };
const NEVER = Number.POSITIVE_INFINITY;

/** Ms since the last beat: normal at σ 10.247 and 100, textbook, Akka with pause 0 and 3000, exponential. */
const TABLE: readonly (readonly number[])[] = [
  [500, 0, 1.24491e-7, 0, 2.17689e-8, 0, 0.217147241],
  [900, 3.67e-23, 0.075026013, 0, 0.0750330321, 0, 0.390865034],
  [980, 0.0112096751, 0.237126678, 0.0141420297, 0.237062848, 0, 0.425608592],
  [1000, 0.301029996, 0.301029996, 0.301029996, 0.301029996, 0, Math.LOG10E],
  [1010, 0.783683657, 0.337079657, 0.751365393, 0.337122089, 0, 0.438637427],
  [1020, 1.59378407, 0.375985897, 1.49432439, 0.376073792, 0, 0.442980372],
  [1030, 2.76766584, 0.417835945, 2.56236411, 0.417968156, 0, 0.447323316],
  [1050, 6.27427238, 0.510691989, 5.73605931, 0.510888826, 0, 0.456009206],
  [1080, 14.5340808, 0.673960465, 13.188177, 0.674108399, 0, 0.46903804],
  [1100, 22.0736311, 0.799545541, NEVER, 0.799508321, 0, 0.47772393],
  [1200, 84.4134164, 1.64301608, NEVER, 1.64282789, 0, 0.521153378],
  [1500, 519.104888, 6.54264567, NEVER, 7.29994739, 0, 0.651441723],
  [1700, 1015.58748, 11.8928536, NEVER, 15.3685256, 0, 0.738300619],
  [2000, 2070.4575, 23.1180534, NEVER, 37.5847131, 0, 0.868588964],
  [4000, 18615.4863, 197.309209, NEVER, NEVER, 0.301029996, 1.73717793],
  [4500, Number.NaN, 267.948882, NEVER, NEVER, 7.29994739, 1.95432517],
  [5000, Number.NaN, 349.437006, NEVER, NEVER, 37.5847131, 2.17147241],
];

describe.each(TABLE)(
  'after %d ms',
  (elapsed, narrow, wide, textbook, akka, paused, exponential) => {
    it.each([
      ['normal, population deviation 10.247', phiNormal(elapsed ?? 0, NARROW), narrow],
      ['normal, deviation 100', phiNormal(elapsed ?? 0, WIDE), wide],
      [
        'textbook, sample deviation, 1 − cdf in doubles',
        phiTextbook(elapsed ?? 0, SAMPLE),
        textbook,
      ],
      ['Akka, pause 0', phiAkka(elapsed ?? 0, WIDE), akka],
      ['Akka, pause 3000', phiAkka(elapsed ?? 0, PAUSED), paused],
      ['exponential', phiExponential(elapsed ?? 0, WIDE), exponential],
    ])('φ is as tabled: %s', (_formula, phi, expected) => {
      if (expected === undefined || Number.isNaN(expected)) return;
      expectNear(phi, expected);
    });
  },
);

describe('the normal tail', () => {
  it.each([
    [-2, 0.00999438],
    [-1, 0.075026013],
    [0, 0.301029996],
    [1, 0.799545541],
    [2, 1.64301608],
    [3, 2.869699036],
    [4, 4.499334908],
    [5, 6.542645672],
    [6, 9.005864327],
    [7, 11.892853637],
    [8, 15.206142551],
    [10, 23.118053405],
    [20, 88.560095343],
  ])('is exact %d deviations out', (z, expected) => {
    expectNear(standard(z), expected);
  });

  it('is the same from both sides of where its two expansions meet', () => {
    const step = 1e-9;

    const slope = (standard(2.5 + step) - standard(2.5 - step)) / (2 * step);

    // d/dz −log10 Q(z) = density(z) / (Q(z) ln 10)
    expect(slope).toBeCloseTo(0.0175283004935685 / (0.00620966532577614 * Math.LN10), 4);
  });

  it('never falls', () => {
    const near = fc.double({ min: -30, max: 300, noNaN: true });

    fc.assert(
      fc.property(near, near, (a, b) => {
        expect(standard(Math.max(a, b))).toBeGreaterThanOrEqual(standard(Math.min(a, b)));
      }),
      { seed: 2004 },
    );
  });
});

describe("Akka's approximation", () => {
  it.each([
    [3, 2.909475],
    [4, 4.736695],
    [5, 7.299947],
    [6, 10.782601],
    [7, 15.368526],
    [8, 21.2416],
  ])('%d deviations out', (z, expected) => {
    expect(phiAkka(z, { mean: 0, deviation: 1 })).toBeCloseTo(expected, 6);
  });

  it.each([
    [5, 0.757],
    [8, 6.035],
  ])('errs in φ by far more than 0.00014, %d deviations out', (z, excess) => {
    expect(phiAkka(z, { mean: 0, deviation: 1 }) - standard(z)).toBeCloseTo(excess, 3);
  });

  it.each([
    [0, 0],
    [500, 0.1],
    [1000, 0.3],
    [1200, 1.6],
    [1400, 4.7],
    [1600, 10.8],
    [1700, 15.3],
  ])("is realistic as Akka's own test has it, %d ms", (elapsed, expected) => {
    expect(Math.abs(phiAkka(elapsed, WIDE) - expected)).toBeLessThanOrEqual(0.1);
  });

  it('takes outliers', () => {
    const unit = { mean: 0, deviation: 1 };

    expect(Math.abs(phiAkka(10, unit) - 38)).toBeLessThanOrEqual(1);
    expect(phiAkka(-25, unit)).toBeCloseTo(0, 12);
  });

  it.each([
    [0, 0.5, 0.001],
    [6, 0.7257, 0.001],
    [15, 0.9332, 0.001],
    [20, 0.97725, 0.001],
    [25, 0.99379, 0.001],
    [35, 0.99977, 0.001],
    [40, 0.99997, 0.0001],
  ])('has a good enough cdf at %d where the deviation is 10', (elapsed, expected, error) => {
    const cdf = 1 - 10 ** -phiAkka(elapsed, { mean: 0, deviation: 10 });

    expect(Math.abs(cdf - expected)).toBeLessThanOrEqual(error);
  });

  it('has cdf 0.7475 at 22 of mean 20, deviation 3', () => {
    const cdf = 1 - 10 ** -phiAkka(22, { mean: 20, deviation: 3 });

    expect(Math.abs(cdf - 0.7475)).toBeLessThanOrEqual(0.001);
  });

  it('rises from millisecond to millisecond, and falls with the deviation', () => {
    const phis = Array.from({ length: 41 }, (_, ms) => phiAkka(ms, { mean: 0, deviation: 10 }));

    expect(phis).toEqual(phis.toSorted((left, right) => left - right));
    expect(new Set(phis).size).toBe(41);
    expect(phiAkka(1100, { mean: 1000, deviation: 500 })).toBeLessThan(phiAkka(1100, WIDE));
  });
});

describe('when φ is reached', () => {
  it.each([
    [1, 1128.155, 1128.222, 2302.585],
    [3, 1309.023, 1305.894, 6907.755],
    [8, 1561.2, 1522.599, 18420.681],
    [12, 1703.448, 1629.212, 27631.021],
  ])('%d, by normal, Akka and exponential', (threshold, normal, akka, exponential) => {
    const within = (phiAt: (elapsed: number) => number) => crossing(phiAt, threshold, 0.001);

    expect(within((elapsed) => phiNormal(elapsed, WIDE))).toBeCloseTo(normal, 2);
    expect(within((elapsed) => phiAkka(elapsed, WIDE))).toBeCloseTo(akka, 2);
    expect(within((elapsed) => phiExponential(elapsed, WIDE))).toBeCloseTo(exponential, 2);
    expect(threshold * Math.LN10 * 1000).toBeCloseTo(exponential, 3);
  });

  it('is the first tick at which it is', () => {
    const thresholds = fc.double({ min: 0.01, max: 300, noNaN: true });

    fc.assert(
      fc.property(thresholds, fc.integer({ min: 1, max: 500 }), (threshold, deviation) => {
        const phiAt = (elapsed: number) => phiNormal(elapsed, { mean: 1000, deviation });

        const at = crossing(phiAt, threshold);

        expect(phiAt(at)).toBeGreaterThanOrEqual(threshold);
        if (at > 0) expect(phiAt(at - 1)).toBeLessThan(threshold);
      }),
      { seed: 2004 },
    );
  });

  it('is at once for what was infinite from the start, and never for what does not grow', () => {
    expect(crossing(() => NEVER, 8)).toBe(0);
    expect(crossing(() => 7.9, 8)).toBe(NEVER);
  });
});

function standard(z: number): number {
  return phiNormal(z, { mean: 0, deviation: 1 });
}

/** To nine digits, as the values were computed; those given to fewer, to theirs. */
function expectNear(phi: number, expected: number): void {
  if (expected === NEVER) expect(phi).toBe(NEVER);
  else if (expected === 0) expect(Math.abs(phi)).toBeLessThan(1e-30);
  else expect(Math.abs(phi / expected - 1)).toBeLessThan(toleranceOf(expected));
}

function toleranceOf(expected: number): number {
  const digits = expected.toExponential().replace(/e.*|\D/g, '').length;
  return Math.max(EXACT, 10 ** (1 - digits));
}
