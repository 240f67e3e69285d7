/**
 * @module
 * What a search is after. Goals that need a whole network ("top") are resolved to these by the
 * adversary room. Node IDs are unsigned big-endian integers; distances are XOR, as in a DHT
 * (Maymounkov and Mazières 2002, Kademlia); a ring closes after the highest ID.
 */

import { bytesToHex, compareBytes } from '../bytes.ts';

export type Goal =
  | { readonly type: 'any' }
  /** So many identities, each admissible: Sybils. */
  | { readonly type: 'count'; readonly identities: number }
  /** A node ID strictly greater than this one. */
  | { readonly type: 'above'; readonly nodeId: Uint8Array }
  /** Strictly between two IDs on the ring, going up from `low`; the whole ring less one if equal. */
  | { readonly type: 'between'; readonly low: Uint8Array; readonly high: Uint8Array }
  /**
   * XOR-closer to `nodeId` than the distance `closerThan`; with null the closest that the budget
   * finds, so that such a search ends with its budget alone.
   */
  | {
      readonly type: 'near';
      readonly nodeId: Uint8Array;
      readonly closerThan: Uint8Array | null;
    };

/** The goal that is met by the best candidate alone, whatever comes before. */
export type ClosestGoal = Goal & { readonly type: 'near'; readonly closerThan: null };

export function meetsGoal(goal: Goal, nodeId: Uint8Array): boolean {
  switch (goal.type) {
    case 'any':
    case 'count':
      return true;
    case 'above':
      return compareBytes(nodeId, goal.nodeId) > 0;
    case 'between':
      return isBetween(nodeId, goal.low, goal.high);
    case 'near':
      return (
        goal.closerThan === null ||
        compareBytes(xorDistance(nodeId, goal.nodeId), goal.closerThan) < 0
      );
    default:
      return goal satisfies never;
  }
}

/** How many identities meet the goal together. */
export function identitiesWanted(goal: Goal): number {
  return goal.type === 'count' ? goal.identities : 1;
}

/** Whether only the end of the budget tells who meets the goal. */
export function isClosestGoal(goal: Goal): goal is ClosestGoal {
  return goal.type === 'near' && goal.closerThan === null;
}

/**
 * The probability that a uniformly random node ID meets the goal and begins with so many zero bits;
 * exactly 0 if none can. The closest one is any, until a closer one comes. `step` is for IDs that are
 * all multiples of 2^step, as those are that end in zeros.
 */
export function goalProbability(goal: Goal, zeroBits = 0, step = 0): number {
  switch (goal.type) {
    case 'any':
    case 'count':
      return 2 ** -zeroBits;
    case 'above': {
      const size = sizeOf(goal.nodeId, zeroBits);
      return shareOf(multiples(integerOf(goal.nodeId) + 1n, size, step), goal.nodeId, step);
    }
    case 'between':
      return shareOf(countBetween(goal, sizeOf(goal.low, zeroBits), step), goal.low, step);
    case 'near': {
      if (goal.closerThan === null) return 2 ** -zeroBits;
      // The IDs below `size` are those whose distances begin as the target does.
      const size = sizeOf(goal.nodeId, zeroBits);
      const target = integerOf(goal.nodeId);
      const closer = integerOf(goal.closerThan) - (target - (target % size));
      return shareOf(closer < size ? positive(closer) : size, goal.nodeId);
    }
    default:
      return goal satisfies never;
  }
}

/** Bytes of the IDs that the goal speaks of; null if of none. */
export function goalIdBytes(goal: Goal): number | null {
  switch (goal.type) {
    case 'any':
    case 'count':
      return null;
    case 'above':
    case 'near':
      return goal.nodeId.length;
    case 'between':
      return goal.low.length;
    default:
      return goal satisfies never;
  }
}

/** The goal as the command line writes it, such as `above:<hex>`. */
export function formatGoal(goal: Goal): string {
  switch (goal.type) {
    case 'any':
      return 'any';
    case 'count':
      return `count:${goal.identities}`;
    case 'above':
      return `above:${bytesToHex(goal.nodeId)}`;
    case 'between':
      return `between:${bytesToHex(goal.low)}:${bytesToHex(goal.high)}`;
    case 'near':
      return `near:${bytesToHex(goal.nodeId)}`;
    default:
      return goal satisfies never;
  }
}

/** The XOR of two IDs of one length, itself compared as an integer. */
export function xorDistance(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== right.length) {
    throw new RangeError(`"right" expected ${left.length} bytes, got ${right.length}`);
  }
  return left.map((byte, index) => byte ^ (right[index] ?? 0));
}

function isBetween(nodeId: Uint8Array, low: Uint8Array, high: Uint8Array): boolean {
  const isAboveLow = compareBytes(nodeId, low) > 0;
  const isBelowHigh = compareBytes(nodeId, high) < 0;
  return compareBytes(low, high) < 0 ? isAboveLow && isBelowHigh : isAboveLow || isBelowHigh;
}

function shareOf(winners: bigint, nodeId: Uint8Array, step = 0): number {
  return Number(winners) / 2 ** (8 * nodeId.length - step);
}

/** How many IDs as long as this one begin with so many zero bits: all below this number. */
function sizeOf(nodeId: Uint8Array, zeroBits: number): bigint {
  return 1n << BigInt(8 * nodeId.length - zeroBits);
}

/** How many multiples of 2^step below `size` lie strictly between the two IDs, going up. */
function countBetween(
  goal: Goal & { readonly type: 'between' },
  size: bigint,
  step: number,
): bigint {
  const low = integerOf(goal.low);
  const high = integerOf(goal.high);
  const end = high < size ? high : size;
  if (low < high) return multiples(low + 1n, end, step);
  return multiples(low + 1n, size, step) + multiples(0n, end, step);
}

/** How many multiples of 2^step there are in from..end − 1. */
function multiples(from: bigint, end: bigint, step: number): bigint {
  const unit = 1n << BigInt(step);
  const below = (bound: bigint) => (bound + unit - 1n) / unit;
  return positive(below(end) - below(from));
}

function positive(value: bigint): bigint {
  return value > 0n ? value : 0n;
}

function integerOf(nodeId: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(nodeId)}`);
}
