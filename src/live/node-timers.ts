/**
 * @module
 * The timers of a live node by name, on the real clock. A timer that is set again is replaced, and one that was replaced
 * or cancelled never fires, also if it was due. Timers that are overdue together, such as after a pause, fire in the order in
 * which they were due. A periodic timer keeps its phase, but skips periods that passed while the
 * process was paused.
 */

import { performance } from 'node:perf_hooks';

/** Longer delays would fire at once in Node. */
const DELAY_MS_MAX = 2 ** 31 - 1;

/** A timer that is set. */
interface Pending {
  readonly handle: NodeJS.Timeout | NodeJS.Immediate;
  /** On the real clock, in ms. */
  readonly dueMs: number;
  readonly ticks: number;
  readonly periodic: boolean;
}

export class NodeTimers {
  readonly #fire: (timer: string) => void;
  readonly #pending = new Map<string, Pending>();
  #isClosed = false;
  /** Ticks of this node's clock in one real millisecond. */
  rate = 1;

  constructor(fire: (timer: string) => void) {
    this.#fire = fire;
  }

  set(timer: string, ticks: number, periodic: boolean): void {
    this.cancel(timer);
    if (!this.#isClosed) this.#arm(timer, ticks, periodic, performance.now() + ticks / this.rate);
  }

  cancel(timer: string): void {
    stop(this.#pending.get(timer)?.handle);
    this.#pending.delete(timer);
  }

  /** Calls the function after what happens now, unless the node has ended. */
  soon(act: () => void): void {
    setImmediate(() => {
      if (!this.#isClosed) act();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of [...this.#pending.keys()]) this.cancel(timer);
  }

  #arm(timer: string, ticks: number, periodic: boolean, dueMs: number): void {
    const act = () => this.#wake(timer, dueMs);
    const delayMs = Math.min(Math.max(1, Math.ceil(dueMs - performance.now())), DELAY_MS_MAX);
    const handle = ticks === 0 ? setImmediate(act) : setTimeout(act, delayMs);
    this.#pending.set(timer, { handle, dueMs, ticks, periodic });
  }

  /** Fires what was due before this timer, and then this timer, unless one of them has cancelled it. */
  #wake(timer: string, dueMs: number): void {
    const own = this.#pending.get(timer);
    for (;;) {
      let first: string | null = null;
      let least = dueMs;
      for (const [name, pending] of this.#pending) {
        if (pending.ticks === 0 || pending.dueMs >= least) continue;
        first = name;
        least = pending.dueMs;
      }
      if (first === null) break;
      this.#expire(first);
    }
    if (own !== undefined && this.#pending.get(timer) === own) this.#expire(timer);
  }

  #expire(timer: string): void {
    const pending = this.#pending.get(timer);
    this.cancel(timer);
    if (pending === undefined) return;
    const { ticks, periodic, dueMs } = pending;
    if (periodic) this.#arm(timer, ticks, true, nextDue(dueMs, ticks / this.rate));
    this.#fire(timer);
  }
}

function nextDue(dueMs: number, periodMs: number): number {
  const next = dueMs + periodMs;
  const now = performance.now();
  return next > now ? next : now + periodMs;
}

function stop(handle: NodeJS.Timeout | NodeJS.Immediate | undefined): void {
  if (handle === undefined) return;
  if ('hasRef' in handle && 'refresh' in handle) clearTimeout(handle);
  // What has no `refresh` is an Immediate.
  else clearImmediate(handle as NodeJS.Immediate);
}
