/**
 * @module
 * Timers in the order in which they fire: by tick, then in the order in which they were set (a binary heap).
 * A timer belongs to a node and has a name. Setting it again replaces it. Protocols set most timers again
 * long before they fire, so that the heap is corrected late: an entry keeps its position in the heap when its
 * timer is set again, cancelled or fired, and is moved or removed when it reaches the top. Entries of a paused
 * node that reach the top are put aside, and return to the heap when the node resumes.
 */

import type { Clock } from './engine-options.ts';

interface TimerRequest {
  /** The rank of the node. */
  readonly node: number;
  readonly timer: string;
  readonly ticks: number;
  readonly periodic: boolean;
}

/** The timer of one name of one node. */
interface Entry {
  readonly node: number;
  readonly timer: string;
  ticks: number;
  periodic: boolean;
  /** The tick at which it fires. */
  at: number;
  /** Number of timers set before this one: the order within a tick. */
  order: number;
  /** Whether it is set. */
  live: boolean;
  /** The key of the timer in the heap, never after (`at`, `order`). */
  heapAt: number;
  heapOrder: number;
  /** Whether it is in the heap. Otherwise it is aside. */
  queued: boolean;
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
  /**
   * The clock of this node jumps by this number of ticks, back if they are below 0: its timers are due earlier by as much, at
   * `now` at the earliest.
   */
  jump(now: number, node: number, ticks: number): void;
  /** The earliest tick at which a timer fires; Infinity if none is set. */
  earliest(): number;
  /** Takes the next timer that is due at `now`, or null. A periodic timer is set again at once. */
  take(now: number): Pick<TimerRequest, 'node' | 'timer'> | null;
}

interface TimerTable {
  readonly clock: Clock | null;
  readonly heap: Entry[];
  /** By rank. Timers that are not set remain until they leave the heap. */
  readonly ofNode: (Map<string, Entry> | undefined)[];
  /** Overdue timers of paused nodes. */
  readonly aside: Map<number, Entry[]>;
  /** Number of timers set so far. */
  count: number;
  oneShots: number;
  longestPeriodTicks: number;
}

/** `clock` returns the ticks that a timer really takes, also for each period; null for even clocks. */
export function createTimers(clock: Clock | null = null): Timers {
  const parts = { heap: [], ofNode: [], aside: new Map<number, Entry[]>() };
  const table: TimerTable = { clock, ...parts, count: 0, oneShots: 0, longestPeriodTicks: 0 };
  const { heap, ofNode, aside } = table;
  return {
    oneShots: () => table.oneShots,
    longestPeriodTicks: () => table.longestPeriodTicks,
    set: (now, request) => setTimer(table, now, request),
    cancel(node, timer) {
      const entry = ofNode[node]?.get(timer);
      if (entry !== undefined) retire(table, entry);
    },
    cancelAll(node) {
      for (const entry of ofNode[node]?.values() ?? []) retire(table, entry);
      aside.delete(node);
    },
    pause(node) {
      aside.set(node, []);
    },
    resume(node) {
      const waiting = aside.get(node) ?? [];
      aside.delete(node);
      for (const entry of waiting) {
        if (!entry.live) continue;
        entry.queued = true;
        pushEntry(heap, entry);
      }
    },
    jump(now, node, ticks) {
      const live = [...(ofNode[node]?.values() ?? [])].filter((entry) => entry.live);
      live.sort((one, other) => one.at - other.at || one.order - other.order);
      for (const entry of live) {
        // What is due stays due.
        if (entry.at > now) schedule(table, entry, Math.max(now, entry.at - ticks));
      }
    },
    earliest: () => nextLive(table)?.at ?? Number.POSITIVE_INFINITY,
    take(now) {
      const entry = nextLive(table);
      if (entry === undefined || entry.at > now) return null;
      if (entry.periodic) setTimer(table, now, entry);
      else retire(table, entry);
      return entry;
    },
  };
}

function setTimer(table: TimerTable, now: number, request: TimerRequest): void {
  const { node, timer, ticks, periodic } = request;
  if (!Number.isSafeInteger(ticks) || ticks < (periodic ? 1 : 0)) {
    throw new RangeError(`"ticks" expected a whole number of ticks, got ${ticks}`);
  }
  const { clock } = table;
  const taken = clock === null ? ticks : clock(node, ticks, now);
  if (periodic) table.longestPeriodTicks = Math.max(table.longestPeriodTicks, taken);
  schedule(table, { node, timer, ticks, periodic }, now + taken);
}

/** Sets a timer that fires at this tick. */
function schedule(table: TimerTable, request: TimerRequest, at: number): void {
  const { node, timer, ticks, periodic } = request;
  const { ofNode, count: order } = table;
  const timers = ofNode[node] ?? new Map<string, Entry>();
  ofNode[node] = timers;
  const before = timers.get(timer);
  if (before !== undefined) retire(table, before);
  if (!periodic) table.oneShots += 1;
  table.count += 1;
  // A later key is corrected when the entry reaches the top of the heap. An earlier one needs a new entry.
  if (before?.queued === true && at >= before.heapAt) {
    before.ticks = ticks;
    before.periodic = periodic;
    before.at = at;
    before.order = order;
    before.live = true;
    return;
  }
  const key = { heapAt: at, heapOrder: order, queued: true };
  const entry: Entry = { node, timer, ticks, periodic, at, order, live: true, ...key };
  timers.set(timer, entry);
  pushEntry(table.heap, entry);
}

/** The timer of an entry is not set any more. */
function retire(table: TimerTable, entry: Entry): void {
  if (!entry.live) return;
  entry.live = false;
  if (!entry.periodic) table.oneShots -= 1;
  if (!entry.queued) forget(table, entry);
}

function forget({ ofNode }: TimerTable, entry: Entry): void {
  const timers = ofNode[entry.node];
  if (timers?.get(entry.timer) === entry) timers.delete(entry.timer);
}

/** The entry that fires next. Entries before it leave the top of the heap. */
function nextLive(table: TimerTable): Entry | undefined {
  const { heap, aside } = table;
  for (;;) {
    const top = heap[0];
    if (top === undefined) return top;
    const waiting = aside.size > 0 ? aside.get(top.node) : undefined;
    if (!top.live) {
      popEntry(heap);
      forget(table, top);
    } else if (top.heapOrder !== top.order) {
      sinkTop(heap, top);
    } else if (waiting === undefined) {
      return top;
    } else {
      popEntry(heap);
      top.queued = false;
      waiting.push(top);
    }
  }
}

function firesBefore(left: Entry, right: Entry): boolean {
  return (
    left.heapAt < right.heapAt || (left.heapAt === right.heapAt && left.heapOrder < right.heapOrder)
  );
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
  if (entry !== undefined && heap.length > 0) sink(heap, entry);
}

/** Gives the top its present key and moves it to its position. */
function sinkTop(heap: Entry[], top: Entry): void {
  top.heapAt = top.at;
  top.heapOrder = top.order;
  sink(heap, top);
}

/** Puts `entry` into the heap instead of the top. */
function sink(heap: Entry[], entry: Entry): void {
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
