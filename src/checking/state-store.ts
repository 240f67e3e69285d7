/**
 * @module
 * The visited worlds: each once, with the action that first reached it and the world before that action. All data are
 * in shared memory: 9 bytes for each world, its record, and its entry in a hash table of 8 bytes, of which between
 * three eighths and three quarters are in use.
 *
 * Only one thread, the owner, adds worlds and makes memory. The others get the buffers from it.
 */

import type { Packed } from './layout.ts';
import { emptyPacked } from './layout.ts';
import {
  hashOf,
  isSameRecord,
  RECORD_MAX,
  readRecord,
  recordEnd,
  writeRecord,
} from './visited/world-bytes.ts';

/** The world of no action: the first one. */
export const NO_PARENT = 0xffffffff;

/** Bytes of one chunk of records: 1 MB. A record lies in one chunk. */
const CHUNK_BITS = 20;
const CHUNK_BYTES = 2 ** CHUNK_BITS;
/** Worlds of one chunk of columns. */
const COLUMN_BITS = 16;
const COLUMN_WORLDS = 2 ** COLUMN_BITS;
/** Worlds whose records are found by one offset: the first directly, the others by the lengths before them. */
const GROUP_BITS = 3;
const COLUMN_BYTES = COLUMN_WORLDS * (4 + 4 + 8 / 2 ** GROUP_BITS);
/** The table has segments that grow one after the other, so that never much of it is in memory twice. */
const SEGMENT_BITS = 6;
export const SEGMENTS = 2 ** SEGMENT_BITS;
/** The segment of a hash is in its upper bits. */
export const SEGMENT_SHIFT = 32 - SEGMENT_BITS;
const SEGMENT_SLOTS_FIRST = 64;
/** Largest part of a segment that is in use before new worlds come. */
const FILL_MAX = 0.75;
/** Largest part of a segment that is in use while candidates are compared, of which many may be equal. */
const CLAIMED_MAX = 0.9;

/**
 * A bit above the code of an action: no two actions of the parent lead to one world that was new. Then a world after an
 * action of the parent that is no child of it was known before the parent was explored.
 */
export const NO_TWINS = 2 ** 28;

/** A buffer that the owner made. */
export interface Memory {
  readonly kind: 'chunk' | 'column' | 'segment';
  readonly index: number;
  readonly buffer: SharedArrayBuffer;
}

export class StateStore {
  #size = 0;
  /** The chunk of the next record if it has room, and where its records end. */
  #last = 0;
  #lastEnd = 0;
  #bytes = 0;
  readonly #chunks: Uint8Array[] = [];
  readonly #parents: Uint32Array[] = [];
  readonly #actions: Uint32Array[] = [];
  readonly #offsets: Float64Array[] = [];
  /** Pairs of the hash of a world and its number + 1. A free pair has 0, a candidate −1 − its index. */
  readonly #segments: Int32Array[] = [];
  readonly #used = new Int32Array(SEGMENTS);
  #onMade: ((memory: Memory) => void) | null = null;
  /** Only so that the compiler does not remove the reads. */
  touched = 0;
  readonly #record = new Uint8Array(RECORD_MAX);
  /** The record that was found last. */
  #chunk: Uint8Array = NO_BYTES;
  #at = 0;

  /** A store that owns its memory, or, in a helping thread, one without any. */
  constructor(isOwner = true) {
    if (!isOwner) return;
    for (let index = 0; index < SEGMENTS; index += 1) {
      this.#make('segment', index, 8 * SEGMENT_SLOTS_FIRST);
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Passes all buffers to the listener, now and when they are made. */
  share(onMade: (memory: Memory) => void): void {
    this.#onMade = onMade;
    const each = (kind: Memory['kind'], views: readonly { readonly buffer: unknown }[]) => {
      for (const [index, { buffer }] of views.entries()) {
        if (buffer instanceof SharedArrayBuffer) onMade({ kind, index, buffer });
      }
    };
    each('chunk', this.#chunks);
    each('column', this.#parents);
    each('segment', this.#segments);
  }

  /** Uses a buffer that the owner made. */
  useMemory({ kind, index, buffer }: Memory): void {
    if (kind === 'chunk') {
      this.#chunks[index] = new Uint8Array(buffer);
    } else if (kind === 'segment') {
      this.#segments[index] = new Int32Array(buffer);
    } else {
      this.#parents[index] = new Uint32Array(buffer, 0, COLUMN_WORLDS);
      this.#actions[index] = new Uint32Array(buffer, 4 * COLUMN_WORLDS, COLUMN_WORLDS);
      this.#offsets[index] = new Float64Array(buffer, 8 * COLUMN_WORLDS);
    }
  }

  /** Where the records end, counted over all chunks. */
  get end(): number {
    return this.#last * CHUNK_BYTES + this.#lastEnd;
  }

  /** The buffers of all worlds, in the order in which `restore` fills them. */
  *contents(): Generator<Uint8Array> {
    yield* this.#chunks;
    for (const { buffer } of this.#parents) yield new Uint8Array(buffer);
  }

  /** Makes an empty store one with these contents. The table is built again. */
  restore(size: number, end: number, fill: (buffer: Uint8Array) => void): void {
    for (let index = 0; index * CHUNK_BYTES < end; index += 1) {
      this.#make('chunk', index, CHUNK_BYTES);
      fill(this.#chunks[index] ?? NO_BYTES);
    }
    for (let index = 0; index * COLUMN_WORLDS < size; index += 1) {
      this.#make('column', index, COLUMN_BYTES);
      const { buffer = NO_BYTES.buffer } = this.#parents[index] ?? NO_BYTES;
      fill(new Uint8Array(buffer));
    }
    this.#size = size;
    this.#last = Math.floor(end / CHUNK_BYTES);
    this.#lastEnd = end % CHUNK_BYTES;
    const packed = emptyPacked();
    for (let number = 0; number < size; number += 1) {
      this.read(number, packed);
      const hash = hashOf(packed);
      this.reserve(hash >>> SEGMENT_SHIFT, 1);
      this.#use(hash);
      this.#enter(hash, number);
    }
  }

  /** Adds a world. Returns its number, or −1 − number if it was known. */
  add(world: Packed, parent: number, action: number): number {
    const hash = hashOf(world);
    const size = writeRecord(world, this.#record, 0);
    const known = this.probe(hash, this.#record, 0);
    if (known >= 0) return -1 - known;
    this.reserve(hash >>> SEGMENT_SHIFT, 1);
    const number = this.#size;
    const offset = this.allot(hash, size);
    this.#enter(hash, number);
    this.write(number, parent, action, offset, this.#record, 0);
    return number;
  }

  /** The number of a world. Throws RangeError for one that was never added. */
  find(world: Packed): number {
    const number = this.numberOf(world);
    if (number < 0) throw new RangeError('"world" expected one that was added');
    return number;
  }

  /** The number of a world; −1 for one that was never added. */
  numberOf(world: Packed): number {
    writeRecord(world, this.#record, 0);
    return this.probe(hashOf(world), this.#record, 0);
  }

  /** The number of the world with this record; −1 for one that was never added. */
  probe(hash: number, bytes: Uint8Array, at: number): number {
    const segment = this.#segmentOf(hash);
    const mask = segment.length - 2;
    for (let slot = (hash << 1) & mask; ; slot = (slot + 2) & mask) {
      const value = segment[slot + 1] ?? 0;
      if (value === 0) return -1;
      if (value > 0 && segment[slot] === hash) {
        this.#locate(value - 1);
        if (isSameRecord(this.#chunk, this.#at, bytes, at)) return value - 1;
      }
    }
  }

  /** Reads the entry where the search for this hash begins, so that the processor fetches it early. */
  touch(hash: number): void {
    const segment = this.#segmentOf(hash);
    this.touched ^= segment[(hash << 1) & (segment.length - 2)] ?? 0;
  }

  /**
   * Enters a candidate, which no world of the store is equal to. Returns the slot of its entry, or −1 if a candidate
   * that was entered before is equal.
   */
  claim(hash: number, entry: number, isSame: (entry: number) => boolean): number {
    const segment = this.#segmentOf(hash);
    const mask = segment.length - 2;
    for (let slot = (hash << 1) & mask; ; slot = (slot + 2) & mask) {
      const value = segment[slot + 1] ?? 0;
      if (value === 0) {
        segment[slot] = hash;
        segment[slot + 1] = -1 - entry;
        return slot;
      }
      if (value < 0 && segment[slot] === hash && isSame(-1 - value)) return -1;
    }
  }

  /** Writes the number of the world into the entry of a candidate. */
  settle(hash: number, slot: number, number: number): void {
    this.#segmentOf(hash)[slot + 1] = number + 1;
  }

  /** Whether each segment has room for this number of entries. */
  hasRoom(count: number): boolean {
    return this.#segments.every(({ length }, index) => length >= this.#slots(index, count));
  }

  /** Makes room for entries in a segment. */
  reserve(index: number, count: number): void {
    let segment = this.#segments[index] ?? NO_WORDS;
    while (segment.length < this.#slots(index, count)) segment = this.#grow(index, segment);
  }

  /** Integers that a segment needs for this number of entries more. */
  #slots(index: number, count: number): number {
    const used = this.#used[index] ?? 0;
    return Math.max((2 * used) / FILL_MAX, (2 * (used + count)) / CLAIMED_MAX);
  }

  /** Gives the next number to a world with this hash and a record of this size. Returns where the record belongs. */
  allot(hash: number, size: number): number {
    // The bytes that are left over are 0, which no record begins with.
    if (size > CHUNK_BYTES - this.#lastEnd) {
      this.#last += 1;
      this.#lastEnd = 0;
    }
    if (this.#chunks[this.#last] === undefined) this.#make('chunk', this.#last, CHUNK_BYTES);
    const offset = this.end;
    const number = this.#size;
    const column = number >>> COLUMN_BITS;
    if (this.#offsets[column] === undefined) this.#make('column', column, COLUMN_BYTES);
    const offsets = this.#offsets[column] ?? NO_OFFSETS;
    if (number % 2 ** GROUP_BITS === 0) offsets[(number % COLUMN_WORLDS) >>> GROUP_BITS] = offset;
    this.#lastEnd += size;
    this.#size += 1;
    this.#use(hash);
    return offset;
  }

  /** Writes a world that has a number. */
  write(
    number: number,
    parent: number,
    action: number,
    offset: number,
    bytes: Uint8Array,
    at: number,
  ): void {
    const column = number >>> COLUMN_BITS;
    const index = number % COLUMN_WORLDS;
    const [parents, actions] = [this.#parents[column], this.#actions[column]];
    if (parents !== undefined) parents[index] = parent;
    if (actions !== undefined) actions[index] = action;
    const chunkIndex = Math.floor(offset / CHUNK_BYTES);
    const chunk = this.#chunks[chunkIndex] ?? NO_BYTES;
    const size = recordEnd(bytes, at) - at;
    const start = offset - chunkIndex * CHUNK_BYTES;
    for (let byte = 0; byte < size; byte += 1) chunk[start + byte] = bytes[at + byte] ?? 0;
  }

  /** Reads a world, which must have been added. */
  read(number: number, target: Packed): void {
    this.#locate(number);
    readRecord(this.#chunk, this.#at, target);
  }

  parentOf(number: number): number {
    return this.#parents[number >>> COLUMN_BITS]?.[number % COLUMN_WORLDS] ?? NO_PARENT;
  }

  /** The code of the action by which a world was found. */
  actionOf(number: number): number {
    return this.#markedActionOf(number) & ~NO_TWINS;
  }

  /** Whether two actions of the parent of a world may lead to one world that was new. */
  hasTwins(number: number): boolean {
    return (this.#markedActionOf(number) & NO_TWINS) === 0;
  }

  #markedActionOf(number: number): number {
    return this.#actions[number >>> COLUMN_BITS]?.[number % COLUMN_WORLDS] ?? 0;
  }

  /** The codes of the actions that lead from the first world to this one. */
  pathTo(number: number): number[] {
    const codes: number[] = [];
    for (let at = number; this.parentOf(at) !== NO_PARENT; at = this.parentOf(at)) {
      codes.push(this.actionOf(at));
    }
    return codes.toReversed();
  }

  /** Finds the record of a world: `#chunk` and `#at`. */
  #locate(number: number): void {
    const offsets = this.#offsets[number >>> COLUMN_BITS] ?? NO_OFFSETS;
    const offset = offsets[(number % COLUMN_WORLDS) >>> GROUP_BITS] ?? 0;
    let index = Math.floor(offset / CHUNK_BYTES);
    let chunk = this.#chunks[index] ?? NO_BYTES;
    let at = offset - index * CHUNK_BYTES;
    for (let skip = number % 2 ** GROUP_BITS; skip > 0; skip -= 1) {
      at = recordEnd(chunk, at);
      if (at < CHUNK_BYTES && chunk[at] !== 0) continue;
      index += 1;
      chunk = this.#chunks[index] ?? NO_BYTES;
      at = 0;
    }
    this.#chunk = chunk;
    this.#at = at;
  }

  #segmentOf(hash: number): Int32Array {
    return this.#segments[hash >>> SEGMENT_SHIFT] ?? NO_WORDS;
  }

  #use(hash: number): void {
    const segment = hash >>> SEGMENT_SHIFT;
    this.#used[segment] = (this.#used[segment] ?? 0) + 1;
  }

  #enter(hash: number, number: number): void {
    const slot = this.claim(hash, 0, () => false);
    this.settle(hash, slot, number);
  }

  #grow(index: number, segment: Int32Array): Int32Array {
    this.#bytes -= segment.byteLength;
    this.#make('segment', index, 2 * segment.byteLength);
    const grown = this.#segments[index] ?? NO_WORDS;
    const mask = grown.length - 2;
    for (let from = 0; from < segment.length; from += 2) {
      const value = segment[from + 1] ?? 0;
      if (value === 0) continue;
      const hash = segment[from] ?? 0;
      let slot = (hash << 1) & mask;
      while (grown[slot + 1] !== 0) slot = (slot + 2) & mask;
      grown[slot] = hash;
      grown[slot + 1] = value;
    }
    return grown;
  }

  #make(kind: Memory['kind'], index: number, bytes: number): void {
    const memory = { kind, index, buffer: new SharedArrayBuffer(bytes) };
    this.#bytes += bytes;
    this.useMemory(memory);
    this.#onMade?.(memory);
  }
}

const NO_BYTES = new Uint8Array(0);
const NO_WORDS = new Int32Array(0);
const NO_OFFSETS = new Float64Array(0);
