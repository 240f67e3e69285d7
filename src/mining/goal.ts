/**
 * @module
 * What a search is after: any admissible identity, or one whose node ID ranks above a given one.
 * Goals about a whole network ("top") are resolved to these by the adversary room.
 */

import { bytesToHex, compareBytes } from '../bytes.ts';

export type Goal =
  | { readonly type: 'any' }
  /** A node ID strictly greater than this one, as a 256-bit big-endian integer. */
  | { readonly type: 'above'; readonly nodeId: Uint8Array };

export function meetsGoal(goal: Goal, nodeId: Uint8Array): boolean {
  switch (goal.type) {
    case 'any':
      return true;
    case 'above':
      return compareBytes(nodeId, goal.nodeId) > 0;
    default:
      return goal satisfies never;
  }
}

/** The probability that a uniformly random node ID meets the goal; exactly 0 if none can. */
export function goalProbability(goal: Goal): number {
  switch (goal.type) {
    case 'any':
      return 1;
    case 'above': {
      const winners = 2n ** 256n - 1n - BigInt(`0x${bytesToHex(goal.nodeId)}`);
      return Number(winners) / 2 ** 256;
    }
    default:
      return goal satisfies never;
  }
}

/** The goal as its text form: `any` or `above:<hex>`. */
export function formatGoal(goal: Goal): string {
  return goal.type === 'any' ? 'any' : `above:${bytesToHex(goal.nodeId)}`;
}
