/**
 * @module
 * Items that wait in lines, one line for each key. The keys take turns, so that a key with many items
 * does not delay the others.
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
