/**
 * @module
 * The visited worlds: each once, with the action that first reached it and the world before that action. All data are
 * in typed arrays: 18 bytes for each world, and two for each of its words.
 */

import { mix } from './mixing.ts';
import type { Packed } from './worlds.ts';

/** Words of one chunk: 8 MB. */
const CHUNK_WORDS = 2 ** 22;

/** The world of no action: the first one. */
export const NO_PARENT = 0xffffffff;

export class StateStore {
  #size = 0;
  readonly #chunks: Uint16Array[] = [new Uint16Array(CHUNK_WORDS)];
  /** Where the next world begins, counted over all chunks. */
  #end = 0;
  /** Where each world begins. Its first word is its length. */
  #offsets = new Uint32Array(1024);
  #parents = new Uint32Array(1024);
  #actions = new Uint32Array(1024);
  /** Number of the world in each slot + 1; 0 if the slot is free. */
  #table = new Uint32Array(4096);

  get size(): number {
    return this.#size;
  }

  /** Bytes in use. */
  get bytes(): number {
    const words = this.#chunks.length * CHUNK_WORDS * 2;
    return words + 3 * this.#offsets.byteLength + this.#table.byteLength;
  }

  /** Adds a world. Returns its number, or −1 − number if it was known. */
  add(world: Packed, parent: number, action: number): number {
    const { words, length } = world;
    const mask = this.#table.length - 1;
    let slot = hashOf(words, length) & mask;
    for (;;) {
      const known = (this.#table[slot] ?? 0) - 1;
      if (known < 0) break;
      if (this.#isEqual(known, words, length)) return -1 - known;
      slot = (slot + 1) & mask;
    }
    const number = this.#size;
    this.#table[slot] = number + 1;
    this.#append(words, length, parent, action);
    if (2 * this.#size > this.#table.length) this.#growTable();
    return number;
  }

  /** The number of a world. Throws RangeError for one that was never added. */
  find(world: Packed): number {
    const number = this.numberOf(world);
    if (number < 0) throw new RangeError('"world" expected one that was added');
    return number;
  }

  /** The number of a world; −1 for one that was never added. */
  numberOf({ words, length }: Packed): number {
    const mask = this.#table.length - 1;
    for (let slot = hashOf(words, length) & mask; ; slot = (slot + 1) & mask) {
      const known = (this.#table[slot] ?? 0) - 1;
      if (known < 0 || this.#isEqual(known, words, length)) return known;
    }
  }

  /** Reads a world. */
  read(number: number, target: Packed): void {
    const offset = this.#offsets[number] ?? 0;
    const chunk = this.#chunks[Math.floor(offset / CHUNK_WORDS)];
    if (chunk === undefined || number >= this.#size) {
      throw new RangeError(`"number" expected below ${this.#size}, got ${number}`);
    }
    const at = offset % CHUNK_WORDS;
    const length = chunk[at] ?? 0;
    target.words.set(chunk.subarray(at + 1, at + 1 + length));
    target.length = length;
  }

  /** The codes of the actions that lead from the first world to this one. */
  pathTo(number: number): number[] {
    const codes: number[] = [];
    for (let at = number; this.#parents[at] !== NO_PARENT; at = this.#parents[at] ?? 0) {
      codes.push(this.#actions[at] ?? 0);
    }
    return codes.toReversed();
  }

  #isEqual(number: number, words: Uint16Array, length: number): boolean {
    const offset = this.#offsets[number] ?? 0;
    const chunk = this.#chunks[Math.floor(offset / CHUNK_WORDS)];
    const at = offset % CHUNK_WORDS;
    if (chunk === undefined || chunk[at] !== length) return false;
    for (let index = 0; index < length; index += 1) {
      if (chunk[at + 1 + index] !== words[index]) return false;
    }
    return true;
  }

  #append(words: Uint16Array, length: number, parent: number, action: number): void {
    // A world lies in one chunk.
    const room = CHUNK_WORDS - (this.#end % CHUNK_WORDS);
    if (room <= length) this.#end += room;
    const index = Math.floor(this.#end / CHUNK_WORDS);
    const chunk = this.#chunks[index] ?? new Uint16Array(CHUNK_WORDS);
    this.#chunks[index] = chunk;
    if (this.#size === this.#offsets.length) this.#growColumns();
    const number = this.#size;
    this.#offsets[number] = this.#end;
    this.#parents[number] = parent;
    this.#actions[number] = action;
    const at = this.#end % CHUNK_WORDS;
    chunk[at] = length;
    for (let word = 0; word < length; word += 1) chunk[at + 1 + word] = words[word] ?? 0;
    this.#end += length + 1;
    this.#size += 1;
  }

  #growColumns(): void {
    const longer = (column: Uint32Array) => {
      const grown = new Uint32Array(2 * column.length);
      grown.set(column);
      return grown;
    };
    this.#offsets = longer(this.#offsets);
    this.#parents = longer(this.#parents);
    this.#actions = longer(this.#actions);
  }

  #growTable(): void {
    const table = new Uint32Array(4 * this.#table.length);
    const mask = table.length - 1;
    const world: Packed = { words: new Uint16Array(1024), length: 0 };
    for (let number = 0; number < this.#size; number += 1) {
      this.read(number, world);
      let slot = hashOf(world.words, world.length) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = number + 1;
    }
    this.#table = table;
  }
}

function hashOf(words: Uint16Array, length: number): number {
  let hash = length;
  for (let index = 0; index < length; index += 1) {
    hash = Math.imul(hash ^ (words[index] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return mix(hash);
}
