/**
 * @module
 * What an adversary wants of the node IDs it forges, said of a whole network, and how that becomes a
 * goal that a search understands. Forging a node ID above every honest one is the attack on
 * elections by highest ID: Bully (Garcia-Molina 1982) and Chang–Roberts (1979) elect the maximum.
 */

import { compareBytes } from '../bytes.ts';
import type { RankRule } from '../identity/rank-key.ts';
import type { Goal } from '../mining/goal.ts';

/** `top`: above every honest node ID. */
export const GOAL_NAMES = ['top'] as const;
export type GoalName = (typeof GOAL_NAMES)[number];

/**
 * The goal of a search against a network of these honest node IDs (of one length, in any order).
 * Against an empty network every identity is on top. Where the smallest ID leads, top is below all;
 * at ranks that a beacon will salt nobody can aim, so for them it throws RangeError.
 */
export function resolveGoal(
  name: GoalName,
  honestNodeIds: readonly Uint8Array[],
  rule: RankRule = { type: 'node-id' },
): Goal {
  switch (name) {
    case 'top':
      return topUnder(rule, honestNodeIds);
    default:
      return name satisfies never;
  }
}

function topUnder(rule: RankRule, nodeIds: readonly Uint8Array[]): Goal {
  switch (rule.type) {
    case 'node-id':
      return aboveAll(nodeIds);
    case 'smallest':
      return belowAll(nodeIds);
    case 'salted':
      throw new RangeError('"rule" expected one that is known before the beacon, got salted');
    default:
      return rule satisfies never;
  }
}

/** On the ring the way from the highest ID to the lowest honest one, zero included. */
function belowAll(nodeIds: readonly Uint8Array[]): Goal {
  const [lowest] = nodeIds.toSorted(compareBytes);
  if (lowest === undefined) return { type: 'any' };
  return { type: 'between', low: lowest.map(() => 0xff), high: lowest };
}

function aboveAll(nodeIds: readonly Uint8Array[]): Goal {
  const [first, ...others] = nodeIds;
  if (first === undefined) return { type: 'any' };
  let top = first;
  for (const nodeId of others) {
    if (compareBytes(nodeId, top) > 0) top = nodeId;
  }
  return { type: 'above', nodeId: top };
}
