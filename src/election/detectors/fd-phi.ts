/**
 * @module
 * The accrual detectors: beats as in fd-heartbeat, and a member is suspected when φ of its silence
 * reaches a threshold. φ only grows during a silence, so the tick at which it gets there is computed
 * when a beat comes and set as the deadline. A member counts as heard once when watching begins, or
 * one that never sends a beat would never be suspected; only the textbook form does without, and
 * suspects everybody at once, then nobody until two intervals have been seen.
 *
 * Late beats train it (slow drip): the time to a suspicion grows with the mean that they leave in the
 * window. A ceiling on what one interval may teach ends that.
 */

import type { Timing } from '../timing.ts';
import type { AccrualRule, Arrivals } from './arrivals.ts';
import { hearBeat, noArrivals, suspicionTicks } from './arrivals.ts';
import { createBeats } from './beats.ts';
import type { AnyDetector } from './detector.ts';
import type { DetectorDefinition } from './detector-definition.ts';
import {
  BEATING_NODES_MAX,
  defineDetector,
  EVERY_OPTION,
  honestIntervalTicks,
  ticksFrom,
} from './detector-definition.ts';
import type {
  DetectorOption,
  DetectorOptions,
  GivenOptions,
  ReadOption,
} from './detector-options.ts';

const PHI_SOURCE =
  'N. Hayashibara, X. Défago, R. Yared, T. Katayama, The φ accrual failure detector, SRDS 2004';

/** Of those that take intervals as normal, more or less. */
const MIN_DEVIATION_OPTION: DetectorOption = {
  ...ticksFrom(1),
  meaning: 'ticks below which the deviation is not believed',
  // 100 ms where beats come every second.
  byDefault: (_timing, read) => Math.max(1, Math.round(read.number('every') / 10)),
};

export const FD_PHI_NORMAL = defineDetector(
  accrual('fd-phi-normal', {
    rule: 'suspects when φ of the silence reaches the threshold, intervals taken as normal',
    source: PHI_SOURCE,
    pauseTicks: () => 0,
    more: {
      minDeviation: MIN_DEVIATION_OPTION,
      form: {
        type: 'word',
        values: ['exact', 'textbook'],
        meaning:
          'how φ is computed; textbook: sample deviation without minDeviation, 1 − cdf in doubles, no first guess',
      },
    },
    formula: (read) => (read.text('form') === 'textbook' ? 'textbook' : 'normal'),
    clash: (read, given) =>
      read.text('form') === 'textbook' && given.minDeviation !== undefined
        ? 'has form=textbook, to which minDeviation is nothing'
        : null,
  }),
);

export const FD_PHI_AKKA = defineDetector(
  accrual('fd-phi-akka', {
    rule: 'suspects when φ of the silence reaches the threshold, by a logistic approximation',
    source: 'Akka, PhiAccrualFailureDetector',
    // Three seconds where beats come every second.
    pauseTicks: (_timing, read) => 3 * read.number('every'),
    more: { minDeviation: MIN_DEVIATION_OPTION },
    formula: () => 'akka',
    clash: null,
  }),
);

export const FD_PHI_EXP = defineDetector(
  accrual('fd-phi-exp', {
    rule: 'suspects when φ of the silence reaches the threshold, intervals taken as exponential',
    source: 'Apache Cassandra, FailureDetector',
    pauseTicks: () => 0,
    more: {},
    formula: () => 'exponential',
    clash: null,
  }),
);

function accrual<Name extends string>(
  name: Name,
  kind: {
    readonly rule: string;
    readonly source: string;
    readonly pauseTicks: (timing: Timing, read: ReadOption) => number;
    readonly more: DetectorOptions;
    readonly formula: (read: ReadOption) => AccrualRule['formula'];
    readonly clash: ((read: ReadOption, given: GivenOptions) => string | null) | null;
  },
) {
  const ruleOf = (timing: Timing, read: ReadOption): AccrualRule => ({
    formula: kind.formula(read),
    threshold: read.number('threshold'),
    windowIntervals: read.number('window'),
    // Exponential arrivals have no deviation.
    deviationTicksMin: Object.hasOwn(kind.more, 'minDeviation') ? read.number('minDeviation') : 0,
    pauseTicks: read.number('pause'),
    intervalTicksMax: capTicks(timing, read),
    guessTicks: read.number('every'),
  });
  return {
    name,
    rule: kind.rule,
    messageBound: 'n(n−1) a period',
    source: kind.source,
    messages: { FD_HEARTBEAT: { seq: 'integer' } },
    options: { ...accrualOptions(kind.pauseTicks), ...kind.more },
    nodesMax: BEATING_NODES_MAX,
    clash: kind.clash,
    detectionTicks: (timing: Timing, read: ReadOption) => {
      const rule = ruleOf(timing, read);
      const arrivals = noArrivals();
      for (let beats = 0; beats < 3; beats += 1) hearBeat(rule, arrivals, beats * rule.guessTicks);
      return timing.latencyTicksMax + suspicionTicks(rule, arrivals);
    },
    create: (timing: Timing, read: ReadOption): AnyDetector =>
      createPhiDetector(read.number('every'), ruleOf(timing, read)),
  } as const satisfies DetectorDefinition;
}

function accrualOptions(pauseTicks: (timing: Timing, read: ReadOption) => number): DetectorOptions {
  return {
    every: EVERY_OPTION,
    threshold: {
      type: 'number',
      min: 0.001,
      max: 10_000,
      decimal: true,
      meaning: 'φ from which a member is suspected',
      byDefault: () => 8,
    },
    window: {
      type: 'number',
      min: 2,
      max: 10_000,
      meaning: 'how many intervals are remembered',
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
      meaning: 'ticks that one interval may teach at most; on: what latency can explain',
      byDefault: () => 'off',
    },
  };
}

function capTicks(timing: Timing, read: ReadOption): number {
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
    hear: (arrivals, now) => hearBeat(rule, arrivals, now),
    deadlineTicks: (arrivals) => suspicionTicks(rule, arrivals),
  });
}
