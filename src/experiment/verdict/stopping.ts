/**
 * @module
 * When an experiment that continues until its verdict is decided looks at its runs, and at which confidence.
 * The looks are fixed before the first run. With J looks, each interval has the confidence 1 − α/J instead
 * of 1 − α (`sharedAmong`). So all intervals together contain the probability at least as often as the document's confidence
 * says (Bonferroni), and stopping at a favourable look does not make a verdict less certain.
 */

import type { ThreatModel } from '../document/threat-model.ts';
import { exactInterval } from '../theory/statistics.ts';
import type { Measured } from './verdict.ts';
import { compare, documentValue, measure, measureOne } from './verdict.ts';

const FIRST_LOOK = 10;
const GROWTH = 1.5;

/** The numbers of runs at which to look, ascending. The last one is `runsMax`. */
export function looksUpTo(runsMax: number): readonly number[] {
  const looks: number[] = [];
  for (let runs = FIRST_LOOK; runs < runsMax; runs = Math.ceil(GROWTH * runs)) looks.push(runs);
  return [...looks, runsMax];
}

/** The runs with the property, for each group of protocols. */
export interface Counts {
  readonly runs: number;
  readonly wins: readonly number[];
  /** For each group, whether every run of it is the same. By default no run is. */
  readonly constant?: readonly boolean[];
}

/** Whether the verdict on the document is true or false. */
export function isDecided(model: ThreatModel, counts: Counts): boolean {
  return documentValue(model, measuredGroups(model, counts)) !== 'unknown';
}

/** The measurement of each group. */
export function measuredGroups(
  model: ThreatModel,
  { runs, wins, constant = [] }: Counts,
): readonly Measured[] {
  return wins.map((each, group) =>
    constant[group] === true
      ? measureOne({ runs, wins: each })
      : measure(model, { runs, wins: each }),
  );
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
export function runsStillNeeded(model: ThreatModel, { runs, wins, constant = [] }: Counts): number {
  const isDecidedAfter = (count: number) => {
    const scaled = wins.map((each) => Math.round((each / runs) * count));
    return isDecided(model, { runs: count, wins: scaled, constant });
  };
  let count = Math.max(runs, 1);
  while (count < TOTAL_MAX && !isDecidedAfter(count)) count = Math.ceil(1.1 * count);
  return count < TOTAL_MAX ? count - runs : Number.POSITIVE_INFINITY;
}

const TOTAL_MAX = 1e9;
