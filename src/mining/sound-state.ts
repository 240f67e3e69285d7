/**
 * @module
 * Checks that a search can have a state, and that the winners in it are those of its seed. A search continues only
 * from such a state. From any other it would crash, or end with an identity that no network admits.
 */

import { LabError } from '../errors.ts';
import { identitiesWanted, isClosestGoal } from './goal.ts';
import type { PhaseState, SearchState } from './phases.ts';
import { haveAll, solutionsNeeded } from './phases.ts';
import { PAIR_KEYS_MAX } from './policy-cost.ts';
import { testNodeId } from './sieve.ts';
import { DYNAMIC_STRATEGIES, solutionMeter } from './solution.ts';
import { searcherOf } from './strategies.ts';
import type { SearchSpec } from './strategy.ts';

/** Throws LabError `schema` for a state whose numbers contradict each other or the task. */
export function assertSoundState(spec: SearchSpec, state: SearchState): void {
  const { keys, solutions } = state;
  const areInOrder = [keys, ...solutions].every(({ tested, winners }) =>
    winners.every((winner, at) => winner < tested && winner > (winners[at - 1] ?? -1)),
  );
  if (!areInOrder) throw contradiction('its winners are out of order');
  const isPair = spec.goal.type === 'pair';
  const wanted = isPair ? PAIR_KEYS_MAX : identitiesWanted(spec.goal);
  if (keys.winners.length > wanted) throw contradiction('it has more winners than wanted');
  const isComplete = haveAll(spec, keys);
  if (isComplete && !isClosestGoal(spec.goal) && !endsWithWinner(keys)) {
    throw contradiction('it has tested keys beyond its last winner');
  }
  const isSolvable = isComplete || spec.goal.type === 'count';
  if (solutions.length > (isSolvable ? solutionsNeeded(spec, state) : 0)) {
    throw contradiction('it has more solutions than keys to solve for');
  }
  for (const [index, solution] of solutions.entries()) {
    const isUnsolved = solution.winners.length === 0 && index === solutions.length - 1;
    if (!isUnsolved && !(solution.winners.length === 1 && endsWithWinner(solution))) {
      throw contradiction(`solution ${index} is not the first of its numbers`);
    }
  }
}

/** Throws LabError `schema` for winners that do not win under the task. */
export function assertWinners(spec: SearchSpec, { keys, solutions }: SearchState): void {
  const searcher = searcherOf(spec);
  const { searchedId } = DYNAMIC_STRATEGIES[spec.dynamicStrategy];
  const inStock = spec.stock?.length ?? Number.POSITIVE_INFINITY;
  for (const [index, attempt] of keys.winners.entries()) {
    const nodeId = attempt < inStock ? searcher.candidate(attempt).nodeId : null;
    if (nodeId === null || !testNodeId(spec, nodeId).isWinner) {
      throw changed(`attempt ${attempt} does not win under this seed and policy`);
    }
    const number = solutions[index]?.winners[0];
    if (number === undefined) continue;
    if (solutionMeter(spec.policy, searchedId(nodeId, spec.seed))(number) < spec.policy.c2) {
      throw changed(`solution ${number} does not solve for attempt ${attempt}`);
    }
  }
}

function endsWithWinner({ tested, winners }: PhaseState): boolean {
  return tested === (winners.at(-1) ?? -1) + 1;
}

function contradiction(what: string): LabError {
  return new LabError('schema', `this ledger contradicts itself: ${what}`);
}

function changed(what: string): LabError {
  return new LabError('schema', `${what}: the ledger is of another version, or was changed`);
}
