/**
 * @module
 * Computes how an adversary spends its saved budget to raise a difficulty that follows the joins. Its aim is that honest
 * nodes find no identity in the windows whose claims count in the last epoch. It waits until a first window. From then on it
 * raises the difficulty in each window as far as it can pay. It compares all first windows by the expected joins of honest
 * nodes.
 */

import type { Retargeting } from './retargeting.ts';
import { retargetedBits } from './retargeting.ts';

export interface Inflation {
  readonly epochs: number;
  readonly lifetimeEpochs: number | null;
  readonly honest: { readonly nodes: number; readonly testsPerWindow: number | null };
  readonly retargeting: Retargeting;
  /** Tests that the budget of a window pays for. */
  readonly income: number;
}

/** What an adversary knows when it spends. */
export interface Means {
  readonly epoch: number;
  readonly bits: number;
  /** Joins of honest nodes in this window. */
  readonly joins: number;
  /** Tests that the saved budget and the budget of this window pay for. */
  readonly tests: number;
}

/** Returns the number of tests in a window. */
export type Spending = (means: Means) => number;

/** Returns the function that computes the tests of each window from what has happened so far. */
export function inflatingTests(plan: Inflation): Spending {
  const { epochs, lifetimeEpochs, honest, retargeting, income } = plan;
  const counting = Math.min(lifetimeEpochs ?? epochs, epochs);
  const most = honest.testsPerWindow ?? Number.POSITIVE_INFINITY;
  // Honest nodes join again when their claims expire.
  const joinsAt = (bits: number) =>
    (honest.nodes * -Math.expm1(most * Math.log1p(-(2 ** -bits)))) / counting;

  /** Chance that a test of an honest node passes, summed over the windows that matter, if inflation begins in `begin`. */
  function passed(begin: number, now: Means): number {
    let [{ bits, joins, tests }, sum] = [now, 0];
    for (let epoch = now.epoch; epoch < epochs; epoch += 1) {
      if (epoch >= epochs - counting) sum += 2 ** -bits;
      const spent = epoch < begin ? 0 : raisingTests({ epoch, bits, joins, tests }, retargeting);
      bits = retargetedBits({ bits, joins: joins + spent * 2 ** -bits }, retargeting);
      joins = joinsAt(bits);
      tests += income - spent;
    }
    return sum;
  }

  return (now) => {
    let [best, begin] = [Number.POSITIVE_INFINITY, now.epoch];
    // The joins of the last window raise the difficulty of no epoch that is judged.
    for (let epoch = now.epoch; epoch < epochs - 1; epoch += 1) {
      const sum = passed(epoch, now);
      // Equal sums can differ by rounding. Of equal sums, the earlier window is safer.
      if (sum < best * (1 - EQUAL)) [best, begin] = [sum, epoch];
    }
    const isLast = now.epoch === epochs - 1;
    return isLast || begin > now.epoch ? 0 : raisingTests(now, retargeting);
  };
}

const EQUAL = 1e-9;

/** Returns the tests for the greatest step that the adversary can pay, or all tests that are left if it can pay none. */
function raisingTests({ bits, joins, tests }: Means, retargeting: Retargeting): number {
  const { targetJoins, stepBitsMax } = retargeting;
  for (let step = stepBitsMax; step >= 0; step -= 1) {
    const missing = Math.max(0, Math.ceil(targetJoins * 2 ** (step - 1 / 2)) - joins);
    // The mean is two standard deviations above the missing joins, so that the step seldom fails.
    const mean = missing > 0 ? (1 + Math.sqrt(missing)) ** 2 : 0;
    const needed = Math.ceil(mean * 2 ** bits);
    if (needed <= tests) return needed;
  }
  return tests;
}
