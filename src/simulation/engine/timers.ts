/**
 * @module
 * Timers in the order in which they fire: by tick, then in the order in which they were set (a binary heap).
 * A timer belongs to a node and has a name. Setting it again replaces it. Replaced and cancelled entries stay
 * in the heap until they reach its top, and never fire. Entries of a paused node that reach the top are put
 * aside, and return to the heap when the node resumes.
 */

import type { Clock } from '../faults/clock.ts';

interface TimerRequest {
  /** The rank of the node. */
  readonly node: number;
  readonly timer: string;
  readonly ticks: number;
  readonly periodic: boolean;
}

interface Entry extends TimerRequest {
  readonly at: number;
  /** Number of timers set before this one: the order within a tick. */
  readonly order: number;
  live: boolean;
}

export interface Timers {
  /** Number of live timers that fire once. */
  oneShots(): number;
  /** The longest period of the periodic timers set so far; 0 without any. */
  longestPeriodTicks(): number;
  set(now: number, timer: TimerRequest): void;
  cancel(node: number, timer: string): void;
  /** Cancels all timers of a node that crashed, and ends its pause. */
  cancelAll(node: number): void;
  /** From now on no timer of this node fires. */
  pause(node: number): void;
  /** The timers of this node fire again. Overdue ones are due now. */
  resume(node: number): void;
  /** The earliest tick at which a timer fires; Infinity if none is set. */
  earliest(): number;
  /** Takes the next timer that is due at `now`, or null. A periodic timer is set again at once. */
  take(now: number): Pick<TimerRequest, 'node' | 'timer'> | null;
}

/** `clock` returns the ticks that a timer really takes, also for each period; null for even clocks. */
export function createTimers(clock: Clock | null = null): Timers {
  const heap: Entry[] = [];
  const ofNode = new Map<number, Map<string, Entry>>();
  /** Overdue timers of paused nodes. */
  const aside = new Map<number, Entry[]>();
  let order = 0;
  let oneShots = 0;
  let longestPeriodTicks = 0;

  const retire = (entry: Entry) => {
    entry.live = false;
    if (!entry.periodic) oneShots -= 1;
  };
  const cancel = (node: number, timer: string) => {
    const timers = ofNode.get(node);
    const entry = timers?.get(timer);
    if (entry === undefined) return;
    timers?.delete(timer);
    retire(entry);
  };
  const set = (now: number, { node, timer, ticks, periodic }: TimerRequest) => {
    if (!Number.isSafeInteger(ticks) || ticks < (periodic ? 1 : 0)) {
      throw new RangeError(`"ticks" expected a whole number of ticks, got ${ticks}`);
    }
    cancel(node, timer);
    const taken = clock === null ? ticks : clock(node, ticks, now);
    const entry: Entry = { at: now + taken, order, node, timer, ticks, periodic, live: true };
    order += 1;
    if (periodic) longestPeriodTicks = Math.max(longestPeriodTicks, taken);
    else oneShots += 1;
    let timers = ofNode.get(node);
    if (timers === undefined) {
      timers = new Map();
      ofNode.set(node, timers);
    }
    timers.set(timer, entry);
    pushEntry(heap, entry);
  };

  return {
    oneShots: () => oneShots,
    longestPeriodTicks: () => longestPeriodTicks,
    set,
    cancel,
    cancelAll(node) {
      for (const entry of ofNode.get(node)?.values() ?? []) retire(entry);
      ofNode.delete(node);
      aside.delete(node);
    },
    pause(node) {
      aside.set(node, []);
    },
    resume(node) {
      const waiting = aside.get(node) ?? [];
      aside.delete(node);
      for (const entry of waiting) pushEntry(heap, entry);
    },
    earliest: () => nextLive(heap, aside)?.at ?? Number.POSITIVE_INFINITY,
    take(now) {
      const entry = nextLive(heap, aside);
      if (entry === undefined || entry.at > now) return null;
      cancel(entry.node, entry.timer);
      if (entry.periodic) set(now, entry);
      return entry;
    },
  };
}

/** The entry that fires next. Removes retired entries before it and puts those of paused nodes aside. */
function nextLive(heap: Entry[], aside: ReadonlyMap<number, Entry[]>): Entry | undefined {
  for (;;) {
    const top = heap[0];
    if (top === undefined) return top;
    const waiting = aside.size > 0 ? aside.get(top.node) : undefined;
    if (top.live && waiting === undefined) return top;
    popEntry(heap);
    if (top.live) waiting?.push(top);
  }
}

function firesBefore(left: Entry, right: Entry): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}

function pushEntry(heap: Entry[], entry: Entry): void {
  let index = heap.length;
  heap.push(entry);
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex];
    if (parent === undefined || firesBefore(parent, entry)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = entry;
}

function popEntry(heap: Entry[]): void {
  const entry = heap.pop();
  if (entry === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let childIndex = 2 * index + 1;
    let child = heap[childIndex];
    if (child === undefined) break;
    const right = heap[childIndex + 1];
    if (right !== undefined && firesBefore(right, child)) {
      child = right;
      childIndex += 1;
    }
    if (firesBefore(entry, child)) break;
    heap[index] = child;
    index = childIndex;
  }
  heap[index] = entry;
}
