/**
 * @module
 * Times at which sessions end, with two numbers each, earliest first: a binary heap in typed arrays. Only a time and the
 * slot of its numbers move.
 */

export class EventQueue {
  #times = new Float64Array(1024);
  /** The slot of the numbers of each time, and after these the slots that are free. */
  #slots = Int32Array.from({ length: 1024 }, (_, index) => index);
  #births = new Float64Array(1024);
  #ends = new Float64Array(1024);
  #size = 0;

  /** The earliest time. Infinity if the queue is empty. */
  get nextS(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#times[0] ?? 0);
  }

  /** Sequence number of the honest join of the earliest entry. 0 if the node was a member at the beginning. */
  get birth(): number {
    return this.#births[this.#slots[0] ?? 0] ?? 0;
  }

  /** When the session of the earliest entry ends. */
  get endS(): number {
    return this.#ends[this.#slots[0] ?? 0] ?? 0;
  }

  push(timeS: number, birth: number, endS: number): void {
    if (this.#size === this.#times.length) this.#grow();
    const [times, slots] = [this.#times, this.#slots];
    let at = this.#size;
    this.#size += 1;
    const slot = slots[at] ?? 0;
    this.#births[slot] = birth;
    this.#ends[slot] = endS;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((times[parent] ?? 0) <= timeS) break;
      times[at] = times[parent] ?? 0;
      slots[at] = slots[parent] ?? 0;
      at = parent;
    }
    times[at] = timeS;
    slots[at] = slot;
  }

  /** Removes the earliest entry. The gap moves down to a leaf, and the last entry from there up to where it belongs. */
  drop(): void {
    const [times, slots] = [this.#times, this.#slots];
    this.#size -= 1;
    const last = this.#size;
    const [timeS, slot, free] = [times[last] ?? 0, slots[last] ?? 0, slots[0] ?? 0];
    let at = 0;
    for (let child = 2; child <= last; child = 2 * at + 2) {
      // A comparison as a number costs less than a jump that cannot be foreseen.
      child -= Number((times[child - 1] ?? 0) <= (times[child] ?? 0));
      times[at] = times[child] ?? 0;
      slots[at] = slots[child] ?? 0;
      at = child;
    }
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((times[parent] ?? 0) < timeS) break;
      times[at] = times[parent] ?? 0;
      slots[at] = slots[parent] ?? 0;
      at = parent;
    }
    times[at] = timeS;
    slots[at] = slot;
    slots[last] = free;
  }

  #grow(): void {
    const [times, slots, births, ends] = [this.#times, this.#slots, this.#births, this.#ends];
    const double = 2 * times.length;
    this.#times = new Float64Array(double);
    this.#slots = Int32Array.from({ length: double }, (_, index) => slots[index] ?? index);
    this.#births = new Float64Array(double);
    this.#ends = new Float64Array(double);
    this.#times.set(times);
    this.#births.set(births);
    this.#ends.set(ends);
  }
}
