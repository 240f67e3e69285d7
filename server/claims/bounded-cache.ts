/**
 * @module
 * What was answered before, bounded by entries and by bytes; what was not asked for longest goes first.
 * For answers that depend on their key and on nothing else, so that none ever becomes stale.
 */

export interface CacheLimits {
  readonly entries: number;
  /** In memory, as whoever keeps an entry estimates it. */
  readonly bytes: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** Values by text. */
export class BoundedCache<Value> {
  readonly #limits: CacheLimits;
  /** What was asked for last is last. */
  readonly #entries = new Map<string, Entry<Value>>();
  /** The last of them, which need not be moved: a small map takes long for that. */
  #newest: Entry<Value> | null = null;
  #bytes = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What is kept under a key, which is then the last to be forgotten; undefined where nothing is. */
  find(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = entry;
    }
    return entry.value;
  }

  keep(key: string, value: Value, bytes: number): void {
    this.#forget(key);
    const entry = { value, bytes };
    this.#entries.set(key, entry);
    this.#newest = entry;
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.size <= this.#limits.entries && this.#bytes <= this.#limits.bytes) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
