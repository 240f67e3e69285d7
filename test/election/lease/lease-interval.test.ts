/**
 * @module
 * The interval of a lease under drift: the values of the formulas at D = 10 s, and that rounding is
 * always to the safe side.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { holderTicks, overlapTicks, sitOutTicks } from '../../../src/election/lease-interval.ts';

/** D = 10 s in ticks of a microsecond. */
const TEN_SECONDS = 10_000_000;

const terms = fc.record({
  leaseTicks: fc.integer({ min: 1, max: 1_000_000_000 }),
  driftPpm: fc.integer({ min: 0, max: 999_999 }),
});

describe('the interval that is safe for the holder, X = D(1-p)/(1+p) from sending the request', () => {
  it.each([
    [0, 10],
    [100, 9.998],
    [1000, 9.98002],
    [10_000, 9.80198],
    [50_000, 9.047619],
  ])('at D = 10 s and a drift of %i ppm is %d s', (driftPpm, seconds) => {
    const ticks = holderTicks({ leaseTicks: TEN_SECONDS, driftPpm });

    // The seconds are rounded to six digits, the ticks down.
    expect(ticks / 1e6).toBeLessThanOrEqual(seconds + 5e-7);
    expect(ticks / 1e6).toBeGreaterThan(seconds - 1.5e-6);
  });

  it('rounds down, so that it ends no later than the fastest promise', () => {
    fc.assert(
      fc.property(terms, ({ leaseTicks, driftPpm }) => {
        const exact = BigInt(leaseTicks) * BigInt(1_000_000 - driftPpm);
        const ticks = BigInt(holderTicks({ leaseTicks, driftPpm }));
        const divisor = BigInt(1_000_000 + driftPpm);

        expect(ticks * divisor <= exact).toBe(true);
        expect((ticks + 1n) * divisor > exact).toBe(true);
      }),
      { seed: 1989 },
    );
  });
});

describe('the interval that a forgetful grantor sits out, D(1+p)/(1-p)', () => {
  it.each([
    [0, 10_000_000],
    [10_000, 10_202_021],
    [50_000, 11_052_632],
  ])('at D = 10 s and a drift of %i ppm is %i us, rounded up', (driftPpm, ticks) => {
    expect(sitOutTicks({ leaseTicks: TEN_SECONDS, driftPpm })).toBe(ticks);
  });

  it('is no shorter than the lease, and that no shorter than what the holder counts', () => {
    fc.assert(
      fc.property(terms, (lease) => {
        expect(sitOutTicks(lease)).toBeGreaterThanOrEqual(lease.leaseTicks);
        expect(holderTicks(lease)).toBeLessThanOrEqual(lease.leaseTicks);
      }),
      { seed: 1989 },
    );
  });
});

describe('the overlap of a holder that leaves the drift out, 2Dp/(1-p^2)', () => {
  it('at D = 10 s and a drift of 1 % is .20002 s', () => {
    const ticks = overlapTicks({ leaseTicks: TEN_SECONDS, driftPpm: 10_000 });

    expect(ticks).toBe(200_021);
    expect(ticks / 1e6).toBeCloseTo(0.20002, 5);
  });

  it('is nothing without drift', () => {
    expect(overlapTicks({ leaseTicks: TEN_SECONDS, driftPpm: 0 })).toBe(0);
  });
});

describe('the terms of a lease', () => {
  it.each([
    [{ leaseTicks: 0, driftPpm: 0 }, '"leaseTicks" expected 1.., got 0'],
    [{ leaseTicks: 1.5, driftPpm: 0 }, '"leaseTicks" expected 1.., got 1.5'],
    [{ leaseTicks: 10, driftPpm: -1 }, '"driftPpm" expected 0..999999, got -1'],
    [{ leaseTicks: 10, driftPpm: 1_000_000 }, '"driftPpm" expected 0..999999, got 1000000'],
  ])('are not %o', (lease, fault) => {
    for (const formula of [holderTicks, sitOutTicks, overlapTicks]) {
      expect(() => formula(lease)).toThrow(new RangeError(fault));
    }
  });

  it('may be one tick and the largest drift', () => {
    expect(holderTicks({ leaseTicks: 1, driftPpm: 999_999 })).toBe(0);
    expect(sitOutTicks({ leaseTicks: 1, driftPpm: 999_999 })).toBe(1_999_999);
  });
});
