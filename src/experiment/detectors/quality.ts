/**
 * @module
 * The quality of service of a detector from independent observations (Chen, Toueg and Aguilera 2002). Each measure is a
 * ratio of sums over the observations, with the interval of the jackknife (Quenouille 1956; Tukey 1958), since
 * observations are independent and ticks within one are not. The intervals of the rate and of the accuracy are at least
 * those of a Poisson number of mistakes, since a jackknife of few mistakes is too narrow.
 */

import { z } from 'zod';
import { poissonInterval, studentQuantile } from '../theory/statistics.ts';
import type { Observation } from './observation.ts';

const estimateSchema = z.object({
  value: z.number(),
  interval: z
    .tuple([z.number(), z.number()])
    .readonly()
    .nullable()
    .describe('Null if the observations do not vary.'),
});

export type Estimate = z.output<typeof estimateSchema>;

export const qualitySchema = z.object({
  observations: z.int(),
  ticks: z.int().describe('Ticks that were observed before the crashes.'),
  mistakes: z.int().describe('Suspicions of the live node in these ticks.'),
  mistakeRate: estimateSchema.describe(
    'Mistakes a tick. A mistake is the begin of a suspicion: one that lasts throughout is none.',
  ),
  mistakeTicks: estimateSchema.nullable().describe('Null without a mistake.'),
  queryAccuracy: estimateSchema.describe(
    'Probability that a query is answered rightly. Without a mistake it has no interval: it is at least 1 − λT, where λ is the upper end of the mistake rate and T the unknown mean length of a mistake.',
  ),
  detectionTicks: estimateSchema.nullable().describe('Null if no crash was detected.'),
  missed: z.int().describe('Crashes that were never suspected.'),
});

export type Quality = z.output<typeof qualitySchema>;

type Interval = readonly [number, number];
/** With fewer mistakes, the lower end of a jackknife is too low. */
const FEW_BELOW = 20;

type Terms = readonly (readonly [numerator: number, denominator: number])[];

/** The quality that observations of one detector show. At least two observations. */
export function qualityOf(observations: readonly Observation[], confidence: number): Quality {
  const total = (of: (each: Observation) => number) =>
    observations.reduce((sum, each) => sum + of(each), 0);
  const [ticks, mistakes] = [total((each) => each.ticks), total((each) => each.mistakes)];
  const suspected = total((each) => each.suspectedTicks);
  const estimate = (terms: Terms) => ratio(terms, confidence);
  const rate = estimate(observations.map((each) => [each.mistakes, each.ticks]));
  const absence = estimate(observations.map((each) => [each.suspectedTicks, each.ticks]));
  const [least, most] = poissonInterval(mistakes, confidence);
  const covering = ([low, high]: Interval, unit: number): Interval => [
    mistakes < FEW_BELOW || low === 0 ? least * unit : Math.min(low, least * unit),
    Math.max(high, most * unit),
  ];
  const absent =
    absence.interval && covering(absence.interval, absence.value / Math.max(1, mistakes));
  const detected = observations.flatMap(({ detectionTicks }) => detectionTicks ?? []);
  return {
    observations: observations.length,
    ticks,
    mistakes,
    mistakeRate: {
      value: rate.value,
      interval: suspected === ticks ? null : covering(rate.interval ?? [0, 0], 1 / ticks),
    },
    mistakeTicks:
      mistakes === 0
        ? null
        : estimate(observations.map((each) => [each.suspectedTicks, each.mistakes])),
    queryAccuracy: {
      value: (ticks - suspected) / ticks,
      interval: absent && [Math.max(0, 1 - absent[1]), 1 - absent[0]],
    },
    detectionTicks: detected.length === 0 ? null : estimate(detected.map((each) => [each, 1])),
    missed: observations.length - detected.length,
  };
}

/** The interval does not begin below 0. */
function ratio(terms: Terms, confidence: number): Estimate {
  const sums = terms.reduce(([top, bottom], [one, other]) => [top + one, bottom + other] as const, [
    0, 0,
  ] as const);
  const value = sums[0] / sums[1];
  const without = terms.map(([top, bottom]) => (sums[0] - top) / (sums[1] - bottom));
  const middle = without.reduce((sum, each) => sum + each, 0) / without.length;
  const squares = without.reduce((sum, each) => sum + (each - middle) ** 2, 0);
  const deviation = Math.sqrt((squares * (terms.length - 1)) / terms.length);
  if (!(deviation > 0 && Number.isFinite(deviation))) return { value, interval: null };
  const half = deviation * studentQuantile((1 + confidence) / 2, terms.length - 1);
  return { value, interval: [Math.max(0, value - half), value + half] };
}
