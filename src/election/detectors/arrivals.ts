/**
 * @module
 * The memory of an accrual detector for one member, and its φ: the last arrival and a sliding window of
 * intervals. Each formula has its own estimates. Before the second heartbeat, where the literature states
 * nothing, Akka's guess is used: mean ± mean/4.
 */

import type { Spread } from './phi.ts';
import { crossing, phiAkka, phiExponential, phiNormal, phiTextbook } from './phi.ts';

export interface AccrualRule {
  /**
   * `textbook` is normal with the sample deviation, at least 0.001, no guess, and 1 − cdf in doubles:
   * without any heartbeat φ is infinite, and before two intervals it is 0.
   */
  readonly formula: 'normal' | 'textbook' | 'akka' | 'exponential';
  /** φ from which a member is suspected. */
  readonly threshold: number;
  readonly windowIntervals: number;
  /** A floor: a window of equal intervals would make any lateness infinitely suspicious. */
  readonly deviationTicksMin: number;
  /** Additional silence that does not raise φ. */
  readonly pauseTicks: number;
  /** Ceiling on a learnt interval, against training by late heartbeats. Infinity for none. */
  readonly intervalTicksMax: number;
  /** The interval that is expected before the first. */
  readonly guessTicks: number;
}

export type Arrivals = {
  /** Null before the first. */
  at: number | null;
  /** Oldest first. */
  intervals: number[];
};

const TEXTBOOK_DEVIATION_MIN = 0.001;

/** Nothing has arrived yet. */
export function noArrivals(): Arrivals {
  return { at: null, intervals: [] };
}

/** A heartbeat arrives: the first one adds the guess, later ones their interval. */
export function hearBeat(rule: AccrualRule, arrivals: Arrivals, now: number): void {
  const { at } = arrivals;
  arrivals.at = now;
  if (at === null) {
    if (rule.formula === 'textbook') return;
    const quarter = Math.floor(rule.guessTicks / 4);
    learn(rule, arrivals.intervals, rule.guessTicks - quarter);
    learn(rule, arrivals.intervals, rule.guessTicks + quarter);
    return;
  }
  const interval = now - at;
  // Akka does not learn an interval that ended under suspicion, since one long pause would blind it.
  if (rule.formula === 'akka' && phiOf(rule, arrivals)(interval) >= rule.threshold) return;
  learn(rule, arrivals.intervals, interval);
}

/** φ as a function of the ticks since the last arrival. */
export function phiOf(
  rule: AccrualRule,
  { at, intervals }: Readonly<Arrivals>,
): (elapsedTicks: number) => number {
  if (at === null) {
    const unheard = rule.formula === 'textbook' ? Number.POSITIVE_INFINITY : 0;
    return () => unheard;
  }
  if (rule.formula === 'textbook' && intervals.length < 2) return () => 0;
  const mean = meanOf(intervals) + rule.pauseTicks;
  switch (rule.formula) {
    case 'normal': {
      const spread = { mean, deviation: floored(rule, variance(intervals)) };
      return (elapsedTicks) => phiNormal(elapsedTicks, spread);
    }
    case 'akka': {
      const spread = { mean, deviation: floored(rule, variance(intervals)) };
      return (elapsedTicks) => phiAkka(elapsedTicks, spread);
    }
    case 'textbook': {
      const spread = textbookSpread(mean, intervals);
      return (elapsedTicks) => phiTextbook(elapsedTicks, spread);
    }
    case 'exponential': {
      // Beats that waited for a paused node arrive together, 0 ticks apart.
      const positive = { mean: Math.max(mean, 1) };
      return (elapsedTicks) => phiExponential(elapsedTicks, positive);
    }
    default:
      return rule.formula satisfies never;
  }
}

/** The first whole number of ticks after the last arrival at which φ has reached the threshold. */
export function suspicionTicks(rule: AccrualRule, arrivals: Readonly<Arrivals>): number {
  return crossing(phiOf(rule, arrivals), rule.threshold);
}

export function meanOf(intervals: readonly number[]): number {
  let sum = 0;
  for (const interval of intervals) sum += interval;
  return sum / intervals.length;
}

/** The population variance, in two passes, since squares of long intervals lose digits. */
export function variance(intervals: readonly number[]): number {
  return squaresAround(meanOf(intervals), intervals) / intervals.length;
}

function textbookSpread(mean: number, intervals: readonly number[]): Spread {
  const squares = squaresAround(meanOf(intervals), intervals);
  return { mean, deviation: Math.sqrt(squares / (intervals.length - 1)) || TEXTBOOK_DEVIATION_MIN };
}

function squaresAround(mean: number, intervals: readonly number[]): number {
  let sum = 0;
  for (const interval of intervals) sum += (interval - mean) ** 2;
  return sum;
}

function floored({ deviationTicksMin }: AccrualRule, squared: number): number {
  return Math.max(Math.sqrt(squared), deviationTicksMin);
}

function learn(rule: AccrualRule, intervals: number[], interval: number): void {
  intervals.push(Math.min(interval, rule.intervalTicksMax));
  if (intervals.length > rule.windowIntervals) intervals.shift();
}
