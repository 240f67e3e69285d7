/**
 * @module
 * The order in which requests begin: one of each caller in each turn of the event loop. A caller that
 * sends few requests therefore waits for one request of each other caller at most.
 */

import { RoundRobin } from './round-robin.ts';

/** Owns the requests that wait. */
export class CallerTurns {
  /** Callers of which a request has begun in this turn. */
  readonly #begun = new Set<string>();
  readonly #lines = new RoundRobin<() => void>();

  /** Number of requests that wait. */
  get waiting(): number {
    return this.#lines.size;
  }

  /** Null if the request may begin at once, else a promise that resolves when it may. */
  take(caller: string): Promise<void> | null {
    if (!this.#begun.has(caller)) {
      this.#begin(caller);
      return null;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lines.push(caller, resolve);
    return promise;
  }

  #begin(caller: string): void {
    if (this.#begun.size === 0) setImmediate(this.#nextTurn);
    this.#begun.add(caller);
  }

  readonly #nextTurn = (): void => {
    this.#begun.clear();
    for (const caller of this.#lines.keys()) {
      this.#begin(caller);
      this.#lines.take((key) => key === caller)?.();
    }
  };
}
