/**
 * @module
 * Messages on the way, one by one: who looks at them, takes one out of turn or holds one back does it
 * here, between two steps of a run, so that the wheel's own path knows nothing of it. What waits for a
 * paused node has arrived and is not among them.
 */

import { fromRank } from '../../election/cast.ts';
import type { Message, Rank } from '../../election/machine.ts';

import type { SimulatedNode } from './simulated-node.ts';
import type { Slot, Wheel } from './wheel.ts';
import { slotAt } from './wheel.ts';

/** One message on the way. */
export interface Flight {
  /** Its number in the trace: how many were sent before it; below 0 for a copy. */
  readonly id: number;
  /** Places: ranks, and the one after them for a store. */
  readonly from: number;
  readonly to: number;
  readonly message: Message;
  /** The tick at which it arrives. */
  readonly due: number;
}

/** A message that was taken off the wheel. */
export interface TakenFlight {
  readonly id: number;
  readonly from: Rank;
  readonly to: SimulatedNode;
  readonly message: Message;
  readonly due: number;
}

/** Every message on the way at `now`, by arrival, those of one tick as they will be delivered. */
export function flightsOf(wheel: Wheel, now: number): Flight[] {
  const flights: Flight[] = [];
  for (let due = now, left = wheel.inFlight; left > 0; due += 1) {
    const slot = slotAt(wheel, due);
    if (slot === null) continue;
    for (let index = slot.next; index < slot.count; index += 1, left -= 1) {
      const { id, from, to, message } = flightAt(slot, index);
      flights.push({ id, from: fromRank(from), to: to.rank, message, due });
    }
  }
  return flights;
}

/**
 * The `count` messages on the way with the lowest numbers above `after`, by number. Of all others no
 * more than the number is looked at.
 */
export function flightsAfter(
  { wheel, now }: { readonly wheel: Wheel; readonly now: number },
  after: number,
  count: number,
): Flight[] {
  const first: { readonly id: number; readonly slot: Slot; readonly index: number; due: number }[] =
    [];
  let below = count > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  for (let due = now, left = wheel.inFlight; left > 0; due += 1) {
    const slot = slotAt(wheel, due);
    if (slot === null) continue;
    const { ids, count: end } = slot;
    for (let index = slot.next; index < end; index += 1) {
      const id = ids[index] ?? after;
      if (id <= after || id >= below) continue;
      const place = first.findLastIndex((each) => each.id < id) + 1;
      first.splice(place, 0, { id, slot, index, due });
      if (first.length > count) first.pop();
      if (first.length === count) below = first.at(-1)?.id ?? below;
    }
    left -= slot.count - slot.next;
  }
  return first.map(({ slot, index, due }) => {
    const { id, from, to, message } = flightAt(slot, index);
    return { id, from: fromRank(from), to: to.rank, message, due };
  });
}

/** Takes a message away by its number; null when none on the way has it. */
export function takeFlight(wheel: Wheel, now: number, id: number): TakenFlight | null {
  for (let due = now, left = wheel.inFlight; left > 0; due += 1) {
    const slot = slotAt(wheel, due);
    if (slot === null) continue;
    const index = slot.ids.indexOf(id, slot.next);
    if (index >= 0 && index < slot.count) return { ...removeAt(wheel, slot, index, due), due };
    left -= slot.count - slot.next;
  }
  return null;
}

/** Makes room for messages that take up to `ticks` from `now`; those on the way keep their ticks. */
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
    const place = tick & (length - 1);
    wheel.slots[place] = slot;
    if (slot.count > 0) flip(wheel, place);
  }
}

type Parts = Omit<TakenFlight, 'due'>;

function removeAt(wheel: Wheel, slot: Slot, index: number, tick: number): Parts {
  const flight = flightAt(slot, index);
  for (const column of [slot.ids, slot.froms, slot.tos, slot.messages]) column.splice(index, 1);
  slot.count -= 1;
  wheel.inFlight -= 1;
  if (slot.next >= slot.count) {
    slot.next = 0;
    slot.count = 0;
    flip(wheel, tick & (wheel.slots.length - 1));
  }
  return flight;
}

function flightAt(slot: Slot, index: number): Parts {
  const id = slot.ids[index];
  const from = slot.froms[index];
  const to = slot.tos[index];
  const message = slot.messages[index];
  if (id === undefined || from === undefined || to === undefined || message === undefined) {
    throw new RangeError(`"index" expected one of ${slot.count} messages, got ${index}`);
  }
  return { id, from, to, message };
}

function flip(wheel: Wheel, place: number): void {
  const word = place >>> 5;
  wheel.used[word] = (wheel.used[word] ?? 0) ^ (1 << (place & 31));
}
