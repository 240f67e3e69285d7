/**
 * @module
 * The timers of a live node by name, on the real clock. A timer that is set again is replaced, and one that was replaced
 * or cancelled never fires, also if it was due. A periodic timer keeps its phase, but skips periods that passed while the
 * process was paused.
 */

import { performance } from 'node:perf_hooks';

/** Longer delays would fire at once in Node. */
const DELAY_MS_MAX = 2 ** 31 - 1;

export class NodeTimers {
  readonly #fire: (timer: string) => void;
  readonly #pending = new Map<string, NodeJS.Timeout | NodeJS.Immediate>();
  #isClosed = false;
  /** Ticks of this node's clock in one real millisecond. */
  rate = 1;

  constructor(fire: (timer: string) => void) {
    this.#fire = fire;
  }

  set(timer: string, ticks: number, periodic: boolean): void {
    this.cancel(timer);
    if (!this.#isClosed)
      this.#arm(timer, ticks, periodic ? performance.now() + ticks / this.rate : null);
  }

  cancel(timer: string): void {
    stop(this.#pending.get(timer));
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

  /** `dueMs` is null for a timer that fires once. */
  #arm(timer: string, ticks: number, dueMs: number | null): void {
    const act = () => {
      this.#pending.delete(timer);
      if (dueMs !== null) this.#arm(timer, ticks, nextDue(dueMs, ticks / this.rate));
      this.#fire(timer);
    };
    const delayMs = dueMs === null ? ticks / this.rate : dueMs - performance.now();
    const handle =
      ticks === 0
        ? setImmediate(act)
        : setTimeout(act, Math.min(Math.max(1, Math.ceil(delayMs)), DELAY_MS_MAX));
    this.#pending.set(timer, handle);
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
