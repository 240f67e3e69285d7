/**
 * @module
 * How an adversary divides a saved budget, if a beacon salts the puzzle and only the last epoch matters. A key that is made
 * before claims count can be tested in each window whose claims do. The budget of these windows must pay for the tests, so
 * that neither order of work is always ahead. The divisions are compared by the probability of a lead that expected numbers
 * of tests give. No run is drawn.
 */

import type { Division } from '../theory/epoch-conduct.ts';
import {
  affordable,
  countingWindows,
  isAimed,
  isPuzzleSalted,
  useOfWindow,
  windowBudget,
} from '../theory/epoch-conduct.ts';
import type { EpochPlan } from './epochs.ts';
import { forgerPlanOf } from './epochs.ts';

/** Shares of the budget that are compared. */
const SHARES = 32;
/** Quantiles of the share of IDs that are above all honest ones. */
const QUANTILES = 16;
/** A gain below this is none: the simpler division is taken. */
const NEGLIGIBLE = 1e-6;

/** The best division that is known. Null if the plan has nothing to divide. */
export function divisionOf(plan: EpochPlan): Division | null {
  const { conduct, salt, epochs } = plan;
  const isDivided = conduct.unspent === 'saved' && conduct.when === 'last' && isPuzzleSalted(salt);
  if (!isDivided || conduct.plan === 'fresh') return null;
  const forger = forgerPlanOf(plan);
  const counting = countingWindows(forger);
  const most = (epochs - counting) / epochs;
  const shares =
    most === 0 ? [0] : Array.from({ length: SHARES + 1 }, (_, at) => (most * at) / SHARES);
  const windows = forger.isChanging && isAimed(forger) ? [1, counting] : [counting];
  let best: Division | null = null;
  let bestValue = Number.NEGATIVE_INFINITY;
  for (const last of windows) {
    for (const early of shares) {
      const division = { early, windows: last };
      const value = leadOf({ ...plan, conduct: { ...conduct, division } });
      if (value <= bestValue + NEGLIGIBLE * Math.abs(bestValue)) continue;
      [best, bestValue] = [division, value];
    }
  }
  return best;
}

/** The probability of a lead, or the number of valid keys if all of them count alike. */
function leadOf(plan: EpochPlan): number {
  const { nodes } = plan.honest;
  const valid = 2 ** -plan.difficultyBits;
  if (!isAimed(forgerPlanOf(plan))) return valid * usefulTests(plan, 1);
  // The share of IDs above those of n nodes is Beta(1, n).
  const odds = Array.from({ length: QUANTILES }, (_, at) => {
    const above = -Math.expm1(Math.log1p(-(at + 0.5) / QUANTILES) / nodes);
    return -Math.expm1(-valid * usefulTests(plan, above));
  });
  return odds.reduce((sum, each) => sum + each, 0);
}

/** Expected tests of keys whose IDs are in this share of all, in windows whose claims count. */
function usefulTests(plan: EpochPlan, above: number): number {
  const { epochs, honest, adversary, conduct } = plan;
  const { perKey, perPuzzle } = conduct.hashes;
  const forger = forgerPlanOf(plan);
  const joining = honest.churn * honest.nodes + honest.newcomers;
  let [kept, useful] = [adversary.stockKeys, 0];
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const budget = windowBudget(forger, epoch);
    const use = useOfWindow(forger, epoch);
    if (use === 'hoard') {
      kept += affordable(budget, perKey);
      continue;
    }
    // The probability that none of the nodes that join later has a higher ID.
    const weight = (honest.nodes + 1) / (honest.nodes + 1 + joining * (epochs - 1 - epoch));
    const isAbove = use === 'above';
    const tested = Math.min(isAbove ? above * kept : kept, affordable(budget, perPuzzle));
    const left = { attempts: budget.attempts - tested, hashes: budget.hashes - tested * perPuzzle };
    const made = affordable(left, perKey + (isAbove ? above : 1) * perPuzzle);
    useful += weight * (Math.min(tested, above * kept) + above * made);
    kept += made;
  }
  return useful;
}
