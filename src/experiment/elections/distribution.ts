/**
 * @module
 * The distribution of a measure over runs: quantiles with bootstrap intervals, and the empirical distribution
 * function. A value that is Infinity is an event that does not happen: it counts as a run above every number.
 */

import { binomialTail } from '../theory/binomial-odds.ts';

/** Confidence of the intervals. */
export const CONFIDENCE = 0.95;

/** The quantiles of a summary, by their names. */
export const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99 } as const;
export type QuantileName = keyof typeof QUANTILES;

export interface Quantile {
  /** Null if the event does not happen in that part of the runs. */
  readonly value: number | null;
  readonly ciLow: number | null;
  /** Null also if the interval has no upper end. */
  readonly ciHigh: number | null;
}

export interface Summary extends Readonly<Record<QuantileName, Quantile>> {
  /** Runs to which the measure applies. */
  readonly n: number;
  /** Runs among these `n` in which the event does not happen. */
  readonly never: number;
  /** Over the runs in which it happens; null without one. */
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** The summary of values in any order; null without values. */
export function summaryOf(values: readonly number[]): Summary | null {
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  if (n === 0) return null;
  const finite = values.filter(Number.isFinite);
  const sum = finite.reduce((total, value) => total + value, 0);
  const of = (share: number): Quantile => {
    const [ciLow, ciHigh] = quantileInterval(sorted, share);
    return { value: numberAt(sorted, rankOf(n, share)), ciLow, ciHigh };
  };
  return {
    n,
    never: n - finite.length,
    mean: finite.length === 0 ? null : sum / finite.length,
    min: numberAt(sorted, 1),
    p50: of(QUANTILES.p50),
    p90: of(QUANTILES.p90),
    p99: of(QUANTILES.p99),
    max: numberAt(sorted, n),
  };
}

/**
 * The bootstrap percentile interval of a quantile (Efron 1979), for values in ascending order. It needs no
 * resampling: the quantile of a resample is at most the j-th of N values if at least k = ⌈qN⌉ of its N draws
 * are, which has probability P(Bin(N, j/N) ≥ k). The result is the limit of infinitely many resamples. Both ends are values of
 * runs: with few runs beyond the quantile, the upper end is the greatest value and the interval is too short.
 */
export function quantileInterval(
  sorted: Float64Array,
  share: number,
): readonly [number | null, number | null] {
  const n = sorted.length;
  const least = rankOf(n, share);
  const reached = (rank: number) => binomialTail({ trials: n, probability: rank / n }, least);
  const tail = (1 - CONFIDENCE) / 2;
  const low = firstRank(n, (rank) => reached(rank) >= tail);
  const high = firstRank(n, (rank) => reached(rank) >= 1 - tail);
  return [numberAt(sorted, low), numberAt(sorted, high)];
}

/** The rank of a quantile: the least k with k/N ≥ share. */
function rankOf(n: number, share: number): number {
  // 0.9 · 10 exceeds 9 by the last digit of a double.
  return Math.max(1, Math.ceil(share * n - 1e-9));
}

/** The first rank in 1..n that has a property which all later ones have; n if no earlier one has it. */
function firstRank(n: number, has: (rank: number) => boolean): number {
  let [from, to] = [1, n];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (has(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

function numberAt(sorted: Float64Array, rank: number): number | null {
  const value = sorted[rank - 1];
  return value === undefined || value === Number.POSITIVE_INFINITY ? null : value;
}

/** A step of the distribution function: the share of runs whose value is at most `value`. */
export interface Step {
  readonly value: number;
  readonly share: number;
}

/**
 * The empirical distribution function: a step at each different number, at most `stepsMax` of them at equal
 * distances, with the first and the last. It ends below 1 if the event does not happen in some runs.
 */
export function distributionOf(values: readonly number[], stepsMax = 200): readonly Step[] {
  const sorted = Float64Array.from(values).sort();
  const steps: Step[] = [];
  for (const [index, value] of sorted.entries()) {
    if (value === sorted[index + 1] || value === Number.POSITIVE_INFINITY) continue;
    steps.push({ value, share: (index + 1) / sorted.length });
  }
  if (steps.length <= stepsMax) return steps;
  const at = (index: number) => Math.round((index * (steps.length - 1)) / (stepsMax - 1));
  return Array.from({ length: stepsMax }, (_, index) =>
    steps.slice(at(index), at(index) + 1),
  ).flat();
}
