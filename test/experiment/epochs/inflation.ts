/**
 * @module
 * The difficulty inflater: an adversary that wants no rank, but joins in masses, so that a difficulty which
 * follows the joins rises until honest nodes cannot afford a claim any more. The epochs are played twice
 * under one seed, with it and without; honest nodes have the same luck in both, so that a node with a claim
 * in the one and not in the other was priced out.
 */

import type { EpochOutcome, EpochPlan } from '../../../src/experiment/epochs/epochs.ts';
import { simulateEpochs } from '../../../src/experiment/epochs/epochs.ts';
import type { Seed } from '../../../src/random.ts';

/** Epochs whose difficulty follows the joins, and in which the adversary registers whatever it finds. */
export type InflationPlan = EpochPlan & {
  readonly retargeting: NonNullable<EpochPlan['retargeting']>;
};

export interface InflationEpoch {
  readonly epoch: number;
  /** Bits of the puzzle in it; and without the adversary. */
  readonly difficultyBits: number;
  readonly difficultyBitsOtherwise: number;
  /** Claims that the adversary registered in it. */
  readonly massJoins: number;
  /** Honest nodes whose claim counts. */
  readonly admitted: number;
  /** Honest nodes by number, ascending, that have no claim that counts and would have one without it. */
  readonly pricedOut: readonly number[];
}

export interface Inflation {
  readonly epochs: readonly InflationEpoch[];
  /** Bits by which the puzzle was harder at most than without it. */
  readonly inflatedBitsMax: number;
  /** Honest nodes that it has priced out of any epoch. */
  readonly pricedOut: readonly number[];
  /** Tests that the adversary spent on it, stock included. */
  readonly attempts: number;
}

/** What mass joins do to a difficulty that follows them. Throws as `simulateEpochs` does. */
export function inflateDifficulty(plan: InflationPlan, seed: Seed): Inflation {
  const { adversary } = plan;
  const absent = { ...adversary, stockKeys: 0, testsPerWindow: 0, revealChoices: 0 };
  const inflated = simulateEpochs(plan, seed);
  const otherwise = simulateEpochs({ ...plan, adversary: absent }, seed);
  const epochs = inflated.map((outcome, index) => comparedTo(outcome, otherwise[index] ?? outcome));
  const all = new Set(epochs.flatMap(({ pricedOut }) => pricedOut));
  return {
    epochs,
    inflatedBitsMax: Math.max(
      ...epochs.map(({ difficultyBits, difficultyBitsOtherwise }) => {
        return difficultyBits - difficultyBitsOtherwise;
      }),
    ),
    pricedOut: ascending(all),
    attempts: adversary.stockKeys + plan.epochs * adversary.testsPerWindow,
  };
}

function comparedTo(outcome: EpochOutcome, otherwise: EpochOutcome): InflationEpoch {
  const admitted = honestOf(outcome);
  const would = honestOf(otherwise);
  return {
    epoch: outcome.epoch,
    difficultyBits: outcome.difficultyBits,
    difficultyBitsOtherwise: otherwise.difficultyBits,
    massJoins: outcome.joins.adversary,
    admitted: admitted.size,
    pricedOut: ascending([...would].filter((number) => !admitted.has(number))),
  };
}

function honestOf({ ranking }: EpochOutcome): ReadonlySet<number> {
  return new Set(ranking.flatMap(({ owner, number }) => (owner === 'honest' ? [number] : [])));
}

function ascending(numbers: Iterable<number>): readonly number[] {
  return [...numbers].sort((left, right) => left - right);
}
