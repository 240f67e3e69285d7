/**
 * @module
 * The attempts that a budget pays for in sampled work, where nothing is mined: attempts as they are, hashes
 * by the strategy's cost of an attempt, seconds by the adversary's rate. A rate counts candidates whose puzzle is
 * evaluated. An adversary that needs one ID above a known one drops all others before their puzzle, and makes more
 * attempts with the same hashes, or in the same time.
 */

import type { AttemptCost } from '../../mining/ledger.ts';
import { affordableAttempts, attemptTime } from '../../mining/ledger.ts';
import { foundProbability, winProbability } from '../../mining/odds.ts';
import { realBits, staticHashes } from '../../mining/policy-cost.ts';
import { STRATEGIES } from '../../mining/strategies.ts';
import type { Adversary, SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, measuredRate } from '../document/threat-model.ts';
import type { FewEvaluations } from '../theory/filtered-odds.ts';
import { isFewEvaluations } from '../theory/filtered-odds.ts';
import type { SortedWork } from '../theory/sorted-odds.ts';
import { sortedWork } from '../theory/sorted-odds.ts';
import type { Observations } from './observations.ts';
import { registrantOf } from './registration.ts';

/** The adversaries whose rate on this machine is required for runs of the model, to convert seconds. */
export function measuredAdversaries(model: ThreatModel): readonly Adversary[] {
  if (model.work !== 'sampled' && model.epochs === undefined) return [];
  const all = adversariesOf(model).map(([, adversary]) => adversary);
  return all.filter(({ rate, budget }) => typeof rate === 'string' && isTimed(budget));
}

/** Whether the budget has a bound in seconds. */
export function isTimed(budget: Adversary['budget']): boolean {
  return budget.cpuSeconds !== undefined || budget.wallSeconds !== undefined;
}

/**
 * The attempts that the adversary's budget pays for if the puzzle of every candidate is evaluated. `rateMeasured` has
 * the rates of this machine. Throws TypeError if one is needed and missing.
 */
export function budgetAttempts(
  model: ThreatModel,
  adversary: Adversary,
  rateMeasured: SearchRates,
): number {
  const { scheme, ...policy } = model.network.identity;
  const whole = STRATEGIES[adversary.strategy].cost(policy, scheme);
  const counted = affordableAttempts(adversary.budget, whole);
  return Math.min(counted, timedAttempts(model, adversary, rateMeasured));
}

/** Attempts whose puzzles are evaluated within the seconds of the budget. Infinity without a bound in seconds. */
export function timedAttempts(
  model: ThreatModel,
  adversary: Adversary,
  rateMeasured: SearchRates,
): number {
  const { cpuSeconds, wallSeconds } = adversary.budget;
  const unlimited = Number.POSITIVE_INFINITY;
  const seconds = Math.min(cpuSeconds ?? unlimited, wallSeconds ?? unlimited);
  return seconds === unlimited
    ? unlimited
    : Math.floor(seconds * rateOf(model, adversary, rateMeasured));
}

/** Time of a new key, in that of a hash: the stated one, or that of the ledger. A rate counts keys with their puzzle. */
export function keyTime(
  { rate, keyRate }: Pick<Adversary, 'rate' | 'keyRate'>,
  made: AttemptCost,
  puzzleHashes: number,
): number {
  if (keyRate === undefined || typeof rate !== 'number' || puzzleHashes === 0)
    return attemptTime(made);
  return (puzzleHashes * rate) / (keyRate - rate);
}

/** Keys that an adversary with a stated rate makes in a second if it hashes no puzzle. */
export function keyRateOf(model: ThreatModel, adversary: Adversary): number {
  const { scheme, ...policy } = model.network.identity;
  const made = STRATEGIES[adversary.strategy].cost(policy, scheme, 0);
  const key = keyTime(adversary, made, staticHashes(policy));
  return (rateOf(model, adversary, null) * (key + staticHashes(policy))) / key;
}

/** The attempts of an adversary, and their cost. */
export interface Effort {
  /** Attempts if this share of all IDs, above 0, is worth a puzzle, such as those above the highest honest one. */
  readonly attempts: (share: number) => number;
  /** Average hashes of one of them. */
  readonly hashesEach: (share: number) => number;
  /** Whether the share decides. */
  readonly isFiltered: boolean;
  /** Null if the mean number of evaluations is enough to know. */
  readonly few: FewEvaluations | null;
  /** Null if the puzzles of its keys are not evaluated from the highest ID down. */
  readonly sorted: SortedWork | null;
}

/** What the adversary's budget pays for in the cheapest order of work. Throws as `budgetAttempts`. */
export function effortOf(
  model: ThreatModel,
  adversary: Adversary,
  rateMeasured: SearchRates,
): Effort {
  const { scheme, ...policy } = model.network.identity;
  const { budget } = adversary;
  const { cost } = STRATEGIES[adversary.strategy];
  const [made, whole] = [cost(policy, scheme, 0), cost(policy, scheme)];
  const which = registrantOf(model, adversary)?.which;
  const puzzle = whole.hashes - made.hashes;
  const key = keyTime(adversary, made, puzzle);
  // The time of the budget, in that of a hash.
  const time = timedAttempts(model, adversary, rateMeasured) * (key + puzzle);
  // An early adversary counts as one that knows the honest IDs, which is an upper bound of its odds.
  const isBounded = which === 'best' && model.work === 'sampled';
  const isAimed = which === 'above' || which === 'after' || isBounded;
  if (isAimed && made.hashes < whole.hashes) {
    const hashesEach = (share: number) => made.hashes + share * puzzle;
    const attempts = (share: number) => {
      const counted = affordableAttempts(budget, { ...whole, hashes: hashesEach(share) });
      return Math.min(counted, Math.floor(time / (key + share * puzzle)));
    };
    const isFiltered = budget.hashes !== undefined || isTimed(budget);
    const bounds = [
      ...(budget.hashes === undefined ? [] : [{ most: budget.hashes, key: made.hashes, puzzle }]),
      ...(isTimed(budget) ? [{ most: time, key, puzzle }] : []),
    ];
    const keysMax = budget.attempts ?? Number.POSITIVE_INFINITY;
    const few = isFiltered && isFewEvaluations(bounds) ? { bounds, keysMax } : null;
    return { attempts, hashesEach, isFiltered, few, sorted: null };
  }
  const probability = winProbability(policy, { type: 'any' });
  if (which !== 'best' || made.hashes === whole.hashes) {
    const count = budgetAttempts(model, adversary, rateMeasured);
    const hashesEach = () => whole.hashes;
    return { attempts: () => count, hashesEach, isFiltered: false, few: null, sorted: null };
  }
  // Mined work, whose seconds are measured.
  const sorted = sortedEffort(model, adversary);
  // From the highest ID on, puzzles are evaluated until the first valid one.
  const tests = foundProbability(probability, sorted.evaluations) / probability;
  const each = made.hashes + (tests * puzzle) / Math.max(1, sorted.keys);
  const known = { isFiltered: false, few: null, sorted };
  return { attempts: () => sorted.keys, hashesEach: () => each, ...known };
}

/** The keys and evaluations of an adversary that registers its best identity before it knows the honest IDs. */
export function sortedEffort(
  { network: { honest, identity } }: ThreatModel,
  { strategy, budget }: Pick<Adversary, 'strategy' | 'budget'>,
): SortedWork {
  const { cost } = STRATEGIES[strategy];
  const [made, whole] = [cost(identity, identity.scheme, 0), cost(identity, identity.scheme)];
  const inTurn = affordableAttempts(budget, whole);
  const { attempts = Number.POSITIVE_INFINITY, hashes } = budget;
  if (hashes === undefined || made.hashes === 0) return { keys: inTurn, evaluations: inTurn };
  const work = { most: hashes, key: made.hashes, puzzle: whole.hashes - made.hashes };
  return sortedWork(work, attempts, { honest, difficultyBits: realBits(identity).c1 });
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

/** The attempts of all adversaries, and their cost by the cost model of each strategy, by the share of IDs as in `Effort`. */
export function spentBy(
  model: ThreatModel,
  rateMeasured: SearchRates,
): (share: number) => Observations {
  const { scheme, ...policy } = model.network.identity;
  const efforts = adversariesOf(model).map(([, adversary]) => ({
    ...effortOf(model, adversary, rateMeasured),
    groupOperations: STRATEGIES[adversary.strategy].cost(policy, scheme).groupOperations,
  }));
  const at = (share: number) => {
    const spent = { attempts: 0, hashes: 0, groupOperations: 0 };
    for (const { attempts, hashesEach, groupOperations } of efforts) {
      const made = attempts(share);
      spent.attempts += made;
      spent.hashes += Math.ceil(made * hashesEach(share));
      spent.groupOperations += Math.ceil(made * groupOperations);
    }
    return spent;
  };
  if (efforts.some(({ isFiltered }) => isFiltered)) return at;
  const always = at(1);
  return () => always;
}

/** Candidates per second of an adversary, measured or stated. */
export function rateOf(
  model: ThreatModel,
  adversary: Adversary,
  rateMeasured: SearchRates,
): number {
  if (typeof adversary.rate === 'number') return adversary.rate;
  const found = measuredRate(model, adversary, rateMeasured);
  if (found === undefined) {
    throw new TypeError(`"rateMeasured" expected that of the adversary, got ${rateMeasured}`);
  }
  return found.perSecond;
}
