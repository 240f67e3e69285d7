/**
 * @module
 * When an experiment that continues until its verdict is decided looks at its runs, and at which confidence.
 * The looks are fixed before the first run. With J looks, each interval has the confidence 1 − α/J instead
 * of 1 − α. So all intervals together contain the probability at least as often as the document's confidence
 * says (Bonferroni), and stopping at a favourable look does not make a verdict less certain.
 */

import type { ThreatModel } from '../document/threat-model.ts';
import { exactInterval } from '../theory/statistics.ts';
import { compare } from './verdict.ts';

const ROUNDING = 1e6;
const FIRST_LOOK = 10;
const GROWTH = 1.5;

/** The numbers of runs at which to look, ascending. The last one is `runsMax`. */
export function looksUpTo(runsMax: number): readonly number[] {
  const looks: number[] = [];
  for (let runs = FIRST_LOOK; runs < runsMax; runs = Math.ceil(GROWTH * runs)) looks.push(runs);
  return [...looks, runsMax];
}

/** The model with the confidence that each of several looks needs. */
export function atEachLook(model: ThreatModel, looks: number): ThreatModel {
  if (looks === 1) return model;
  const share = (1 - model.expect.confidence) / looks;
  // Rounded to a shorter number on the safe side.
  const confidence = 1 - (Math.floor(share * ROUNDING) / ROUNDING || share);
  return { ...model, expect: { ...model.expect, confidence } };
}

/** The runs with the property, for each group of protocols. */
interface Counts {
  readonly runs: number;
  readonly wins: readonly number[];
}

/** Whether the verdict on the document is true or false: one group is false, or all are true. */
export function isDecided({ expect }: ThreatModel, { runs, wins }: Counts): boolean {
  const values = wins.map((each) => {
    const interval = exactInterval({ wins: each, runs, confidence: expect.confidence });
    return compare(expect, { frequency: each / runs, interval });
  });
  return values.includes('false') || values.every((value) => value === 'true');
}

/** Least number of runs that can confirm the expectation. Infinity if no number can. */
export function confirmingRuns({ expect }: ThreatModel): number {
  const { comparison, probability, confidence } = expect;
  // The exact interval without wins ends at 1 − (α/2)^(1/n).
  const lost = comparison === 'at-most' ? Math.log1p(-probability) : Math.log(probability);
  if (lost === 0) return Number.POSITIVE_INFINITY;
  if (lost === Number.NEGATIVE_INFINITY) return 1;
  const runs = Math.max(1, Math.round(Math.log((1 - confidence) / 2) / lost));
  const confirms = (count: number) => {
    const wins = comparison === 'at-most' ? 0 : count;
    const interval = exactInterval({ wins, runs: count, confidence });
    return compare(expect, { frequency: wins / count, interval }) === 'true';
  };
  return confirms(runs) ? runs : runs + 1;
}

/**
 * About how many more runs decide if the frequencies stay as they are. Infinity if a frequency is the bound
 * itself.
 */
export function runsStillNeeded(model: ThreatModel, { runs, wins }: Counts): number {
  const total = (share: number) => {
    let count = Math.max(runs, 1);
    while (
      count < TOTAL_MAX &&
      !isDecided(model, { runs: count, wins: [Math.round(share * count)] })
    ) {
      count = Math.ceil(1.1 * count);
    }
    return count < TOTAL_MAX ? count : Number.POSITIVE_INFINITY;
  };
  if (isDecided(model, { runs, wins })) return 0;
  return Math.max(...wins.map((each) => total(each / runs))) - runs;
}

const TOTAL_MAX = 1e9;
