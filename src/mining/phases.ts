/**
 * @module
 * A search as a sequence of phases, and how far it has come. First the keys: the lowest attempts that
 * meet goal and static puzzle. Then, where the policy has a dynamic puzzle, one search for X after
 * the other, or a single one where its solution serves all. The state is plain data, so a search that
 * was interrupted goes on elsewhere and ends as it would have.
 */

import { puzzleHashes } from '../identity/puzzles/puzzle-function.ts';
import { identitiesWanted, isClosestGoal } from './goal.ts';
import type { AttemptCost, Budget } from './ledger.ts';
import { affordableAttempts } from './ledger.ts';
import { requiredBits, solutionHashes } from './policy-cost.ts';
import { searchedId } from './solution.ts';
import { searcherOf, strategyOf } from './strategies.ts';
import type { Hit, SearchSpec } from './strategy.ts';

export interface MiningTask extends SearchSpec {
  readonly budget: Budget;
  /** Keys that the strategy `stockpile` makes before the budget begins to count. */
  readonly stockpile?: number | undefined;
}

/** How a search ended; `time` and `cancelled` ledgers are not reproducible, the others are. */
export type Ending = 'found' | 'attempts' | 'time' | 'cancelled';

export type Phase =
  | { readonly type: 'keys' }
  | { readonly type: 'solutions'; readonly nodeId: Uint8Array };

/** A phase so far. */
export interface PhaseState {
  /** Numbers scanned without a gap from 0. */
  readonly tested: number;
  /** Winners among them, rising; where the closest is sought, the closest one. */
  readonly winners: readonly number[];
}

/** A whole search so far. */
export interface SearchState {
  readonly keys: PhaseState;
  readonly solutions: readonly PhaseState[];
  readonly overshoot: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

/** One phase to be run, or to be gone on with. */
export interface PhaseOrder {
  readonly phase: Phase;
  readonly begun: PhaseState;
  /** How many winners end it. */
  readonly wanted: number;
  /** The first number that the budget does not pay for. */
  readonly limit: number;
}

/** How a phase ended, after every range below its last winner was scanned. */
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

/** Between two looks at the clocks: a few milliseconds, also where a puzzle takes long. */
const STEP_SOLUTIONS = 1024;
const STEP_HASHES_MAX = 2 ** 14;

/** What is to be done next; null where nothing is left to do, or nothing to do it with. */
export function nextPhase(task: MiningTask, state: SearchState): PhaseOrder | null {
  const { keys, solutions } = state;
  if (!areKeysComplete(task, keys)) {
    const wanted = identitiesWanted(task.goal);
    return { phase: { type: 'keys' }, begun: keys, wanted, limit: keyLimit(task) };
  }
  const last = solutions.at(-1);
  const isBegun = last !== undefined && last.winners.length === 0;
  const index = isBegun ? solutions.length - 1 : solutions.length;
  const attempt = keys.winners[index];
  if (index >= solutionsNeeded(task, state) || attempt === undefined) return null;
  const { nodeId } = searcherOf(task).candidate(attempt);
  return {
    phase: { type: 'solutions', nodeId: searchedId(task.dynamicStrategy, nodeId) },
    begun: isBegun ? last : NOT_BEGUN,
    wanted: 1,
    limit: solutionLimit(task, state, index),
  };
}

/** The state after a phase, and whether the phase came to its end, so that the next one may begin. */
export function afterPhase(
  task: MiningTask,
  state: SearchState,
  step: { readonly order: PhaseOrder; readonly outcome: PhaseOutcome },
): { readonly state: SearchState; readonly isComplete: boolean } {
  const { tested, winners, overshoot } = step.outcome;
  const reached = { tested, winners };
  const next = { ...state, overshoot: state.overshoot + overshoot };
  if (step.order.phase.type === 'keys') {
    const isComplete = areKeysComplete(task, reached);
    const solutions = isSolvedFor(task, winners, state) ? state.solutions : [];
    return { state: { ...next, keys: reached, solutions }, isComplete };
  }
  const before = state.solutions.filter(({ winners: found }) => found.length > 0);
  return {
    state: { ...next, solutions: [...before, reached] },
    isComplete: winners.length > 0,
  };
}

/** Every key of a stock: all winners of so many attempts. */
export function stockOrder(keys: number): PhaseOrder {
  return {
    phase: { type: 'keys' },
    begun: NOT_BEGUN,
    wanted: Number.POSITIVE_INFINITY,
    limit: keys,
  };
}

/** How many searches for X the search holds. */
export function solutionsNeeded(spec: SearchSpec, { keys }: SearchState): number {
  if (requiredBits(spec.policy).c2 === 0) return 0;
  return spec.dynamicStrategy === 'amortised-xor' ? 1 : keys.winners.length;
}

/** Numbers of a short range of a phase; ranges that are multiples of it waste nothing. */
export function phaseStep(spec: SearchSpec, phase: Phase): number {
  const step = phase.type === 'keys' ? strategyOf(spec.strategy).step(spec) : STEP_SOLUTIONS;
  const hashes = puzzleHashes(spec.policy.puzzle);
  return hashes === 1 ? step : Math.min(step, Math.ceil(STEP_HASHES_MAX / hashes));
}

/** What an attempt of a search costs. */
export function costOf({ strategy, policy, scheme }: SearchSpec): AttemptCost {
  return strategyOf(strategy).cost(policy, scheme);
}

/**
 * Whether the solutions so far serve these winners. Not so where a larger budget has found a closer
 * key: what was solved for the one before is then no part of the search.
 */
function isSolvedFor(task: MiningTask, winners: readonly number[], { keys }: SearchState): boolean {
  if (task.dynamicStrategy === 'amortised-xor') return true;
  return keys.winners.every((attempt, index) => attempt === winners[index]);
}

/** The closest is known once the budget of attempts is spent, all others once there are enough. */
function areKeysComplete(task: MiningTask, keys: PhaseState): boolean {
  if (isClosestGoal(task.goal)) return keys.tested >= keyLimit(task) && keys.winners.length > 0;
  return keys.winners.length >= identitiesWanted(task.goal);
}

/** How many keys attempts and hashes pay for, of those in store. */
function keyLimit(task: MiningTask): number {
  const affordable = affordableAttempts(task.budget, costOf(task));
  return Math.min(affordable, task.stock?.length ?? Number.POSITIVE_INFINITY);
}

/** How many solutions the hashes left after the keys and the earlier solutions pay for. */
function solutionLimit(task: MiningTask, state: SearchState, index: number): number {
  const { hashes } = task.budget;
  const each = solutionHashes(task.policy);
  if (hashes === undefined || each === 0) return Number.POSITIVE_INFINITY;
  const earlier = state.solutions.slice(0, index).reduce((sum, { tested }) => sum + tested, 0);
  return Math.floor((hashes - costOf(task).hashes * state.keys.tested) / each) - earlier;
}
