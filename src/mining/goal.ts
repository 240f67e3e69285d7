/**
 * @module
 * The goal of a search: the ID that it seeks. src/adversary resolves goals that need a whole network ("top") to
 * these. Node IDs are unsigned big-endian integers. Distances are XOR, as in a DHT (Maymounkov and Mazières 2002,
 * Kademlia). A ring continues after the highest ID with the lowest. A goal is also a window on the first 32 bits of
 * an ID, which the kernel's sieve tests. A window passes every winner and some other IDs.
 */

import { bytesToHex, compareBytes, leadingZeroBits } from '../bytes.ts';

export type Goal =
  | { readonly type: 'any' }
  /** A number of admissible identities (Sybils). */
  | { readonly type: 'count'; readonly identities: number }
  /** Two keys that are admitted with one node ID. */
  | { readonly type: 'pair' }
  /** Node IDs strictly greater than this one. By default one. */
  | { readonly type: 'above'; readonly nodeId: Uint8Array; readonly identities?: number }
  /** Strictly between two IDs on the ring, upwards from `low`. If they are equal, any other ID. By default one. */
  | {
      readonly type: 'between';
      readonly low: Uint8Array;
      readonly high: Uint8Array;
      readonly identities?: number;
    }
  /**
   * XOR-closer to `nodeId` than the distance `closerThan`. If that is null, the closest that the budget finds, so
   * that only the budget ends such a search.
   */
  | {
      readonly type: 'near';
      readonly nodeId: Uint8Array;
      readonly closerThan: Uint8Array | null;
    };

/** A goal that only the best of all candidates meets. */
export type ClosestGoal = Goal & { readonly type: 'near'; readonly closerThan: null };

export function meetsGoal(goal: Goal, nodeId: Uint8Array): boolean {
  switch (goal.type) {
    case 'any':
    case 'count':
    case 'pair':
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

/** Number of identities that the goal needs. */
export function identitiesWanted(goal: Goal): number {
  switch (goal.type) {
    case 'count':
      return goal.identities;
    case 'above':
    case 'between':
      return goal.identities ?? 1;
    case 'pair':
      return 2;
    default:
      return 1;
  }
}

/** Whether the goal is about several keys together, also if it needs only one of them. */
export function isAboutSeveral({ type }: Goal): boolean {
  return type === 'count' || type === 'pair';
}

/** Whether each identity counts by itself, so that one is finished before the next is sought. */
export function countsEach(goal: Goal): boolean {
  return goal.type === 'count' || (goal.type !== 'pair' && identitiesWanted(goal) > 1);
}

/** Whether the winner is known only at the end of the budget. */
export function isClosestGoal(goal: Goal): goal is ClosestGoal {
  return goal.type === 'near' && goal.closerThan === null;
}

/**
 * The probability that a uniformly random node ID meets the goal and begins with `zeroBits` zero bits. Exactly 0
 * if no ID can. For the goal `pair` it is that of one of the two keys. Every ID is the closest until a closer one is found. `step` is for IDs that end in zeros: they
 * are multiples of 2^step.
 */
export function goalProbability(goal: Goal, zeroBits = 0, step = 0): number {
  switch (goal.type) {
    case 'any':
    case 'count':
    case 'pair':
      return 2 ** -zeroBits;
    case 'above': {
      const size = sizeOf(goal.nodeId, zeroBits);
      return shareOf(multiples(integerOf(goal.nodeId) + 1n, size, step), goal.nodeId, step);
    }
    case 'between':
      return shareOf(countBetween(goal, sizeOf(goal.low, zeroBits), step), goal.low, step);
    case 'near': {
      if (goal.closerThan === null) return 2 ** -zeroBits;
      // The distances of IDs below `size` begin as the target does.
      const size = sizeOf(goal.nodeId, zeroBits);
      const target = integerOf(goal.nodeId);
      const closer = integerOf(goal.closerThan) - (target - (target % size));
      return shareOf(closer < size ? positive(closer) : size, goal.nodeId);
    }
    default:
      return goal satisfies never;
  }
}

/** All IDs and distances of a goal. They have one length. */
export function goalIds(goal: Goal): readonly Uint8Array[] {
  switch (goal.type) {
    case 'any':
    case 'count':
    case 'pair':
      return [];
    case 'above':
      return [goal.nodeId];
    case 'between':
      return [goal.low, goal.high];
    case 'near':
      return goal.closerThan === null ? [goal.nodeId] : [goal.nodeId, goal.closerThan];
    default:
      return goal satisfies never;
  }
}

/** Bytes of the IDs in a goal. Null if it has none. */
export function goalIdBytes(goal: Goal): number | null {
  return goalIds(goal)[0]?.length ?? null;
}

/** The goal as the command line writes it, such as `above:<hex>`. */
export function formatGoal(goal: Goal): string {
  if (goal.type === 'count') return `count:${goal.identities}`;
  const ids = goalIds(goal).slice(0, goal.type === 'near' ? 1 : 2);
  return [goal.type, ...ids.map(bytesToHex)].join(':');
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

/** The IDs as long as this one that begin with `zeroBits` zero bits are those below this number. */
function sizeOf(nodeId: Uint8Array, zeroBits: number): bigint {
  return 1n << BigInt(8 * nodeId.length - zeroBits);
}

/** Number of multiples of 2^step below `size` that are strictly between the two IDs, upwards. */
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

/** Number of multiples of 2^step in from..end − 1. */
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

/** Inclusive bounds on the first 32 bits, read big-endian. If `low` is above `high`, it wraps over the top. */
export interface HeadWindow {
  readonly low: number;
  readonly high: number;
}

export const WHOLE_WINDOW: HeadWindow = { low: 0, high: 0xffffffff };

export function headWindow(goal: Goal): HeadWindow {
  switch (goal.type) {
    case 'any':
    case 'count':
    case 'pair':
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

/** The first 32 bits of an ID, read big-endian. A shorter ID is continued with zeros. */
export function headOf(nodeId: Uint8Array): number {
  const [first = 0, second = 0, third = 0, fourth = 0] = nodeId;
  return ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0;
}
