/**
 * @module
 * Columns of numbers that grow. They take a few bytes an entry, so that hours of an election fit into memory.
 */

type Numbers = Int32Array<ArrayBuffer> | Int16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** A column; `at` of an entry that does not exist is -1. It grows by blocks, so that no entry is ever copied. */
export class Column<Kind extends Numbers> {
  readonly #make: (length: number) => Kind;
  readonly #blocks: Kind[] = [];
  #length = 0;

  constructor(make: (length: number) => Kind) {
    this.#make = make;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  push(value: number): void {
    const slot = this.#length % BLOCK;
    if (slot === 0) this.#blocks.push(this.#make(BLOCK));
    const block = this.#blocks.at(-1);
    if (block !== undefined) block[slot] = value;
    this.#length += 1;
  }

  at(index: number): number {
    if (index < 0 || index >= this.#length) return -1;
    return this.#blocks[Math.floor(index / BLOCK)]?.[index % BLOCK] ?? -1;
  }

  set(index: number, value: number): void {
    const block = this.#blocks[Math.floor(index / BLOCK)];
    if (index < this.#length && block !== undefined) block[index % BLOCK] = value;
  }
}

/** Entries of a block. */
const BLOCK = 4_096;

export function int32Column(): Column<Int32Array<ArrayBuffer>> {
  return new Column((length) => new Int32Array(length));
}

export function int16Column(): Column<Int16Array<ArrayBuffer>> {
  return new Column((length) => new Int16Array(length));
}

export function byteColumn(): Column<Uint8Array<ArrayBuffer>> {
  return new Column((length) => new Uint8Array(length));
}
