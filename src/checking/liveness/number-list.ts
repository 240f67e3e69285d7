/**
 * @module
 * A growing list of 32-bit integers in chunks, so that growth copies nothing.
 */

const CHUNK_BITS = 18;
const CHUNK = 2 ** CHUNK_BITS;

export class NumberList {
  #length = 0;
  readonly #chunks: Uint32Array[] = [];

  get length(): number {
    return this.#length;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#chunks.length * CHUNK * 4;
  }

  at(index: number): number {
    return this.#chunks[index >>> CHUNK_BITS]?.[index & (CHUNK - 1)] ?? 0;
  }

  set(index: number, value: number): void {
    const chunk = this.#chunks[index >>> CHUNK_BITS];
    if (chunk !== undefined) chunk[index & (CHUNK - 1)] = value;
  }

  push(value: number): void {
    if ((this.#length & (CHUNK - 1)) === 0 && this.#length >>> CHUNK_BITS === this.#chunks.length) {
      this.#chunks.push(new Uint32Array(CHUNK));
    }
    this.#length += 1;
    this.set(this.#length - 1, value);
  }

  /** Removes and returns the last one. The list must not be empty. */
  pop(): number {
    this.#length -= 1;
    return this.at(this.#length);
  }
}
