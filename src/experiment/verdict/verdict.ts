/**
 * @module
 * The answer to a document's `expect`: `true` or `false` where the whole interval lies on one side of
 * the bound, else `unknown`. An expectation of at most 0 or at least 1 can be refuted but never
 * confirmed by runs.
 */

import { PROPERTIES } from '../document/property.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { isTimed, rateOf } from '../runs/budget.ts';
import type { Tally } from '../runs/tally.ts';
import { wilsonInterval } from '../theory/statistics.ts';

export interface Verdict {
  readonly value: 'true' | 'false' | 'unknown';
  /** One plain sentence with the figures. */
  readonly sentence: string;
  /** Where the interval lies. */
  readonly reason: string;
}

export interface Measured {
  readonly runs: number;
  readonly wins: number;
  readonly frequency: number;
  /** Wilson's interval at the document's confidence. */
  readonly interval: readonly [number, number];
}

type Expectation = ThreatModel['expect'];

/** Frequency and interval of the expected property. Throws RangeError if no run was finished. */
export function measure({ expect }: ThreatModel, { runs, wins }: Tally): Measured {
  const interval = wilsonInterval({ wins, runs, confidence: expect.confidence });
  return { runs, wins, frequency: wins / runs, interval };
}

/** Judges a measurement; `rateMeasured` as in `budgetAttempts`. */
export function judge(
  model: ThreatModel,
  measured: Measured,
  rateMeasured: number | null,
): Verdict {
  const { expect } = model;
  const value = compare(expect, measured.interval);
  const [frequency, low, high, bound] = percentages(measured, expect.probability);
  const title = { true: 'True', false: 'False', unknown: 'Unknown' }[value];
  const confidence = shortPercent(expect.confidence);
  const { clause } = PROPERTIES[expect.property];
  const happened = clause(subjectOf(model, rateMeasured), expect.places);
  const sentence =
    `${title}: ${happened} in ${measured.wins} of ${measured.runs} runs (${frequency} %, ` +
    `${confidence} % interval ${low}–${high} %), ${consequence(expect, value)} ${bound} %.`;
  return { value, sentence, reason: reasonOf(value, expect, { low, high, bound }) };
}

function compare(
  { comparison, probability }: Expectation,
  [low, high]: readonly [number, number],
): Verdict['value'] {
  switch (comparison) {
    case 'at-most':
      return high <= probability ? 'true' : low > probability ? 'false' : 'unknown';
    case 'at-least':
      return low >= probability ? 'true' : high < probability ? 'false' : 'unknown';
    default:
      return comparison satisfies never;
  }
}

/** Who it is about, as a property's clause begins. */
function subjectOf(model: ThreatModel, rateMeasured: number | null): string {
  const adversaries = adversariesOf(model).map(([, adversary]) => adversary);
  const [only, ...others] = adversaries;
  if (only === undefined) return 'no adversary took part, so one';
  if (others.length > 0) return `one of the ${adversaries.length} adversaries`;
  const { behaviours, identities } = only;
  const means = [
    ...(identities === 0 ? [] : [identities === 1 ? '1 identity' : `${identities} identities`]),
    ...(only.stockpile === undefined ? [] : [`${only.stockpile} keys in stock`]),
    ...(isIdle(only) && (identities > 0 || only.stockpile !== undefined)
      ? []
      : [budgetText(model, only, rateMeasured)]),
  ];
  const acts = behaviours.length === 0 ? '' : `, by ${behaviours.join(' and ')},`;
  return `the adversary with ${means.join(' and ')}${acts}`;
}

/** Whether it may spend nothing. */
function isIdle({ budget }: Adversary): boolean {
  return budget.attempts === 0;
}

function budgetText(model: ThreatModel, adversary: Adversary, rateMeasured: number | null): string {
  const { attempts, hashes, cpuSeconds, wallSeconds } = adversary.budget;
  const bounds = [
    attempts === undefined ? [] : [`${attempts} attempts`],
    hashes === undefined ? [] : [`${hashes} hashes`],
    cpuSeconds === undefined ? [] : [`${cpuSeconds} CPU seconds`],
    wallSeconds === undefined ? [] : [`${wallSeconds} seconds`],
  ].flat();
  const text = bounds.join(' or ');
  if (model.work === 'mined' || !isTimed(adversary.budget)) return text;
  const rate = Math.round(rateOf(adversary, rateMeasured));
  return `${text} at ${adversary.rate === 'measured' ? 'a measured ' : ''}${rate} candidates/s`;
}

function consequence({ comparison }: Expectation, value: Verdict['value']): string {
  const bound = comparison === 'at-most' ? 'allowed' : 'required';
  switch (value) {
    case 'true':
      return comparison === 'at-most'
        ? `which stays within the ${bound}`
        : `which reaches the ${bound}`;
    case 'false':
      return comparison === 'at-most'
        ? `which exceeds the ${bound}`
        : `which falls short of the ${bound}`;
    case 'unknown':
      return `which is too wide to compare with the ${bound}`;
    default:
      return value satisfies never;
  }
}

function reasonOf(
  value: Verdict['value'],
  { comparison }: Expectation,
  text: { readonly low: string; readonly high: string; readonly bound: string },
): string {
  const interval = `${text.low}–${text.high} %`;
  if (value === 'unknown') {
    return `the bound ${text.bound} % lies within the interval ${interval}; more runs narrow it`;
  }
  const isBelow = (value === 'true') === (comparison === 'at-most');
  return `the whole interval ${interval} lies ${isBelow ? 'below' : 'above'} the bound ${text.bound} %`;
}

const DECIMALS_MAX = 8;

/**
 * Frequency, ends and bound in per cent, with as many decimals (at least one) as tell the ends from
 * each other and from the bound.
 */
function percentages(
  { frequency, interval: [low, high] }: Measured,
  bound: number,
): readonly [string, string, string, string] {
  let decimals = 1;
  const shown = (value: number) => (100 * value).toFixed(decimals);
  const tells = (left: number, right: number) => left === right || shown(left) !== shown(right);
  while (
    decimals < DECIMALS_MAX &&
    !(tells(low, high) && tells(low, bound) && tells(high, bound))
  ) {
    decimals += 1;
  }
  return [shown(frequency), shown(low), shown(high), shortPercent(bound)];
}

/** Without the digits that doubles add: 0.07 is 7, not 7.000000000000001. */
function shortPercent(value: number): string {
  return String(Number((100 * value).toPrecision(12)));
}
