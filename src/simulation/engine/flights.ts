/**
 * @module
 * Single messages in flight: lists them, takes one out of turn, and makes room for longer latencies. These
 * functions are called between two steps of a run and keep the hot path of the wheel free of them. Messages
 * in the paused inbox have arrived and are not in flight.
 */

import type { Message, Rank } from '../../election/machine.ts';
import { fromRank } from '../../election/world/cast.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { Slot, Wheel } from './wheel.ts';
import { flipUsed, slotAt } from './wheel.ts';

export interface Flight {
  /** The number of the message in the trace: how many messages were sent before it; below 0 for a copy. */
  readonly id: number;
  /** The rank of the sender, or the number of the store. */
  readonly from: number;
  /** The rank of the recipient, or the number of the store. */
  readonly to: number;
  readonly message: Message;
  /** The tick at which it arrives. */
  readonly due: number;
}

/** A message that was removed from the wheel. */
export interface TakenFlight {
  readonly id: number;
  readonly from: Rank;
  readonly to: SimulatedNode;
  readonly message: Message;
  readonly due: number;
}

/** The messages in flight at `now`, by arrival, those of one tick in the order of delivery. */
export function flightsOf(wheel: Wheel, now: number): Flight[] {
  const flights: Flight[] = [];
  for (const [due, slot] of busySlots(wheel, now)) {
    for (let index = slot.next; index < slot.count; index += 1) {
      flights.push(flightAt(slot, index, due));
    }
  }
  return flights;
}

/**
 * The `count` messages in flight with the lowest numbers above `after`, by number. Reads only the numbers of
 * the other messages.
 */
export function flightsAfter(
  { wheel, now }: { readonly wheel: Wheel; readonly now: number },
  after: number,
  count: number,
): Flight[] {
  const first: { readonly id: number; readonly slot: Slot; readonly index: number; due: number }[] =
    [];
  let below = count > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  for (const [due, slot] of busySlots(wheel, now)) {
    const { ids, count: end } = slot;
    for (let index = slot.next; index < end; index += 1) {
      const id = ids[index] ?? after;
      if (id <= after || id >= below) continue;
      first.splice(first.findLastIndex((each) => each.id < id) + 1, 0, { id, slot, index, due });
      if (first.length > count) first.pop();
      if (first.length === count) below = first.at(-1)?.id ?? below;
    }
  }
  return first.map(({ slot, index, due }) => flightAt(slot, index, due));
}

/** Removes a message by its number; null if no message in flight has it. */
export function takeFlight(wheel: Wheel, now: number, id: number): TakenFlight | null {
  for (const [due, slot] of busySlots(wheel, now)) {
    const index = slot.ids.indexOf(id, slot.next);
    if (index >= 0 && index < slot.count) return removeAt(wheel, slot, index, due);
  }
  return null;
}

/** Makes room for messages that take up to `ticks` from `now`. Messages in flight keep their ticks. */
export function widenWheel(wheel: Wheel, now: number, ticks: number): void {
  const before = wheel.slots.length;
  const length = 2 ** Math.ceil(Math.log2(ticks + 1));
  if (length <= before) return;
  const slots = [...wheel.slots];
  wheel.slots.length = length;
  wheel.slots.fill(undefined);
  wheel.used = new Int32Array(length / 32);
  for (let tick = now; tick < now + before; tick += 1) {
    const slot = slots[tick & (before - 1)];
    if (slot === undefined) continue;
    wheel.slots[tick & (length - 1)] = slot;
    if (slot.count > 0) flipUsed(wheel, tick);
  }
}

/** The ticks with messages in flight, ascending, and their slots. */
function* busySlots(wheel: Wheel, now: number): Generator<readonly [number, Slot]> {
  for (let due = now, left = wheel.inFlight; left > 0; due += 1) {
    const slot = slotAt(wheel, due);
    if (slot === null) continue;
    left -= slot.count - slot.next;
    yield [due, slot];
  }
}

function removeAt(wheel: Wheel, slot: Slot, index: number, due: number): TakenFlight {
  const flight = takenAt(slot, index, due);
  for (const column of [slot.ids, slot.froms, slot.tos, slot.messages]) column.splice(index, 1);
  slot.count -= 1;
  wheel.inFlight -= 1;
  if (slot.next >= slot.count) {
    slot.next = 0;
    slot.count = 0;
    flipUsed(wheel, due);
  }
  return flight;
}

function flightAt(slot: Slot, index: number, due: number): Flight {
  const { id, from, to, message } = takenAt(slot, index, due);
  return { id, from: fromRank(from), to: to.rank, message, due };
}

function takenAt(slot: Slot, index: number, due: number): TakenFlight {
  const id = slot.ids[index];
  const from = slot.froms[index];
  const to = slot.tos[index];
  const message = slot.messages[index];
  if (id === undefined || from === undefined || to === undefined || message === undefined) {
    throw new RangeError(`"index" expected one of ${slot.count} messages, got ${index}`);
  }
  return { id, from, to, message, due };
}
