/**
 * @module
 * A goal narrowed to the share of all node IDs that serves it best: the highest ranks, the closest, or
 * the upper end of an interval. What a stockpile keeps of more keys than it can hold.
 */

import { bytesToHex, hexToBytes } from '../bytes.ts';
import { nodeIdBytesOf } from '../identity/ids/node-id.ts';
import { rankRuleOf } from '../identity/ids/rank-key.ts';
import type { Policy } from '../identity/policy.ts';
import type { Goal } from './goal.ts';
import { goalProbability } from './goal.ts';

/** Digits of a share that count. */
const SHARE_BITS = 48;

/** The goal, or the best part of it that about so large a share of all IDs meets, 0..1. */
export function bestShare(goal: Goal, share: number, policy: Policy): Goal {
  if (share >= goalProbability(goal)) return goal.type === 'count' ? { type: 'any' } : goal;
  const bytes = nodeIdBytesOf(policy);
  const size = 1n << BigInt(8 * bytes);
  const width = (size * BigInt(Math.ceil(share * 2 ** SHARE_BITS))) / (1n << BigInt(SHARE_BITS));
  const idOf = (value: bigint) =>
    hexToBytes((((value % size) + size) % size).toString(16).padStart(2 * bytes, '0'));
  switch (goal.type) {
    case 'any':
    case 'count':
    case 'above':
      // The ring has no other end: where the smallest lead, between the top and the first of them.
      return rankRuleOf(policy).type === 'smallest'
        ? { type: 'between', low: idOf(-1n), high: idOf(width) }
        : { type: 'above', nodeId: idOf(size - width) };
    case 'between': {
      const isSmallest = rankRuleOf(policy).type === 'smallest';
      const [low, high] = [integerOf(goal.low), integerOf(goal.high)];
      return isSmallest
        ? { type: 'between', low: goal.low, high: idOf(low + width) }
        : { type: 'between', low: idOf(high - width), high: goal.high };
    }
    case 'near':
      return { ...goal, closerThan: idOf(width) };
    default:
      return goal satisfies never;
  }
}

function integerOf(nodeId: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(nodeId)}`);
}
