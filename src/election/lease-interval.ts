/**
 * @module
 * How long a lease of D ticks is valid if clocks drift by at most ρ either way: a clock shows
 * between (1−ρ)t and (1+ρ)t after a time t (C. Gray and D. Cheriton, "Leases: An Efficient
 * Fault-Tolerant Mechanism for Distributed File Cache Consistency", SOSP 1989). Whole ticks, rounded
 * so that no node relies on a lease for too long. ρ is in millionths.
 */

export interface LeaseTerms {
  /** D: the duration of a promise, on the clock of the grantor. */
  readonly leaseTicks: number;
  /** ρ in parts per million, below a million. */
  readonly driftPpm: number;
}

/**
 * ⌊D(1−ρ)/(1+ρ)⌋: how long a holder may act on its own clock, counted from when it sent the request.
 * On a clock that is as slow as allowed that takes D/(1+ρ), when the fastest grantor's promise ends.
 */
export function holderTicks(terms: LeaseTerms): number {
  const { lease, drift } = integersOf(terms);
  return Number((lease * (MILLION - drift)) / (MILLION + drift));
}

/**
 * ⌈D(1+ρ)/(1−ρ)⌉: how long a grantor that has lost its promises waits on its own clock. On the fastest
 * clock that is D/(1−ρ), the longest real duration of D on any clock.
 */
export function sitOutTicks(terms: LeaseTerms): number {
  const { lease, drift } = integersOf(terms);
  return Number(quotientUp(lease * (MILLION + drift), MILLION - drift));
}

/**
 * ⌈2Dρ/(1−ρ²)⌉: how long at most two can hold one lease when the holder leaves the drift out and
 * counts D: D/(1−ρ) on the slowest clock, less D/(1+ρ) on the fastest.
 */
export function overlapTicks(terms: LeaseTerms): number {
  const { lease, drift } = integersOf(terms);
  return Number(quotientUp(2n * lease * drift * MILLION, MILLION * MILLION - drift * drift));
}

/** Products of ticks and squared millionths exceed the safe integers, so that bigints are needed. */
function integersOf({ leaseTicks, driftPpm }: LeaseTerms): { lease: bigint; drift: bigint } {
  if (!Number.isSafeInteger(leaseTicks) || leaseTicks < 1) {
    throw new RangeError(`"leaseTicks" expected 1.., got ${leaseTicks}`);
  }
  if (!Number.isSafeInteger(driftPpm) || driftPpm < 0 || driftPpm >= Number(MILLION)) {
    throw new RangeError(`"driftPpm" expected 0..999999, got ${driftPpm}`);
  }
  return { lease: BigInt(leaseTicks), drift: BigInt(driftPpm) };
}

function quotientUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

const MILLION = 1_000_000n;
