/**
 * @module
 * The order in which requests begin: of each caller one in each turn of the event loop, those that come
 * at the same time one turn after the other. So a request of somebody who asks for little waits for one
 * of each other caller at most, and never for all that one of them has sent at once.
 */

/** Owns the lines; each is as long as its caller's connections are many, and no longer. */
export class CallerTurns {
  /** Callers of whom one has begun in this turn. */
  readonly #begun = new Set<string>();
  /** Those that wait, by caller; nobody is here without one. */
  readonly #lines = new Map<string, (() => void)[]>();

  /** Null when the request may begin at once; else resolves when it may. */
  take(caller: string): Promise<void> | null {
    if (!this.#begun.has(caller)) {
      this.#begin(caller);
      return null;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const line = this.#lines.get(caller);
    if (line === undefined) this.#lines.set(caller, [resolve]);
    else line.push(resolve);
    return promise;
  }

  /** How many wait. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.length, 0);
  }

  #begin(caller: string): void {
    if (this.#begun.size === 0) setImmediate(this.#nextTurn);
    this.#begun.add(caller);
  }

  readonly #nextTurn = (): void => {
    this.#begun.clear();
    for (const [caller, line] of [...this.#lines]) {
      const [first] = line.splice(0, 1);
      if (line.length === 0) this.#lines.delete(caller);
      this.#begin(caller);
      first?.();
    }
  };
}
