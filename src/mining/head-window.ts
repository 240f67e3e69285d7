/**
 * @module
 * Goals as bounds on the first 32 bits of a node ID, which the kernel's sieve tests. A window passes every winner
 * and some other IDs. It may wrap: if `low` is above `high`, it reaches from `low` over the top to `high`.
 */

import { compareBytes, leadingZeroBits } from '../bytes.ts';
import type { Goal } from './goal.ts';

/** Inclusive bounds on the first 32 bits, read big-endian. */
export interface HeadWindow {
  readonly low: number;
  readonly high: number;
}

export const WHOLE_WINDOW: HeadWindow = { low: 0, high: 0xffffffff };

export function headWindow(goal: Goal): HeadWindow {
  switch (goal.type) {
    case 'any':
    case 'count':
      return WHOLE_WINDOW;
    case 'above':
      return { low: headOf(goal.nodeId), high: 0xffffffff };
    case 'between': {
      const window = { low: headOf(goal.low), high: headOf(goal.high) };
      // From a head over the top to the same head is nearly the whole ring.
      const isRing = window.low === window.high && compareBytes(goal.low, goal.high) >= 0;
      return isRing ? WHOLE_WINDOW : window;
    }
    case 'near':
      return goal.closerThan === null
        ? WHOLE_WINDOW
        : prefixWindow(goal.nodeId, leadingZeroBits(goal.closerThan));
    default:
      return goal satisfies never;
  }
}

/** The IDs that share their first `bits` bits with this one, 0..256. Only the first 32 count. */
export function prefixWindow(nodeId: Uint8Array, bits: number): HeadWindow {
  const head = BigInt(headOf(nodeId));
  const free = (1n << BigInt(32 - Math.min(bits, 32))) - 1n;
  return { low: Number(head & ~free & 0xffffffffn), high: Number(head | free) };
}

function headOf(nodeId: Uint8Array): number {
  return new DataView(nodeId.buffer, nodeId.byteOffset).getUint32(0);
}
