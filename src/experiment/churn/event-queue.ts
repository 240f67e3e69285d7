/**
 * @module
 * Times at which sessions end, with two numbers each, earliest first: a binary heap in typed arrays.
 */

export class EventQueue {
  #times = new Float64Array(1024);
  #births = new Float64Array(1024);
  #ends = new Float64Array(1024);
  #size = 0;

  /** The earliest time. Infinity if the queue is empty. */
  get nextS(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#times[0] ?? 0);
  }

  /** When the ID of the earliest entry joined, and when its session ends. */
  get birthS(): number {
    return this.#births[0] ?? 0;
  }

  get endS(): number {
    return this.#ends[0] ?? 0;
  }

  push(timeS: number, birthS: number, endS: number): void {
    if (this.#size === this.#times.length) this.#grow();
    let at = this.#size;
    this.#size += 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.#times[parent] ?? 0) <= timeS) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#set(at, timeS, birthS, endS);
  }

  /** Removes the earliest entry. */
  drop(): void {
    this.#size -= 1;
    const last = this.#size;
    const timeS = this.#times[last] ?? 0;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && (this.#times[child + 1] ?? 0) < (this.#times[child] ?? 0)) child += 1;
      if ((this.#times[child] ?? 0) >= timeS) break;
      this.#move(child, at);
      at = child;
    }
    this.#set(at, timeS, this.#births[last] ?? 0, this.#ends[last] ?? 0);
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#times[from] ?? 0, this.#births[from] ?? 0, this.#ends[from] ?? 0);
  }

  #set(at: number, timeS: number, birthS: number, endS: number): void {
    this.#times[at] = timeS;
    this.#births[at] = birthS;
    this.#ends[at] = endS;
  }

  #grow(): void {
    const [times, births, ends] = [this.#times, this.#births, this.#ends];
    this.#times = new Float64Array(2 * times.length);
    this.#births = new Float64Array(2 * times.length);
    this.#ends = new Float64Array(2 * times.length);
    this.#times.set(times);
    this.#births.set(births);
    this.#ends.set(ends);
  }
}
