/**
 * @module
 * The attempts that a budget pays for in sampled work, where nothing is mined: attempts as they are, hashes
 * by the strategy's cost of an attempt, seconds by the adversary's rate.
 */

import { affordableAttempts } from '../../mining/ledger.ts';
import { STRATEGIES } from '../../mining/strategies.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import type { Observations } from './observations.ts';

/** Whether sampled runs of the model require the rate of this machine. */
export function needsMeasuredRate(model: ThreatModel): boolean {
  return (
    model.work === 'sampled' &&
    adversariesOf(model).some(([, { rate, budget }]) => rate === 'measured' && isTimed(budget))
  );
}

/** Whether the budget has a bound in seconds. */
export function isTimed(budget: Adversary['budget']): boolean {
  return budget.cpuSeconds !== undefined || budget.wallSeconds !== undefined;
}

/**
 * The attempts that the adversary's budget pays for. `rateMeasured`, in candidates per second, is the value
 * of `rate: measured`. Throws TypeError if a rate is needed and there is none.
 */
export function budgetAttempts(
  model: ThreatModel,
  adversary: Adversary,
  rateMeasured: number | null,
): number {
  const { budget, strategy } = adversary;
  const { scheme, ...policy } = model.network.identity;
  const counted = affordableAttempts(budget, STRATEGIES[strategy].cost(policy, scheme));
  if (!isTimed(budget)) return counted;
  const rate = rateOf(adversary, rateMeasured);
  const seconds = Math.min(
    budget.cpuSeconds ?? Number.POSITIVE_INFINITY,
    budget.wallSeconds ?? Number.POSITIVE_INFINITY,
  );
  return Math.min(counted, Math.floor(seconds * rate));
}

/** The settings that replace a budget in seconds by the attempts that it paid for, for replay commands. */
export function pinnedBudget(
  name: string,
  { cpuSeconds, wallSeconds }: Adversary['budget'],
  attempts: number,
): readonly string[] {
  const path = `adversaries.${name}.budget`;
  return [
    `${path}.attempts=${attempts}`,
    ...(cpuSeconds === undefined ? [] : [`${path}.cpuSeconds=null`]),
    ...(wallSeconds === undefined ? [] : [`${path}.wallSeconds=null`]),
  ];
}

/** The attempts of all adversaries, and their cost by the cost model of each strategy. */
export function spentOf(model: ThreatModel, rateMeasured: number | null): Observations {
  const { scheme, ...policy } = model.network.identity;
  const spent = { attempts: 0, hashes: 0, groupOperations: 0 };
  for (const [, adversary] of adversariesOf(model)) {
    const attempts = budgetAttempts(model, adversary, rateMeasured);
    const cost = STRATEGIES[adversary.strategy].cost(policy, scheme);
    spent.attempts += attempts;
    spent.hashes += Math.ceil(attempts * cost.hashes);
    spent.groupOperations += Math.ceil(attempts * cost.groupOperations);
  }
  return spent;
}

/** Candidates per second of an adversary, measured or stated. */
export function rateOf(adversary: Adversary, rateMeasured: number | null): number {
  const rate = adversary.rate === 'measured' ? rateMeasured : adversary.rate;
  if (rate === null || rate === undefined) {
    throw new TypeError(`"rateMeasured" expected candidates per second, got ${rate}`);
  }
  return rate;
}
