/**
 * @module
 * Plans of epochs for the tests, and how often something holds in many runs of one, held against a
 * probability by the exact interval. Quick and slow tests differ in the number of runs alone; seeds
 * were fixed before the first run.
 */

import { expect } from 'vitest';

import type { EpochOutcome, EpochPlan } from '../../../src/experiment/epochs/epochs.ts';
import { simulateEpochs } from '../../../src/experiment/epochs/epochs.ts';
import type { Conduct } from '../../../src/experiment/theory/epoch-conduct.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { deriveSeed, parseSeed } from '../../../src/random.ts';

/** Kept keys from the top down, for every epoch. A key takes two hashes, which are not bounded. */
export const CONDUCT: Conduct = {
  ...{ plan: 'retest', wants: 'top', when: 'each', count: 1, unspent: 'lost' },
  hashes: { perWindow: Number.POSITIVE_INFINITY, perKey: 1, perId: 1, perPuzzle: 1 },
};

/** Honest nodes that neither leave nor join. */
export const STILL_THERE = { churn: 0, newcomers: 0 };

/** One epoch without a puzzle, among n nodes that always join; every key in stock counts. */
export function planWith(
  network: { readonly honest: number; readonly forged: number },
  changes: Partial<EpochPlan> = {},
  revealChoices = 0,
): EpochPlan {
  return {
    epochs: 1,
    salt: 'none',
    honest: { ...STILL_THERE, nodes: network.honest, testsPerWindow: null },
    adversary: { stockKeys: network.forged, testsPerWindow: 0, revealChoices },
    conduct: CONDUCT,
    difficultyBits: 0,
    retargeting: null,
    lifetimeEpochs: null,
    ...changes,
  };
}

/** The runs of a plan, one after the other. */
export function* runsOf(
  plan: EpochPlan,
  { runs, seed }: { readonly runs: number; readonly seed: string },
): Generator<readonly EpochOutcome[]> {
  for (let run = 0; run < runs; run += 1) {
    yield simulateEpochs(plan, deriveSeed(parseSeed(seed), 'run', run));
  }
}

/** In how many runs of a plan something holds. */
export function countRuns(
  plan: EpochPlan,
  sample: { readonly runs: number; readonly seed: string },
  holds: (outcomes: readonly EpochOutcome[]) => boolean,
): number {
  let wins = 0;
  for (const outcomes of runsOf(plan, sample)) if (holds(outcomes)) wins += 1;
  return wins;
}

export function leads(outcomes: readonly EpochOutcome[]): boolean {
  return outcomes.at(-1)?.leader === 'adversary';
}

export function epochsWon(outcomes: readonly EpochOutcome[]): number {
  return outcomes.filter(({ leader }) => leader === 'adversary').length;
}

/** That a frequency agrees with a probability, at 99.99 percent. */
export function expectAgreement(
  { wins, runs }: { readonly wins: number; readonly runs: number },
  probability: number,
  label = '',
): void {
  const [low, high] = exactInterval({ wins, runs, confidence: 0.9999 });
  expect(probability, `${label} above ${low}`).toBeGreaterThanOrEqual(low);
  expect(probability, `${label} below ${high}`).toBeLessThanOrEqual(high);
}
