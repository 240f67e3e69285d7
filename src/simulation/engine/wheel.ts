/**
 * @module
 * Messages in flight, by the tick they arrive: a calendar wheel with one slot a tick, wide enough
 * that no latency goes round it, and a bitmap of the slots in use. Slots are parallel arrays that are
 * kept and overwritten; what is in use is a counter. Truncating them (`length = 0`) would give the
 * storage back every tick.
 */

import type { Message, Rank } from '../../election/machine.ts';

import type { SimulatedNode } from './simulated-node.ts';

/** Messages that arrive at one tick, in send order; those before `next` have been taken. */
export interface Slot {
  /** The number of sends before each in the whole election. */
  readonly ids: number[];
  readonly froms: Rank[];
  readonly tos: SimulatedNode[];
  readonly messages: Message[];
  count: number;
  next: number;
}

export interface Wheel {
  /** A power of two; slots that were never used are undefined. */
  readonly slots: (Slot | undefined)[];
  /** One bit a slot: whether it holds messages that have not been taken. */
  used: Int32Array;
  inFlight: number;
}

/** A wheel for latencies of 1..ticksMax. */
export function createWheel(ticksMax: number): Wheel {
  const length = Math.max(32, 2 ** Math.ceil(Math.log2(ticksMax + 1)));
  const slots = new Array<Slot | undefined>(length).fill(undefined);
  return { slots, used: new Int32Array(length / 32), inFlight: 0 };
}

/** Adds a message that arrives at `tick`. No object for its parts: this is once per message. */
export function pushFlight(
  wheel: Wheel,
  tick: number,
  id: number,
  from: Rank,
  to: SimulatedNode,
  message: Message,
): void {
  const place = tick & (wheel.slots.length - 1);
  const slot = wheel.slots[place] ?? createSlot(wheel, place);
  const index = slot.count;
  if (index === 0) flipUsed(wheel, place);
  slot.ids[index] = id;
  slot.froms[index] = from;
  slot.tos[index] = to;
  slot.messages[index] = message;
  slot.count = index + 1;
  wheel.inFlight += 1;
}

/** The messages that arrive at `tick`; null when there are none. */
export function slotAt(wheel: Wheel, tick: number): Slot | null {
  const slot = wheel.slots[tick & (wheel.slots.length - 1)];
  return slot === undefined || slot.count === 0 ? null : slot;
}

/** Notes that the slot of `tick` has been taken up to its `next`. */
export function releaseTaken(wheel: Wheel, tick: number, taken: number): void {
  wheel.inFlight -= taken;
  const slot = slotAt(wheel, tick);
  if (slot === null || slot.next < slot.count) return;
  slot.next = 0;
  slot.count = 0;
  flipUsed(wheel, tick & (wheel.slots.length - 1));
}

/** The earliest tick ≥ `now` with a message; Infinity when none is in flight. */
export function earliestArrival(wheel: Wheel, now: number): number {
  if (wheel.inFlight === 0) return Number.POSITIVE_INFINITY;
  const place = now & (wheel.slots.length - 1);
  let word = place >>> 5;
  let bits = (wheel.used[word] ?? 0) >>> (place & 31);
  let tick = now;
  if (bits === 0) {
    tick += 32 - (place & 31);
    word = (word + 1) % wheel.used.length;
    bits = wheel.used[word] ?? 0;
  }
  while (bits === 0) {
    tick += 32;
    word = (word + 1) % wheel.used.length;
    bits = wheel.used[word] ?? 0;
  }
  return tick + 31 - Math.clz32(bits & -bits);
}

function createSlot(wheel: Wheel, place: number): Slot {
  const slot = { ids: [], froms: [], tos: [], messages: [], count: 0, next: 0 };
  wheel.slots[place] = slot;
  return slot;
}

function flipUsed(wheel: Wheel, place: number): void {
  const word = place >>> 5;
  wheel.used[word] = (wheel.used[word] ?? 0) ^ (1 << (place & 31));
}
