/**
 * @module
 * The test of one node ID, the same for every strategy: enough static zero bits, and the goal met.
 */

import { staticBits } from '../identity/puzzle.ts';
import { demandedBits } from './demand.ts';
import { meetsGoal } from './goal.ts';
import type { ScanResult, SearchSpec } from './strategy.ts';

/** What a node ID shows; its puzzle is hashed only where the policy asks for one. */
export function testNodeId(
  { policy, goal }: Pick<SearchSpec, 'policy' | 'goal'>,
  nodeId: Uint8Array,
): { readonly bits: number; readonly isWinner: boolean } {
  const { c1 } = demandedBits(policy);
  const bits = c1 > 0 ? staticBits(nodeId) : 0;
  return { bits, isWinner: bits >= c1 && meetsGoal(goal, nodeId) };
}

/** Tests `count` node IDs, those of the attempts from `from` on, as `nextNodeId` gives them. */
export function scanNodeIds(
  spec: SearchSpec,
  range: { readonly from: number; readonly count: number },
  nextNodeId: (attempt: number) => Uint8Array,
): ScanResult {
  const { from, count } = range;
  let bestBits = -1;
  for (let attempt = from; attempt < from + count; attempt += 1) {
    const { bits, isWinner } = testNodeId(spec, nextNodeId(attempt));
    bestBits = Math.max(bestBits, bits);
    if (isWinner) return { winner: attempt, tested: attempt - from + 1, bestBits };
  }
  return { winner: null, tested: count, bestBits };
}
