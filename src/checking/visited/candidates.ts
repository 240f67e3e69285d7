/**
 * @module
 * The successors that one thread found in a block of worlds and that were unknown before the block, in shared memory,
 * so that another thread can decide which of equal ones is the first.
 */

import type { Packed } from '../layout.ts';
import { hashOf, RECORD_MAX, recordEnd, writeRecord } from './world-bytes.ts';

/** Bits of the index of a candidate; above them is the number of its thread. */
export const CANDIDATE_BITS = 20;

/** What `numbers` contains for a candidate that is equal to an earlier one. */
export const NOT_FIRST = -1;
/** What it contains if the earlier one has the same parent. */
export const TWIN = -2;

/** What properties can see of a candidate. */
export const FLAG = { visible: 1, atRest: 2 } as const;

/** Space for candidates. */
export interface CandidateSpace {
  /** Largest number of candidates. */
  readonly capacity: number;
  readonly buffer: SharedArrayBuffer;
}

/** Columns of four bytes: the offsets take two. */
const COLUMNS = 8;

export function candidateSpace(capacity: number, bytes: number): CandidateSpace {
  const size = capacity * (4 * COLUMNS + 1) + bytes;
  return { capacity, buffer: new SharedArrayBuffer(size) };
}

export class Candidates {
  /** Where the record of each new world belongs in the store. */
  readonly offsets: Float64Array;
  readonly hashes: Int32Array;
  readonly parents: Uint32Array;
  readonly actions: Uint32Array;
  /** Where the record of each candidate begins in `bytes`. */
  readonly at: Uint32Array;
  /** Index of its entry in its segment of the table. */
  readonly slots: Int32Array;
  /** Its number in the store, or `NOT_FIRST`, or `TWIN`. */
  readonly numbers: Int32Array;
  readonly flags: Uint8Array;
  readonly bytes: Uint8Array;
  size = 0;
  #end = 0;
  readonly #capacity: number;

  constructor({ capacity, buffer }: CandidateSpace) {
    const column = (index: number) => [buffer, 4 * capacity * index, capacity] as const;
    this.offsets = new Float64Array(...column(0));
    this.hashes = new Int32Array(...column(2));
    this.parents = new Uint32Array(...column(3));
    this.actions = new Uint32Array(...column(4));
    this.at = new Uint32Array(...column(5));
    this.slots = new Int32Array(...column(6));
    this.numbers = new Int32Array(...column(7));
    this.flags = new Uint8Array(buffer, 4 * capacity * COLUMNS, capacity);
    this.bytes = new Uint8Array(buffer, capacity * (4 * COLUMNS + 1));
    this.#capacity = capacity;
  }

  clear(): void {
    this.truncate(0);
  }

  /** Adds a world. Returns false if there is no room for it. */
  push(world: Packed, parent: number, action: number, flags: number): boolean {
    const index = this.size;
    if (index === this.#capacity || this.#end + RECORD_MAX > this.bytes.length) return false;
    this.hashes[index] = hashOf(world);
    this.parents[index] = parent;
    this.actions[index] = action;
    this.flags[index] = flags;
    this.at[index] = this.#end;
    this.#end = writeRecord(world, this.bytes, this.#end);
    this.size = index + 1;
    return true;
  }

  /** Moves a candidate to an earlier index. */
  move(from: number, to: number): void {
    if (from === to) return;
    this.hashes[to] = this.hashes[from] ?? 0;
    this.parents[to] = this.parents[from] ?? 0;
    this.actions[to] = this.actions[from] ?? 0;
    this.flags[to] = this.flags[from] ?? 0;
    this.at[to] = this.at[from] ?? 0;
  }

  /** Removes all candidates from an index on. */
  truncate(size: number): void {
    if (size >= this.size) return;
    this.size = size;
    this.#end = size === 0 ? 0 : recordEnd(this.bytes, this.at[size - 1] ?? 0);
  }
}
