/**
 * @module
 * How an adversary spends what it saves to raise a difficulty that follows the joins, so that honest nodes find no
 * identity in the windows whose claims count in the last epoch. It waits, begins in a window, and then raises the
 * difficulty in each window as far as it can pay. It compares all windows in which it can begin, by the expected joins.
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
  /** Tests that the saved budget pays for, with that of this window. */
  readonly tests: number;
}

/** Returns the tests of a window. */
export type Spending = (means: Means) => number;

/** The tests of each window, after what has happened so far. */
export function inflatingTests(plan: Inflation): Spending {
  const { epochs, lifetimeEpochs, honest, retargeting, income } = plan;
  const counting = Math.min(lifetimeEpochs ?? epochs, epochs);
  const most = honest.testsPerWindow ?? Number.POSITIVE_INFINITY;
  // Honest nodes join again when their claims expire.
  const joinsAt = (bits: number) =>
    (honest.nodes * -Math.expm1(most * Math.log1p(-(2 ** -bits)))) / counting;

  /** Tests that honest nodes are expected to pass in the windows that matter, if inflation begins in a window. */
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
      // Equal sums differ by rounding, and an earlier window is safer.
      if (sum < best * (1 - EQUAL)) [best, begin] = [sum, epoch];
    }
    const isLast = now.epoch === epochs - 1;
    return isLast || begin > now.epoch ? 0 : raisingTests(now, retargeting);
  };
}

const EQUAL = 1e-9;

/** The tests for the greatest step that can be paid, and all that are left if no step can. */
function raisingTests({ bits, joins, tests }: Means, retargeting: Retargeting): number {
  const { targetJoins, stepBitsMax } = retargeting;
  for (let step = stepBitsMax; step >= 0; step -= 1) {
    const missing = Math.max(0, Math.ceil(targetJoins * 2 ** (step - 1 / 2)) - joins);
    // Two standard deviations more than that, so that the step fails seldom.
    const mean = missing > 0 ? (1 + Math.sqrt(missing)) ** 2 : 0;
    const needed = Math.ceil(mean * 2 ** bits);
    if (needed <= tests) return needed;
  }
  return tests;
}
