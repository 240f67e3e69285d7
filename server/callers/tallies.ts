/**
 * @module
 * Counts by key, such as the open streams of each caller. A count of zero takes no memory.
 */

export class Tallies<Key = string> {
  readonly #counts = new Map<Key, number>();

  /** Number of keys whose count is not zero. */
  get size(): number {
    return this.#counts.size;
  }

  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Adds one and returns the function that takes it away again; only its first call has an effect. */
  open(key: Key): () => void {
    this.#counts.set(key, this.of(key) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = this.of(key) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }
}
