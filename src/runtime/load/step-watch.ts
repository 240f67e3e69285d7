/**
 * @module
 * Which code of the user runs now in each thread, in memory that another thread watches. A call without an end blocks its
 * thread, which then reacts to nothing, so that only another one can say what it waits for.
 */

import { printable } from '../../printable.ts';

/** Threads that one memory has room for: the main one and those that help it. */
const SLOTS = 256;
/** Integers of the memory: where the next text belongs, then for each thread its calls and what runs. */
const AT = { textEnd: 0, slots: 1 } as const;
/** Integers of one thread: the count of begun and ended calls, and where the name of the running code is (0: none runs). */
const IN_SLOT = { calls: 0, running: 1, size: 2 } as const;
const TEXT_AT = 4 * (AT.slots + SLOTS * IN_SLOT.size);
const BYTES = TEXT_AT + 2 ** 17;
/** The length of a text is written in two bytes before it. */
const TEXT_BYTES_MAX = 1024;

/** The place of a thread in the memory that is watched. */
export interface StepWatch {
  readonly memory: SharedArrayBuffer;
  readonly slot: number;
}

/** Memory for the calls of a thread, which has slot 0, and of its helpers. */
export function watchMemory(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(BYTES);
  new Int32Array(memory)[AT.textEnd] = TEXT_AT;
  return memory;
}

let watch: StepWatch | null = null;
let cell: Int32Array = new Int32Array(IN_SLOT.size);
const LOCATIONS = new Map<string, number>();
/** The slots of helping threads that run. */
const TAKEN = new Set<number>();

/** From now on each call of this thread is written to the memory. */
export function beginWatch(begun: StepWatch | null): void {
  watch = begun;
  if (begun !== null) cell = cellOf(begun);
}

function cellOf({ memory, slot }: StepWatch): Int32Array {
  return new Int32Array(memory, 4 * (AT.slots + slot * IN_SLOT.size), IN_SLOT.size);
}

/** A slot for a thread that is started. Null if this thread is not watched, or no slot is left. */
export function takeSlot(): StepWatch | null {
  if (watch === null) return null;
  for (let slot = 1; slot < SLOTS; slot += 1) {
    if (TAKEN.has(slot)) continue;
    TAKEN.add(slot);
    return { memory: watch.memory, slot };
  }
  return null;
}

/** The thread with this slot has ended, perhaps within a call. */
export function leaveSlot(taken: StepWatch | null): void {
  if (taken === null) return;
  cellOf(taken).fill(0);
  TAKEN.delete(taken.slot);
}

/** Calls code of the user. `what` names it. */
export function watched<Result>(what: string, call: () => Result): Result {
  if (watch === null) return call();
  const outer = cell[IN_SLOT.running] ?? 0;
  cell[IN_SLOT.running] = locationOf(what, watch.memory);
  Atomics.add(cell, IN_SLOT.calls, 1);
  try {
    return call();
  } finally {
    cell[IN_SLOT.running] = outer;
    Atomics.add(cell, IN_SLOT.calls, 1);
  }
}

/** Where a text is in the memory; 0 if there is no room for it. */
function locationOf(what: string, memory: SharedArrayBuffer): number {
  const known = LOCATIONS.get(what);
  if (known !== undefined) return known;
  const text = Buffer.from(printable(what)).subarray(0, TEXT_BYTES_MAX);
  const location = Atomics.add(new Int32Array(memory), AT.textEnd, text.length + 2);
  const hasRoom = location + text.length + 2 <= BYTES;
  if (hasRoom)
    new Uint8Array(memory).set([text.length >>> 8, text.length & 255, ...text], location);
  LOCATIONS.set(what, hasRoom ? location : 0);
  return hasRoom ? location : 0;
}

/** How often the memory is looked at. */
const TICK_MS = 500;
/** Ticks in a row at which the same call runs. A process that sleeps has no ticks. */
const TICKS_MAX = 10;

/** Looks at the calls of all threads from now on, and says once what is wrong with the first that does not end. */
export function watchCalls(
  memory: SharedArrayBuffer,
  onEndless: (problem: string) => void,
): NodeJS.Timeout {
  const ints = new Int32Array(memory);
  const seen = new Int32Array(SLOTS);
  const ticks = new Int32Array(SLOTS);
  const timer = setInterval(() => {
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const at = AT.slots + slot * IN_SLOT.size;
      const calls = Atomics.load(ints, at + IN_SLOT.calls);
      const running = Atomics.load(ints, at + IN_SLOT.running);
      ticks[slot] = running !== 0 && calls === seen[slot] ? (ticks[slot] ?? 0) + 1 : 0;
      seen[slot] = calls;
      if ((ticks[slot] ?? 0) < TICKS_MAX) continue;
      clearInterval(timer);
      const seconds = (TICKS_MAX * TICK_MS) / 1e3;
      const what = textAt(memory, running);
      onEndless(`${what} has not ended after ${seconds} s; remove loops without an end from it`);
      return;
    }
  }, TICK_MS);
  return timer;
}

function textAt(memory: SharedArrayBuffer, location: number): string {
  const bytes = Buffer.from(memory);
  const length = bytes.readUInt16BE(location);
  return bytes.toString('utf8', location + 2, location + 2 + length);
}
