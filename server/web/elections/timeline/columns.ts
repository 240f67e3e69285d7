/**
 * @module
 * Columns of numbers that grow. They take a few bytes an entry, so that hours of an election fit into memory.
 */

type Numbers = Int32Array<ArrayBuffer> | Int16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** A column; `at` of an entry that does not exist is -1. */
export class Column<Kind extends Numbers> {
  readonly #make: (length: number) => Kind;
  #values: Kind;
  #length = 0;

  constructor(make: (length: number) => Kind) {
    this.#make = make;
    this.#values = make(FIRST_LENGTH);
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#values.byteLength;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const longer = this.#make(Math.ceil(this.#length * GROWTH));
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? -1) : -1;
  }

  set(index: number, value: number): void {
    if (index < this.#length) this.#values[index] = value;
  }
}

const FIRST_LENGTH = 256;
const GROWTH = 1.25;

export function int32Column(): Column<Int32Array<ArrayBuffer>> {
  return new Column((length) => new Int32Array(length));
}

export function int16Column(): Column<Int16Array<ArrayBuffer>> {
  return new Column((length) => new Int16Array(length));
}

export function byteColumn(): Column<Uint8Array<ArrayBuffer>> {
  return new Column((length) => new Uint8Array(length));
}
