/**
 * @module
 * This folder contains the answer of an experiment: verdict, closed form and report. A verdict is `true` or
 * `false` if the whole interval is on one side of the bound, else `unknown`. An expectation of at most 0 or
 * at least 1 can be refuted but never confirmed by runs.
 *
 * The verdict on a document is `true` if it is true of all its protocols, and `false` if it is false of one.
 * With k protocols a wrong `false` has k chances. So the interval of each one must be outside at the confidence
 * 1 − α/k for `false` (Bonferroni; the first step of Holm is the same). For `true` all must be true together,
 * so each needs only 1 − α (intersection–union test, Berger 1982).
 */

import { z } from 'zod';
import { deviceText } from '../../mining/device/facts.ts';
import { responseOf } from '../document/response-schema.ts';
import type { Adversary, SearchRates, ThreatModel } from '../document/threat-model.ts';
import { ANY_ONE, adversariesOf, measuredRate, TOGETHER } from '../document/threat-model.ts';
import { counted } from '../document/wording.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { isTimed, rateOf } from '../runs/budget.ts';
import type { ProtocolGroup } from '../runs/protocol-groups.ts';
import { exactInterval } from '../theory/statistics.ts';

export const verdictSchema = z.object({
  value: z.enum(['true', 'false', 'unknown']),
  sentence: z.string(),
  reason: z.string(),
  confidence: z
    .number()
    .nullable()
    .describe('Of the interval that decides. Null if every run is the same.'),
});

export type Verdict = z.output<typeof verdictSchema>;

export const measuredSchema = z.object({
  runs: z.int(),
  wins: z.int(),
  frequency: z.number(),
  interval: z
    .tuple([z.number(), z.number()])
    .readonly()
    .nullable()
    .describe('Null if every run is the same, so that one was made.'),
});

export type Measured = z.output<typeof measuredSchema>;

type Expectation = ThreatModel['expect'];

/** Frequency and interval of the expected property. Throws RangeError if no run was finished. */
export function measure(
  { expect }: ThreatModel,
  { runs, wins }: Pick<Measured, 'runs' | 'wins'>,
): Measured {
  const interval = exactInterval({ wins, runs, confidence: expect.confidence });
  return { runs, wins, frequency: wins / runs, interval };
}

/** The measurement of runs that are all the same: one of them. Throws TypeError if they differ. */
export function measureOne({ runs, wins }: Pick<Measured, 'runs' | 'wins'>): Measured {
  if (wins !== 0 && wins !== runs) {
    throw new TypeError(`"wins" expected 0 or ${runs} of equal runs, got ${wins}`);
  }
  const frequency = wins === 0 ? 0 : 1;
  return { runs: 1, wins: frequency, frequency, interval: null };
}

const ROUNDING = 1e6;

/** The model with the confidence that each of several intervals needs, so that together they have its own. */
export function sharedAmong(model: ThreatModel, intervals: number): ThreatModel {
  if (intervals <= 1) return model;
  const share = (1 - model.expect.confidence) / intervals;
  // Rounded to a shorter number on the safe side.
  const confidence = 1 - (Math.floor(share * ROUNDING) / ROUNDING || share);
  return { ...model, expect: { ...model.expect, confidence } };
}

/**
 * Judges a measurement. `rateMeasured` as in `budgetAttempts`. `where` is a clause with the protocols, such as
 * ` with raft`, for the sentence.
 */
export function judge(
  model: ThreatModel,
  measured: Measured,
  rateMeasured: SearchRates,
  where = '',
): Verdict {
  const { property, count, comparison, confidence, probability } = model.expect;
  const value = compare(model.expect, measured);
  const happened = PROPERTIES[property].happened(subjectOf(model, rateMeasured), count);
  const limit = `${comparison.replace('-', ' ')} ${shortPercent(probability)} %`;
  const required = `${limit} is ${comparison === 'at-most' ? 'allowed' : 'required'}`;
  if (measured.interval === null) {
    const figures = `${happened} in ${measured.wins === 0 ? 'no' : 'every'} run (${ALL_SAME})`;
    const holds = value === 'true' ? 'True: the expectation holds' : FALSE;
    const sentence = `${holds}${where}, as ${figures} and ${required}.`;
    return { value, sentence, reason: ALL_SAME, confidence: null };
  }
  const { frequency, low, high, bound } = percentages(
    { ...measured, interval: measured.interval },
    probability,
  );
  const figures =
    `${happened} in ${measured.wins} of ${measured.runs} runs ` +
    `(${frequency} %, ${shortPercent(confidence)} % interval ${low}–${high} %)`;
  const interval = `the whole interval ${low}–${high} % is`;
  switch (value) {
    case 'unknown':
      return {
        value,
        sentence: `Unknown: the runs do not decide${where}, as ${figures} and the interval contains the bound of ${bound} %.`,
        reason: `the bound ${bound} % is within the interval ${low}–${high} %; more runs make the interval narrower`,
        confidence,
      };
    case 'true':
      return {
        value,
        sentence: `True: the expectation holds${where}, as ${figures} and ${required}.`,
        reason: `${interval} ${comparison === 'at-most' ? 'below' : 'above'} the bound ${bound} %`,
        confidence,
      };
    case 'false':
      return {
        value,
        sentence: `${FALSE}${where}, as ${figures} and ${required}.`,
        reason: `${interval} ${comparison === 'at-most' ? 'above' : 'below'} the bound ${bound} %`,
        confidence,
      };
    default:
      return value satisfies never;
  }
}

const ALL_SAME = 'every run is the same; one was made';
const FALSE = 'False: the expectation does not hold';

/** What was measured with a group of protocols. */
export interface Judged {
  readonly protocols: ProtocolGroup;
  readonly measured: Measured;
}

/** The verdict on a document, and the protocols that decide it. */
export interface DocumentVerdict extends Verdict {
  /** Empty if no election was held. */
  readonly protocols: ProtocolGroup;
}

/** The verdict on a group of protocols. It names them if there are several groups. */
export function groupVerdict(
  model: ThreatModel,
  { protocols, measured }: Judged,
  groups: readonly unknown[],
  rateMeasured: SearchRates,
): Verdict {
  const where = groups.length === 1 ? '' : ` with ${protocols.join(', ')}`;
  return judge(model, measured, rateMeasured, where);
}

/** The value of the verdict on a document with these measurements of its groups. */
export function documentValue(model: ThreatModel, groups: readonly Measured[]): Verdict['value'] {
  const values = groups.map((each) => valueIn(model, each, groups));
  return WORST_FIRST.find((value) => values.includes(value)) ?? 'unknown';
}

/** The model at the confidence that each group needs to make a document false. */
function refuting(model: ThreatModel, groups: readonly Measured[]): ThreatModel {
  return sharedAmong(model, groups.filter(({ interval }) => interval !== null).length);
}

/** What one of the groups contributes to the verdict on the document. */
function valueIn(
  model: ThreatModel,
  measured: Measured,
  groups: readonly Measured[],
): Verdict['value'] {
  if (compare(model.expect, measured) === 'true') return 'true';
  const strict = refuting(model, groups);
  return compare(strict.expect, again(strict, measured)) === 'false' ? 'false' : 'unknown';
}

/** The measurement at the confidence of another model. */
function again(model: ThreatModel, measured: Measured): Measured {
  return measured.interval === null ? measured : measure(model, measured);
}

/** The verdict on the document, decided by the worst of its groups: false before unknown before true. */
export function documentVerdict(
  model: ThreatModel,
  groups: readonly Judged[],
  rateMeasured: SearchRates,
): DocumentVerdict {
  const all = groups.map(({ measured }) => measured);
  const badness = ({ measured }: Judged): number => {
    const { frequency } = measured;
    const rank = WORST_FIRST.indexOf(valueIn(model, measured, all));
    return (model.expect.comparison === 'at-most' ? frequency : 1 - frequency) - 2 * rank;
  };
  const [first, ...others] = groups;
  if (first === undefined) throw new RangeError('"groups" expected at least one, got none');
  const worst = others.reduce(
    (left, right) => (badness(right) > badness(left) ? right : left),
    first,
  );
  const deciding = groups.filter(({ measured }) => measured.frequency === worst.measured.frequency);
  const protocols = deciding.flatMap((each) => each.protocols);
  const isTrue = valueIn(model, worst.measured, all) === 'true';
  const where = whereText(groups.length, deciding.length, { protocols, isTrue });
  const isShared = compare(model.expect, worst.measured) === 'false';
  const level = isShared ? refuting(model, all) : model;
  return { ...judge(level, again(level, worst.measured), rateMeasured, where), protocols };
}

/** The deciding protocols, as a clause. Empty if there is only one group. */
function whereText(
  groups: number,
  deciding: number,
  { protocols, isTrue }: { readonly protocols: ProtocolGroup; readonly isTrue: boolean },
): string {
  if (groups === 1) return '';
  const all = ` with ${isTrue ? 'each' : 'any'} of the ${groups} protocols`;
  const names = protocols.join(', ');
  if (deciding === groups) return all;
  return isTrue ? `${all}, least clearly with ${names}` : ` with ${names}`;
}

const WORST_FIRST: readonly Verdict['value'][] = ['false', 'unknown', 'true'];

/** On which side of the bound the interval is. */
export function compare(
  { comparison, probability }: Expectation,
  { frequency, interval }: Pick<Measured, 'frequency' | 'interval'>,
): Verdict['value'] {
  // A single frequency decides if every run is the same.
  const [low, high] = interval ?? [frequency, frequency];
  switch (comparison) {
    case 'at-most':
      return high <= probability ? 'true' : low > probability ? 'false' : 'unknown';
    case 'at-least':
      return low >= probability ? 'true' : high < probability ? 'false' : 'unknown';
    default:
      return comparison satisfies never;
  }
}

/** The adversaries as the subject of a clause. */
function subjectOf(model: ThreatModel, rateMeasured: SearchRates): string {
  const adversaries = adversariesOf(model).map(([, adversary]) => adversary);
  const [only, ...others] = adversaries;
  if (only === undefined) return 'an adversary, of which the model has none,';
  if (others.length > 0) {
    const all = `the ${adversaries.length} adversaries`;
    const { by = TOGETHER } = model.expect;
    if (by === TOGETHER) return `${all} together`;
    return by === ANY_ONE ? `one of ${all} by itself` : `the adversary ${by}`;
  }
  const { identities, stockpile, budget } = only;
  const { behaviours } = responseOf(only);
  const hasOther = identities > 0 || stockpile !== undefined;
  const means = [
    ...(identities === 0 ? [] : [counted(identities, 'ordinary identity')]),
    ...(stockpile === undefined ? [] : [`${counted(stockpile, 'key')} in stock`]),
    ...(budget.attempts === 0 && hasOther ? [] : [budgetText(model, only, rateMeasured)]),
  ];
  const acts =
    behaviours.length === 0
      ? ''
      : ` and the ${behaviours.length === 1 ? 'behaviour' : 'behaviours'} ${behaviours.join(', ')}`;
  return `the adversary with ${means.join(' and ')}${acts}`;
}

/** The budget of an adversary in words, with the rate that converts seconds. */
export function budgetText(
  model: ThreatModel,
  adversary: Adversary,
  rateMeasured: SearchRates,
): string {
  const { attempts, hashes, cpuSeconds, wallSeconds } = adversary.budget;
  const bounds = [
    attempts === undefined ? [] : [counted(attempts, 'attempt')],
    hashes === undefined ? [] : [counted(hashes, 'hash')],
    cpuSeconds === undefined ? [] : [counted(cpuSeconds, 'CPU second')],
    wallSeconds === undefined ? [] : [counted(wallSeconds, 'second')],
  ].flat();
  const text = bounds.join(' or ');
  if (model.work === 'mined' || !isTimed(adversary.budget)) return text;
  const rate = Math.round(rateOf(model, adversary, rateMeasured));
  const measured = measuredRate(model, adversary, rateMeasured);
  const on = measured?.device === undefined ? '' : ` (${deviceText(measured.device)})`;
  return `${text} at ${measured === undefined ? '' : 'a measured '}${rate} candidates/s${on}`;
}

const DECIMALS_MAX = 8;

/**
 * Frequency, ends and bound in per cent, with enough decimals (at least one) to distinguish the ends from
 * each other and from the bound.
 */
function percentages(
  { frequency, interval: [low, high] }: Measured & { readonly interval: readonly [number, number] },
  bound: number,
) {
  let decimals = 1;
  const shown = (value: number) => (100 * value).toFixed(decimals);
  const differ = (left: number, right: number) => left === right || shown(left) !== shown(right);
  while (
    decimals < DECIMALS_MAX &&
    !(differ(low, high) && differ(low, bound) && differ(high, bound))
  ) {
    decimals += 1;
  }
  return {
    frequency: shown(frequency),
    low: shown(low),
    high: shown(high),
    bound: shortPercent(bound),
  };
}

/** Without the digits that doubles add: 0.07 is 7, not 7.000000000000001. */
export function shortPercent(value: number): string {
  return String(Number((100 * value).toPrecision(12)));
}
