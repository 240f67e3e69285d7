/**
 * @module
 * What an adversary wants of the node IDs it forges, said of a whole network, and how that becomes a
 * goal that a search understands. Forging a node ID above every honest one is the attack on
 * elections by highest ID: Bully (Garcia-Molina 1982) and Chang–Roberts (1979) elect the maximum.
 */

import { compareBytes } from '../bytes.ts';
import type { Goal } from '../mining/goal.ts';

/** `top`: above every honest node ID. */
export const GOAL_NAMES = ['top'] as const;
export type GoalName = (typeof GOAL_NAMES)[number];

/**
 * The goal of a search against a network of these honest node IDs (32 bytes each, in any order).
 * Against an empty network every identity is on top.
 */
export function resolveGoal(name: GoalName, honestNodeIds: readonly Uint8Array[]): Goal {
  switch (name) {
    case 'top':
      return aboveAll(honestNodeIds);
    default:
      return name satisfies never;
  }
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
