/**
 * @module
 * Turns on the thread that answers. Long work is cut into slices, and requests are answered after every
 * few milliseconds of them, however many elections advance or are replayed. Each caller has one line for
 * the actions on its elections, one for their replays, one for sending and one for bodies, and the lines take turns. The
 * work of a caller whose elections have used up their time pauses until some of it is back.
 */

import { performance } from 'node:perf_hooks';

import type { Principal } from '../request/principal.ts';
import { charged } from '../request/principal.ts';

/**
 * Items that wait in lines, one line for each key. The keys take turns, so that a key with many items does not delay
 * the others.
 */
export class RoundRobin<Item> {
  /** In the order of turns. No line is empty. */
  readonly #lines = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of items of a key. */
  count(key: string): number {
    return this.#lines.get(key)?.length ?? 0;
  }

  /** The keys, in the order of their turns. */
  keys(): string[] {
    return [...this.#lines.keys()];
  }

  items(): Item[] {
    return [...this.#lines.values()].flat();
  }

  push(key: string, item: Item): void {
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, [item]);
    else line.push(item);
    this.#size += 1;
  }

  /** Takes the first item of the next key for which `isReady`, and moves that key to the end. */
  take(isReady: (key: string, first: Item) => boolean = () => true): Item | undefined {
    for (const [key, line] of this.#lines) {
      const [first] = line;
      if (first === undefined || !isReady(key, first)) continue;
      this.#lines.delete(key);
      line.shift();
      if (line.length > 0) this.#lines.set(key, line);
      this.#size -= 1;
      return first;
    }
    return undefined;
  }

  /** Puts an item back before the others of its key. The turn of the key comes after those of all others. */
  putBack(key: string, item: Item): void {
    const line = this.#lines.get(key) ?? [];
    this.#lines.delete(key);
    this.#lines.set(key, [item, ...line]);
    this.#size += 1;
  }

  /** Whether `take` would find an item. */
  has(isReady: (key: string, first: Item) => boolean): boolean {
    return [...this.#lines].some(([key, [first]]) => first !== undefined && isReady(key, first));
  }

  remove(key: string, item: Item): void {
    const line = this.#lines.get(key) ?? [];
    const index = line.indexOf(item);
    if (index === -1) return;
    line.splice(index, 1);
    if (line.length === 0) this.#lines.delete(key);
    this.#size -= 1;
  }

  clear(): void {
    this.#lines.clear();
    this.#size = 0;
  }
}

/** What a slice is for. None of them waits for all of another. */
export type Lane = 'act' | 'replay' | 'send' | 'body';

/** Slices follow each other for this long before the event loop continues. The last may end later. */
export const TURN_MS = 2;

/** Longest pause of a caller. Slow work still ends, and notices that the server stops. */
export const PAUSE_MS_MAX = 1_000;

/** Interval at which paused lines are examined. */
const LOOK_MS = 25;

interface Waiter {
  readonly go: () => void;
  /** Time until its caller has time again, in ms. */
  readonly waitMs: () => number;
}

export class WorkTurns {
  readonly #nowMs: () => number;
  readonly #lines = new RoundRobin<Waiter>();
  /** When each line had its last turn, or began. */
  readonly #sinceMs = new Map<string, number>();
  /** Cancels the scheduled turns; null if none are scheduled. */
  #unschedule: (() => void) | null = null;
  #isGiving = false;
  #startedMs = 0;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  get waiting(): number {
    return this.#lines.size;
  }

  /** Resolves when it is the principal's turn. It may do one slice before it awaits anything. */
  take(lane: Lane, { caller, waitMs }: Principal): Promise<void> {
    const name = `${lane} ${caller}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#lines.count(name) === 0) this.#sinceMs.set(name, this.#nowMs());
    // Sending costs no time of elections.
    this.#lines.push(name, { go: resolve, waitMs: lane === 'send' ? () => 0 : waitMs });
    // All other lines may be paused.
    if (this.#lines.count(name) === 1) this.#soon();
    return promise;
  }

  #soon(): void {
    if (this.#isGiving) return;
    this.#unschedule?.();
    const immediate = setImmediate(this.#give);
    this.#unschedule = () => clearImmediate(immediate);
  }

  readonly #give = (): void => {
    this.#unschedule = null;
    this.#isGiving = true;
    this.#startedMs = this.#nowMs();
    this.#giveOne();
  };

  #giveOne(): void {
    const next = this.#lines.take((name, waiter) => this.#isReady(name, waiter));
    if (next === undefined) {
      this.#pause();
      return;
    }
    next.go();
    // Its slice was queued immediately before this.
    queueMicrotask(() => {
      if (this.#nowMs() - this.#startedMs < TURN_MS) {
        this.#giveOne();
        return;
      }
      this.#isGiving = false;
      if (this.#lines.size > 0) this.#soon();
    });
  }

  #isReady(name: string, { waitMs }: Waiter): boolean {
    const nowMs = this.#nowMs();
    const sinceMs = this.#sinceMs.get(name) ?? nowMs;
    if (nowMs - sinceMs < PAUSE_MS_MAX && waitMs() > 0) return false;
    if (this.#lines.count(name) > 1) this.#sinceMs.set(name, nowMs);
    else this.#sinceMs.delete(name);
    return true;
  }

  /** Every line is paused, or there is none. */
  #pause(): void {
    this.#isGiving = false;
    if (this.#lines.size === 0) return;
    const timer = setTimeout(this.#give, LOOK_MS);
    this.#unschedule = () => clearTimeout(timer);
  }
}

const TURNS = new WorkTurns();

/** Resolves when it is the principal's turn to do one slice of work. */
export function nextTurn(lane: Lane, principal: Principal): Promise<void> {
  return TURNS.take(lane, principal);
}

/** Does parts of long work until they have taken a turn, and charges the principal for their time. */
export function slice<Result>(
  work: Iterator<void, Result, void>,
  principal: Principal,
): IteratorResult<void, Result> {
  return charged(principal, () => {
    const endsMs = performance.now() + TURN_MS;
    for (;;) {
      const step = work.next();
      if (step.done === true || performance.now() >= endsMs) return step;
    }
  });
}

/** Does all parts of long work in the turns of the principal. `assertWanted` may throw before a turn to end it. */
export async function inTurns<Result>(
  work: Iterator<void, Result, void>,
  { lane, principal, assertWanted }: Turns,
): Promise<Result> {
  for (;;) {
    await nextTurn(lane, principal);
    assertWanted?.();
    const step = slice(work, principal);
    if (step.done === true) return step.value;
  }
}

interface Turns {
  readonly lane: Lane;
  readonly principal: Principal;
  readonly assertWanted?: () => void;
}
