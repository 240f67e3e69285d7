/**
 * @module
 * Which searches a device can carry out. All others are refused, because the processor must not stand in silently.
 */

import type { Policy } from '../../identity/policy.ts';
import { DYNAMIC_PUZZLES } from '../../identity/puzzles/puzzle.ts';
import { isKernelPolicy, isSolutionKernelPolicy, requiredBits } from '../policy-cost.ts';
import type { SearchSpec } from '../strategy.ts';

/** Why a device cannot carry out a search. Null if it can. */
export function deviceUnsuited({
  strategy,
  policy,
}: Pick<SearchSpec, 'strategy' | 'policy'>): string | null {
  if (strategy !== 'siblings' && strategy !== 'batch') {
    return `searches with the strategies siblings and batch, not ${strategy}`;
  }
  if (!isKernelPolicy(policy) || (requiredBits(policy).c2 > 0 && !isSolved(policy))) {
    return `searches fast hashes; ${policy.puzzle.function} and short IDs with a dynamic puzzle take the processor`;
  }
  return null;
}

/** Whether a device solves the dynamic puzzle, or it needs no search. */
function isSolved(policy: Policy): boolean {
  return isSolutionKernelPolicy(policy) || DYNAMIC_PUZZLES[policy.dynamic].evaluations === 0;
}
