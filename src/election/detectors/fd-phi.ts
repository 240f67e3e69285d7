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
import type { AccrualRule, Arrivals } from './arrivals.ts';
import { hearBeat, noArrivals, suspicionTicks } from './arrivals.ts';
import { createBeats } from './beats.ts';
import {
  BEATING_NODES_MAX,
  defineDetector,
  EVERY_OPTION,
  honestIntervalTicks,
  ticksFrom,
} from './detector-definition.ts';
import type { DetectorOption, DetectorOptions, ReadOption } from './detector-options.ts';

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
