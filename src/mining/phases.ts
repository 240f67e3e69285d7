/**
 * @module
 * A search as a sequence of phases, and its state. A phase finds keys (the lowest attempts that meet goal and static
 * puzzle) or, if the policy has a dynamic puzzle, the X of one key. For a count of identities, each key is solved before
 * the next one is sought, or the first one if its solution serves all. The work is the same in every order, and in this
 * one a search that ends early has lost at most one key. If an ID itself can be a solution for all, the solution comes last. The state is plain data, so an interrupted search can continue
 * elsewhere with the same result.
 */

import { compareBytes } from '../bytes.ts';
import { staticBits } from '../identity/ids/node-id.ts';
import type { Policy } from '../identity/policy.ts';
import { puzzleHashes } from '../identity/puzzles/puzzle-function.ts';
import type { DeviceFacts } from './device/device.ts';
import { countsEach, goalProbability, identitiesWanted, isClosestGoal } from './goal.ts';
import type { AttemptCost, Budget } from './ledger.ts';
import { affordableAttempts, affordableSorted } from './ledger.ts';
import { foundProbability, winProbability } from './odds.ts';
import { realBits, requiredBits, solutionHashes, sparedShare } from './policy-cost.ts';
import { DYNAMIC_STRATEGIES } from './solution.ts';
import { STRATEGIES, searcherOf } from './strategies.ts';
import type { Hit, Phase, SearchSpec } from './strategy.ts';

export interface MiningTask extends SearchSpec {
  readonly budget: Budget;
  /** Number of keys that the strategy `stockpile` makes before the budget begins to count. */
  readonly stockpile?: number | undefined;
  /** Whether the seed was chosen by the user, so that it is no secret. It has no effect on the search. */
  readonly isSeedGiven?: boolean | undefined;
  /** Searches on a device instead of threads. It has no effect on what is found. */
  readonly device?: 'gpu' | undefined;
}

/** Why a search ended. Ledgers after `time` and `cancelled` are not reproducible. */
export type Ending = 'found' | 'attempts' | 'time' | 'cancelled';

/** The state of a phase. */
export interface PhaseState {
  /** All numbers below this one are scanned. */
  readonly tested: number;
  /**
   * Winners among them in rising order, or only the closest one for a closest goal. For the goal `pair` the two keys, or
   * before they are found every winner.
   */
  readonly winners: readonly number[];
}

/** The state of a search. */
export interface SearchState {
  readonly keys: PhaseState;
  readonly solutions: readonly PhaseState[];
  readonly overshoot: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly deviceSeconds?: number | undefined;
  /** The devices that searched in this time. */
  readonly devices?: readonly DeviceFacts[] | undefined;
}

/** A phase to run or to continue. */
export interface PhaseOrder {
  readonly phase: Phase;
  readonly begun: PhaseState;
  /** Number of winners that end it. */
  readonly wanted: number;
  /** The first number that the budget does not pay for. */
  readonly limit: number;
}

/** The result of a phase in which every range below its last winner was scanned. */
export interface PhaseOutcome extends PhaseState {
  /** The winners with their node IDs. */
  readonly hits: readonly Hit[];
  readonly overshoot: number;
  readonly ending: Ending;
}

const NOT_BEGUN: PhaseState = { tested: 0, winners: [] };

export const SEARCH_NOT_BEGUN: SearchState = {
  keys: NOT_BEGUN,
  solutions: [],
  overshoot: 0,
  cpuSeconds: 0,
  wallSeconds: 0,
};

/** Numbers between two readings of the clocks: a few milliseconds, also for slow puzzles. */
const STEP_SOLUTIONS = 1024;
const STEP_HASHES_MAX = 2 ** 14;

/** The next phase. Null if nothing is left to do, or no key to do it for. */
export function nextPhase(task: MiningTask, state: SearchState): PhaseOrder | null {
  const { keys, solutions } = state;
  const last = solutions.at(-1);
  const isBegun = last !== undefined && last.winners.length === 0;
  const index = isBegun ? solutions.length - 1 : solutions.length;
  const attempt = keys.winners[index];
  const isSolved = index >= solutionsNeeded(task, state) || attempt === undefined;
  const isSeeking = isSolved || isWaiting(task, state);
  if (countsEach(task.goal) ? isSeeking : !areKeysComplete(task, keys)) {
    return areKeysComplete(task, keys) ? null : keysOrder(task, state);
  }
  if (isSolved) return null;
  const { nodeId } = searcherOf(task).candidate(attempt);
  return {
    phase: {
      type: 'solutions',
      nodeId: DYNAMIC_STRATEGIES[task.dynamicStrategy].searchedId(nodeId, task.seed),
    },
    begun: isBegun ? last : NOT_BEGUN,
    wanted: 1,
    limit: solutionLimit(task, state, index),
  };
}

/** The phase that finds the next keys. */
function keysOrder(task: MiningTask, state: SearchState): PhaseOrder {
  const { keys, solutions } = state;
  // A closest goal seeks its key before any solution counts.
  const paid = isClosestGoal(task.goal) ? [] : solutions;
  const limit = isWaiting(task, state) ? keyLimit(task, paid, true) : keyLimit(task, paid);
  return { phase: { type: 'keys' }, begun: keys, wanted: keysWanted(task, state), limit };
}

/**
 * Whether it seeks more keys before it solves, because the ID of one of them may be a solution for all. Seconds cannot be
 * kept for a solution.
 */
function isWaiting(task: MiningTask, { keys, solutions }: SearchState): boolean {
  const { cpuSeconds, wallSeconds } = task.budget;
  if (!hasSpares(task) || !countsEach(task.goal) || solutions.length > 0) return false;
  if (cpuSeconds !== undefined || wallSeconds !== undefined || haveAll(task, keys)) return false;
  return keys.tested < keyLimit(task, [], true);
}

/** Whether an ID that meets the static puzzle may meet the dynamic one for all, too. */
export function hasSpares(spec: SearchSpec): boolean {
  return isShared(spec) && sparedShare(spec.policy) > 0;
}

/** Whether this valid ID is a Y that serves all. */
export function isSpare({ policy }: SearchSpec, nodeId: Uint8Array): boolean {
  return staticBits(nodeId, policy) >= requiredBits(policy).c2;
}

/** Most winners whose IDs are tried as solutions. */
const SPARES_MAX = 2 ** 12;

/** The ID of the first winner that is a solution for all. Null if there is none. */
export function spareOf(spec: SearchSpec, { winners }: PhaseState): Uint8Array | null {
  if (!hasSpares(spec)) return null;
  const searcher = searcherOf(spec);
  for (const attempt of winners.slice(0, SPARES_MAX)) {
    const { nodeId } = searcher.candidate(attempt);
    if (isSpare(spec, nodeId)) return nodeId;
  }
  return null;
}

/** Number of keys, with those that are known, that end the next phase. */
function keysWanted(task: MiningTask, state: SearchState): number {
  const { keys, solutions } = state;
  const all = identitiesWanted(task.goal);
  if (!countsEach(task.goal) || requiredBits(task.policy).c2 === 0) return all;
  const isSolvedForAll = isShared(task) && solutions.some(({ winners }) => winners.length > 0);
  if (isSolvedForAll || isWaiting(task, state) || spareOf(task, keys) !== null) return all;
  return Math.min(all, keys.winners.length + 1);
}

/** The state after a phase, and whether the phase is complete, so that the next one may begin. */
export function afterPhase(
  task: MiningTask,
  state: SearchState,
  step: { readonly order: PhaseOrder; readonly outcome: PhaseOutcome },
): { readonly state: SearchState; readonly isComplete: boolean } {
  const { tested, winners, overshoot } = step.outcome;
  const reached = { tested, winners };
  const next = { ...state, overshoot: state.overshoot + overshoot };
  if (step.order.phase.type === 'keys') {
    const solutions = isSolvedFor(task, winners, state) ? state.solutions : [];
    const after = { ...next, keys: reached, solutions };
    const isComplete =
      areKeysComplete(task, reached) ||
      (countsEach(task.goal) && winners.length >= step.order.wanted) ||
      (tested >= step.order.limit && isWaiting(task, state) && isGoingOn(task, after));
    return { state: after, isComplete };
  }
  const before = state.solutions.filter(({ winners: found }) => found.length > 0);
  return {
    state: { ...next, solutions: [...before, reached] },
    isComplete: winners.length > 0,
  };
}

/** Whether a search that has waited for a spare ID has a solution to seek, or hashes for more keys. */
function isGoingOn(task: MiningTask, state: SearchState): boolean {
  return solutionsNeeded(task, state) > 0 || state.keys.tested < keyLimit(task);
}

/** The phase that makes a stock: all keys of a number of attempts that meet the goal. */
export function stockOrder(keys: number): PhaseOrder {
  return {
    phase: { type: 'stock' },
    begun: NOT_BEGUN,
    wanted: Number.POSITIVE_INFINITY,
    limit: keys,
  };
}

/** Number of searches for X in the search. */
export function solutionsNeeded(spec: SearchSpec, { keys, solutions }: SearchState): number {
  if (requiredBits(spec.policy).c2 === 0) return 0;
  if (!isShared(spec)) return keys.winners.length;
  const isSpared = solutions.length === 0 && spareOf(spec, keys) !== null;
  return isSpared ? 0 : Math.min(1, keys.winners.length);
}

/** Number of identities that a search with a dynamic puzzle has finished, or of their keys if one solution serves all. */
export function solvedIdentities(spec: SearchSpec, { keys, solutions }: SearchState): number {
  if (isShared(spec)) return keys.winners.length;
  return solutions.filter(({ winners }) => winners.length > 0).length;
}

function isShared({ dynamicStrategy }: SearchSpec): boolean {
  return DYNAMIC_STRATEGIES[dynamicStrategy].isShared;
}

/** Numbers in a short range of a phase. Ranges that are multiples of it waste nothing. */
export function phaseStep(spec: SearchSpec, phase: Phase): number {
  const step = phase.type === 'solutions' ? STEP_SOLUTIONS : STRATEGIES[spec.strategy].step(spec);
  const hashes = puzzleHashes(spec.policy.puzzle);
  return hashes === 1 ? step : Math.min(step, Math.ceil(STEP_HASHES_MAX / hashes));
}

/** The average cost of an attempt of a search whose goal does not depend on other attempts. */
export function costOf({ strategy, policy, scheme, goal }: SearchSpec): AttemptCost {
  return STRATEGIES[strategy].cost(policy, scheme, goalProbability(goal));
}

/**
 * Evaluations of this number of attempts, on average. For a closest goal the keys are tested from the closest one on,
 * until the first valid one.
 */
export function keyHashes(spec: SearchSpec, attempts: number): number {
  if (!isClosestGoal(spec.goal)) return costOf(spec).hashes * attempts;
  const { made, whole, probability } = sortedCost(spec);
  const tests = foundProbability(probability, attempts) / probability;
  return made.hashes * attempts + (whole.hashes - made.hashes) * tests;
}

/** The costs of a search for the best ID alone, as `affordableSorted` takes them. */
function sortedCost({ strategy, policy, scheme }: SearchSpec) {
  const { cost } = STRATEGIES[strategy];
  return {
    made: cost(policy, scheme, 0),
    whole: cost(policy, scheme),
    probability: winProbability(policy, { type: 'any' }),
  };
}

/**
 * Whether the solutions so far serve these winners. They do not if a larger budget has found a closer key. Then
 * the solutions of the previous key do not belong to the search.
 */
function isSolvedFor(task: MiningTask, winners: readonly number[], { keys }: SearchState): boolean {
  if (isShared(task)) return true;
  return keys.winners.every((attempt, index) => attempt === winners[index]);
}

/** A closest goal is complete when the budget of attempts is spent, every other when it has its winners. */
function areKeysComplete(task: MiningTask, keys: PhaseState): boolean {
  if (isClosestGoal(task.goal)) return keys.tested >= keyLimit(task) && keys.winners.length > 0;
  return haveAll(task, keys);
}

/** Whether a search has all its winners. A closest goal has one from the first winner on. */
export function haveAll(task: SearchSpec, keys: PhaseState): boolean {
  if (task.goal.type === 'pair') return arePair(task, keys.winners);
  return keys.winners.length >= identitiesWanted(task.goal);
}

/** Whether these are two keys with one node ID. */
function arePair(spec: SearchSpec, attempts: readonly number[]): boolean {
  if (attempts.length !== 2) return false;
  const [first, second] = attempts.map((attempt) => searcherOf(spec).candidate(attempt).nodeId);
  return first !== undefined && second !== undefined && compareBytes(first, second) === 0;
}

/** Number of keys that attempts and the hashes left after the solutions pay for, at most those in stock. */
function keyLimit(
  task: MiningTask,
  solutions: readonly PhaseState[] = [],
  isReserving = isClosestGoal(task.goal),
): number {
  const { hashes = Number.POSITIVE_INFINITY, ...others } = task.budget;
  const reserved = isReserving ? hashesReserved(task.policy, hashes) : 0;
  const left = hashes - reserved - solutionHashes(task.policy) * testedIn(solutions);
  // No part of an evaluation finds anything.
  if (left < sortedCost(task).whole.hashes) return 0;
  const budget = { ...others, hashes: left };
  const affordable = isClosestGoal(task.goal)
    ? affordableSorted(budget, sortedCost(task))
    : affordableAttempts(budget, costOf(task));
  return Math.min(affordable, task.stock?.length ?? Number.POSITIVE_INFINITY);
}

/** Halvings after which the range of a reserve is below one hash. */
const HALVINGS = 64;

/**
 * The hashes of a budget that are kept for the solution of the closest key: those with the largest product of the keys
 * that the others pay for and the probability that the solution is found. With s hashes a solution on average, the
 * reserve r of b hashes satisfies b − r = s (e^(r/s) − 1).
 */
function hashesReserved(policy: Policy, hashes: number): number {
  const isSolved = requiredBits(policy).c2 > 0;
  const solving = isSolved ? solutionHashes(policy) * 2 ** realBits(policy).c2 : 0;
  if (solving === 0 || hashes === Number.POSITIVE_INFINITY) return 0;
  let [low, high] = [0, hashes];
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (hashes - middle > solving * Math.expm1(middle / solving)) low = middle;
    else high = middle;
  }
  return Math.ceil(high);
}

/** Number of solutions that the hashes left after the keys and the earlier solutions pay for. */
function solutionLimit(task: MiningTask, state: SearchState, index: number): number {
  const { hashes } = task.budget;
  const each = solutionHashes(task.policy);
  if (hashes === undefined || each === 0) return Number.POSITIVE_INFINITY;
  const earlier = testedIn(state.solutions.slice(0, index));
  return Math.floor((hashes - keyHashes(task, state.keys.tested)) / each) - earlier;
}

/** Number of candidates that these phases have tested. */
export function testedIn(phases: readonly PhaseState[]): number {
  return phases.reduce((sum, { tested }) => sum + tested, 0);
}
