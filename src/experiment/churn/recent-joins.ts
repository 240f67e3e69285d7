/**
 * @module
 * How many IDs joined within some time. Joins of one moment are one entry.
 */

export class RecentJoins {
  #times = new Float64Array(1024);
  /** Joins before each entry. */
  #before = new Float64Array(1024);
  #first = 0;
  #size = 0;
  #total = 0;

  /** When the oldest join that the last question counted happened. Infinity if there was none. */
  get oldestS(): number {
    return this.#first < this.#size ? (this.#times[this.#first] ?? 0) : Number.POSITIVE_INFINITY;
  }

  add(nowS: number, count: number): void {
    if (this.#size === this.#times.length) this.#makeRoom();
    this.#times[this.#size] = nowS;
    this.#before[this.#size] = this.#total;
    this.#size += 1;
    this.#total += count;
  }

  /** The number of joins less than this many seconds ago. The window can become longer and shorter. */
  within(windowS: number, nowS: number): number {
    let first = this.#first;
    while (first > 0 && (this.#times[first - 1] ?? 0) + windowS > nowS) first -= 1;
    while (first < this.#size && (this.#times[first] ?? 0) + windowS <= nowS) first += 1;
    this.#first = first;
    return first === this.#size ? 0 : this.#total - (this.#before[first] ?? 0);
  }

  /** Forgets old entries if they are most of all, but keeps a quarter of them for windows that become longer. */
  #makeRoom(): void {
    const from = this.#first >= this.#size / 2 ? this.#first >> 1 : 0;
    const [times, before] = [this.#times, this.#before];
    if (from === 0) {
      this.#times = new Float64Array(2 * times.length);
      this.#before = new Float64Array(2 * times.length);
    }
    this.#times.set(times.subarray(from));
    this.#before.set(before.subarray(from));
    this.#first -= from;
    this.#size -= from;
  }
}
