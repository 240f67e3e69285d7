/**
 * @module
 * The accrual detectors: heartbeats as in fd-heartbeat, and a member is suspected when φ of its silence
 * reaches a threshold. φ only grows during a silence, so that the deadline is computed when a heartbeat
 * arrives. The start of watching counts as a heartbeat; otherwise a member without heartbeats would never
 * be suspected. The textbook form omits this: it suspects all nodes at once, then none until two
 * intervals have been seen.
 *
 * Late heartbeats train it (slow drip): they raise the mean of the window, and with it the time to a
 * suspicion. A ceiling on learnt intervals prevents this.
 */

import type { Timing } from '../timing.ts';
import { createBeats } from './beats.ts';
import type { DetectorOption, DetectorOptions, ReadOption } from './detector-definition.ts';
import {
  BEATING_NODES_MAX,
  defineDetector,
  EVERY_OPTION,
  honestIntervalTicks,
  ticksFrom,
} from './detector-definition.ts';

const PHI_SOURCE =
  'N. Hayashibara, X. Défago, R. Yared, T. Katayama, The φ accrual failure detector, SRDS 2004';

/** For detectors that take intervals as normal, or nearly so. */
const MIN_DEVIATION_OPTION: DetectorOption = {
  ...ticksFrom(1),
  meaning: 'least deviation, in ticks',
  // 100 ms where beats come every second.
  byDefault: (_timing, read) => Math.max(1, Math.round(read.number('every') / 10)),
};

type AccrualOption = keyof ReturnType<typeof accrualOptions>;

export const FD_PHI_NORMAL = defineDetector({
  name: 'fd-phi-normal',
  rule: 'suspects when φ of the silence reaches the threshold, intervals taken as normal',
  source: PHI_SOURCE,
  options: {
    ...accrualOptions(() => 0),
    minDeviation: MIN_DEVIATION_OPTION,
    form: {
      type: 'word',
      values: ['exact', 'textbook'],
      meaning:
        'how φ is computed; textbook: sample deviation without minDeviation, 1 − cdf in doubles, no first guess',
    },
  },
  clash: (read, given) =>
    read.text('form') === 'textbook' && given.minDeviation !== undefined
      ? 'has form=textbook, to which minDeviation is nothing'
      : null,
  ...accrual<'form' | 'minDeviation'>((read) => ({
    formula: read.text('form') === 'textbook' ? 'textbook' : 'normal',
    deviationTicksMin: read.number('minDeviation'),
  })),
});

export const FD_PHI_AKKA = defineDetector({
  name: 'fd-phi-akka',
  rule: 'suspects when φ of the silence reaches the threshold, by a logistic approximation',
  source: 'Akka, PhiAccrualFailureDetector',
  options: {
    // Three seconds where beats come every second.
    ...accrualOptions((_timing, read) => 3 * read.number('every')),
    minDeviation: MIN_DEVIATION_OPTION,
  },
  clash: null,
  ...accrual<'minDeviation'>((read) => ({
    formula: 'akka',
    deviationTicksMin: read.number('minDeviation'),
  })),
});

export const FD_PHI_EXP = defineDetector({
  name: 'fd-phi-exp',
  rule: 'suspects when φ of the silence reaches the threshold, intervals taken as exponential',
  source: 'Apache Cassandra, FailureDetector',
  options: accrualOptions(() => 0),
  clash: null,
  // Exponential arrivals have no deviation.
  ...accrual(() => ({ formula: 'exponential', deviationTicksMin: 0 })),
});

/** The facts of every accrual detector, given the part of its rule that reads its own options. */
function accrual<Own extends string = never>(
  ownRule: (
    read: ReadOption<AccrualOption | Own>,
  ) => Pick<AccrualRule, 'formula' | 'deviationTicksMin'>,
) {
  const ruleOf = (timing: Timing, read: ReadOption<AccrualOption | Own>): AccrualRule => ({
    ...ownRule(read),
    threshold: read.number('threshold'),
    windowIntervals: read.number('window'),
    pauseTicks: read.number('pause'),
    intervalTicksMax: capTicks(timing, read),
    guessTicks: read.number('every'),
  });
  return {
    messageBound: 'n(n−1) a period',
    messages: { FD_HEARTBEAT: { seq: 'integer' } },
    nodesMax: BEATING_NODES_MAX,
    detectionTicks: (timing: Timing, read: ReadOption<AccrualOption | Own>) => {
      const rule = ruleOf(timing, read);
      const arrivals = noArrivals();
      for (let beats = 0; beats < 3; beats += 1) hearBeat(rule, arrivals, beats * rule.guessTicks);
      return timing.latencyTicksMax + suspicionTicks(rule, arrivals);
    },
    create: (timing: Timing, read: ReadOption<AccrualOption | Own>) =>
      createPhiDetector(read.number('every'), ruleOf(timing, read)),
  } as const;
}

function accrualOptions(pauseTicks: (timing: Timing, read: ReadOption) => number) {
  return {
    every: EVERY_OPTION,
    threshold: {
      type: 'number',
      min: 0.001,
      max: 10_000,
      decimal: true,
      words: [],
      meaning: 'φ from which a member is suspected',
      byDefault: () => 8,
    },
    window: {
      type: 'number',
      min: 2,
      max: 10_000,
      decimal: false,
      words: [],
      meaning: 'number of intervals that are remembered',
      byDefault: () => 1000,
    },
    pause: {
      ...ticksFrom(0),
      meaning: 'ticks that a silence may last longer at no cost',
      byDefault: pauseTicks,
    },
    cap: {
      ...ticksFrom(1),
      words: ['off', 'on'],
      meaning:
        'largest interval that is remembered, in ticks; on: the largest that latency explains',
      byDefault: () => 'off',
    },
  } satisfies DetectorOptions;
}

function capTicks(timing: Timing, read: ReadOption<'cap' | 'every'>): number {
  const cap = read.text('cap');
  if (cap === 'off') return Number.POSITIVE_INFINITY;
  return cap === 'on' ? honestIntervalTicks(timing, read) : Number(cap);
}

/** The detector of every node. */
export function createPhiDetector(everyTicks: number, rule: AccrualRule) {
  return createBeats<Arrivals>(everyTicks, {
    begin(now) {
      const arrivals = noArrivals();
      if (rule.formula !== 'textbook') hearBeat(rule, arrivals, now);
      return arrivals;
    },
    receive: (arrivals, now) => hearBeat(rule, arrivals, now),
    deadlineTicks: (arrivals) => suspicionTicks(rule, arrivals),
  });
}

/**
 * The memory of an accrual detector for one member, and its φ: the last arrival and a sliding window of intervals.
 * Each formula has its own estimates. Before the second heartbeat, where the literature states nothing, Akka's guess
 * is used: mean ± mean/4.
 */
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

/**
 * Statistics of the intervals between heartbeats, in ticks. φ, the suspicion of a silence: −log10 P(the next
 * heartbeat is later than now), by the three formulas in use and one of textbooks. N. Hayashibara, X. Défago, R.
 * Yared, T. Katayama, "The φ accrual failure detector", SRDS 2004: normal arrivals. Akka
 * (PhiAccrualFailureDetector): a logistic approximation of that. Cassandra (FailureDetector): exponential arrivals.
 * They disagree: φ = 8 after 1561, 1523 and 18421 ms where beats come every 1000 ± 100 ms.
 */
interface Spread {
  readonly mean: number;
  /** Greater than 0. */
  readonly deviation: number;
}

const LOG_ROOT_TWO_PI = 0.5 * Math.log(2 * Math.PI);
/** Number of terms with which both expansions are exact to the last digits where they meet. */
const SERIES_BELOW = 2.5;
const SERIES_TERMS = 30;
const FRACTION_TERMS = 80;
/** Bound of the search for a crossing, beyond the end of any run. */
const CROSSING_STEPS_MAX = 2 ** 50;

/** The exact φ of normal arrivals, at any distance: 18615 is as good as 0.3. */
export function phiNormal(elapsedTicks: number, { mean, deviation }: Spread): number {
  const z = (elapsedTicks - mean) / deviation;
  const upper = tailNats(Math.abs(z));
  return (z < 0 ? -Math.log1p(-Math.exp(-upper)) : upper) / Math.LN10;
}

/** The same as textbooks compute it, −log10(1 − cdf) in doubles: infinite from some 8.3 deviations on. */
export function phiTextbook(elapsedTicks: number, { mean, deviation }: Spread): number {
  const z = (elapsedTicks - mean) / deviation;
  const tail = Math.exp(-tailNats(Math.abs(z)));
  const errorFunction = z < 0 ? 2 * tail - 1 : 1 - 2 * tail;
  return -Math.log10(1 - 0.5 * (1 + errorFunction));
}

/**
 * Akka's φ: cdf ≈ 1/(1 + e), e = exp(−y(1.5976 + 0.070566y²)). The 0.00014 by which its comment has
 * that err is of the cdf; in φ it is 0.76 at 5 deviations and 6 at 8. The pause that Akka accepts
 * belongs to the mean.
 */
export function phiAkka(elapsedTicks: number, { mean, deviation }: Spread): number {
  const y = (elapsedTicks - mean) / deviation;
  const e = Math.exp(-y * (1.5976 + 0.070566 * y * y));
  // Each branch keeps the digits that the other would cancel.
  return elapsedTicks > mean ? -Math.log10(e / (1 + e)) : -Math.log10(1 - 1 / (1 + e));
}

/** Cassandra's φ: a beat later than t has probability exp(−t/mean). */
export function phiExponential(elapsedTicks: number, { mean }: Pick<Spread, 'mean'>): number {
  return elapsedTicks / mean / Math.LN10;
}

/**
 * The first multiple of `resolutionTicks` at which a φ that never falls has reached `threshold`;
 * Infinity where it does not within 2^50 of them.
 */
export function crossing(
  phiAt: (elapsedTicks: number) => number,
  threshold: number,
  resolutionTicks = 1,
): number {
  const isReached = (steps: number) => phiAt(steps * resolutionTicks) >= threshold;
  if (isReached(0)) return 0;
  let below = 0;
  let reached = 1;
  while (!isReached(reached)) {
    if (reached >= CROSSING_STEPS_MAX) return Number.POSITIVE_INFINITY;
    below = reached;
    reached *= 2;
  }
  while (reached - below > 1) {
    const middle = Math.floor((below + reached) / 2);
    if (isReached(middle)) reached = middle;
    else below = middle;
  }
  return reached * resolutionTicks;
}

/**
 * −ln P(Z > z) of a standard normal Z, for z ≥ 0: near 0 from the series of the area around the mean,
 * whose terms are all positive; further out from Laplace's continued fraction
 * 1/(z + 1/(z + 2/(z + …))) of tail over density, whose logarithm never underflows.
 */
function tailNats(z: number): number {
  const densityNats = 0.5 * z * z + LOG_ROOT_TWO_PI;
  if (z < SERIES_BELOW) {
    let term = z;
    let area = z;
    for (let index = 1; index < SERIES_TERMS; index += 1) {
      term *= (z * z) / (2 * index + 1);
      area += term;
    }
    return -Math.log(0.5 - Math.exp(-densityNats) * area);
  }
  let fraction = z;
  for (let index = FRACTION_TERMS; index > 0; index -= 1) fraction = z + index / fraction;
  return densityNats + Math.log(fraction);
}
