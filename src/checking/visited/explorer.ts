/**
 * @module
 * The exploration of one block of worlds, in phases that threads can share. The result is that of a search that
 * carries out one action after the other: the same worlds with the same numbers, whatever the blocks and the number
 * of threads.
 *
 * 1. Explore: each thread takes some worlds of the block, and keeps the successors that are not in the store.
 * 2. Claim: of equal candidates the first one in the order of the search is kept. Each thread decides this for its
 *    segments of the table.
 * 3. Number: one thread gives numbers in the order of the search.
 * 4. Write: each thread writes its own candidates.
 */

import type { Packed } from '../layout.ts';
import { emptyPacked } from '../layout.ts';
import type { Explored, Reduction } from '../reduction.ts';
import { expand } from '../reduction.ts';
import type { StateStore } from '../state-store.ts';
import { NO_PARENT, NO_TWINS, SEGMENT_SHIFT, SEGMENTS } from '../state-store.ts';
import type { Orbits } from '../symmetry/orbits.ts';
import type { Worlds } from '../worlds.ts';
import type { Judge } from './judge.ts';
import type { Cap } from './outcome.ts';
import { SleepSets } from './sleep.ts';
import {
  hashOf,
  isSameRecord,
  RECORD_MAX,
  readRecord,
  recordEnd,
  writeRecord,
} from './world-bytes.ts';

/** Worlds that one thread explored one after the other, and the candidates that it found there. */
export interface Run {
  /** Number of the thread, whose candidates these are. */
  readonly thread: number;
  /** The first world, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** The first candidate, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

/** A part of a level that was explored. */
export interface Block {
  /** The first world, and the one after the last. */
  readonly from: number;
  readonly end: number;
  /** Why the world after the last could not be explored; null if the block is whole. */
  readonly problem: Cap | null;
  readonly runs: readonly Run[];
  /** Length of the list of worlds in which something was numbered before the block. */
  readonly numbered: number;
}

export class Explorer {
  readonly #worlds: Worlds;
  readonly #store: StateStore;
  readonly #reduction: Reduction | null;
  readonly #alwaysVisible: number;
  readonly #orbits: Orbits | null;
  readonly #sleep: SleepSets | null;
  readonly #codes: number[] = [];
  readonly #target: Packed = emptyPacked();
  #parent = 0;
  readonly #explored: Explored;

  constructor(
    worlds: Worlds,
    store: StateStore,
    options: {
      readonly reduction: Reduction | null;
      readonly orbits: Orbits | null;
      readonly isBreadth: boolean;
      /** Whether properties judge every world. */
      readonly judgesAll: boolean;
    },
  ) {
    this.#worlds = worlds;
    this.#store = store;
    this.#reduction = options.reduction;
    this.#alwaysVisible = options.judgesAll ? FLAG.visible : 0;
    this.#orbits = options.orbits;
    const isPlain = options.isBreadth && options.reduction === null && options.orbits === null;
    this.#sleep = isPlain && SleepSets.areSound(worlds) ? new SleepSets(worlds, store) : null;
    this.#explored = {
      source: emptyPacked(),
      isOpen: (successor) => {
        options.orbits?.settle(successor);
        const number = store.numberOf(successor);
        return number < 0 || (options.isBreadth && number > this.#parent);
      },
    };
  }

  /**
   * Adds the successors of a world that are not in the store to the candidates. Returns the number of its actions
   * without those that are left out,
   * or −1 if there is no room, so that the world must be explored in another block. Throws what numbering throws.
   */
  explore(parent: number, candidates: Candidates): number {
    const worlds = this.#worlds;
    const codes = this.#codes;
    const target = this.#target;
    const first = candidates.size;
    let fanout = 0;
    codes.length = 0;
    this.#parent = parent;
    this.#store.read(parent, this.#explored.source);
    try {
      expand(worlds, this.#explored, this.#reduction, codes);
      fanout = codes.length;
      this.#sleep?.remove(parent, codes);
      for (let index = 0; index < codes.length; index += 1) {
        const code = codes[index] ?? 0;
        worlds.apply(this.#explored.source, code, target);
        if (!worlds.isWithin) {
          fanout -= 1;
          continue;
        }
        let flags = worlds.isVisible ? FLAG.visible : this.#alwaysVisible;
        if (worlds.isAtRest(target)) flags |= FLAG.atRest;
        this.#orbits?.settle(target);
        if (!candidates.push(target, parent, code, flags)) {
          candidates.truncate(first);
          return -1;
        }
      }
    } catch (error) {
      candidates.truncate(first);
      throw error;
    }
    this.#keepUnknown(candidates, first);
    return fanout;
  }

  #keepUnknown(candidates: Candidates, first: number): void {
    const store = this.#store;
    const { hashes, bytes, at, size } = candidates;
    // The processor fetches the entries at the same time, and not one after the other.
    for (let index = first; index < size; index += 1) store.touch(hashes[index] ?? 0);
    let kept = first;
    for (let index = first; index < size; index += 1) {
      if (store.probe(hashes[index] ?? 0, bytes, at[index] ?? 0) >= 0) continue;
      candidates.move(index, kept);
      kept += 1;
    }
    candidates.truncate(kept);
  }
}

/** Makes room in the table for the candidates of all runs. */
export function reserveFor(
  store: StateStore,
  spaces: readonly Candidates[],
  runs: readonly Run[],
): void {
  // A large table rarely needs room, so that the candidates of each segment are rarely counted.
  if (store.hasRoom(runs.reduce((sum, { first, end }) => sum + end - first, 0))) return;
  const counts = new Int32Array(SEGMENTS);
  for (const { thread, first, end } of runs) {
    const hashes = spaces[thread]?.hashes;
    if (hashes === undefined) continue;
    for (let index = first; index < end; index += 1) {
      const segment = (hashes[index] ?? 0) >>> SEGMENT_SHIFT;
      counts[segment] = (counts[segment] ?? 0) + 1;
    }
  }
  for (const [segment, count] of counts.entries()) if (count > 0) store.reserve(segment, count);
}

/** Which segments of the table a thread has. */
interface Share {
  readonly thread: number;
  readonly threads: number;
}
const ALL: Share = { thread: 0, threads: 1 };
/** Candidates whose entries the processor fetches at the same time. */
const TOUCHED = 32;

function isOwn(hash: number, { thread, threads }: Share): boolean {
  return threads === 1 || (hash >>> SEGMENT_SHIFT) % threads === thread;
}

/** Decides which candidates are the first of equal ones, for the segments that this thread has. */
export function claimAll(
  store: StateStore,
  spaces: readonly Candidates[],
  runs: readonly Run[],
  share: Share = ALL,
): void {
  for (const { thread, first, end } of runs) {
    const own = spaces[thread];
    if (own === undefined) continue;
    const { hashes, parents, at, bytes, slots, numbers } = own;
    let [record, hash, parent, isTwin, touched] = [0, 0, 0, false, first];
    const isSame = (entry: number) => {
      const other = spaces[entry >>> CANDIDATE_BITS];
      if (other === undefined) return false;
      const index = entry % 2 ** CANDIDATE_BITS;
      isTwin = other.parents[index] === parent;
      return isSameRecord(other.bytes, other.at[index] ?? 0, bytes, record);
    };
    for (let index = first; index < end; index += 1) {
      if (share.threads > 1 && index === touched) {
        touched = Math.min(index + TOUCHED, end);
        for (let near = index; near < touched; near += 1) {
          const next = hashes[near] ?? 0;
          if (isOwn(next, share)) store.touch(next);
        }
      }
      hash = hashes[index] ?? 0;
      if (!isOwn(hash, share)) continue;
      record = at[index] ?? 0;
      parent = parents[index] ?? 0;
      const slot = store.claim(hash, thread * 2 ** CANDIDATE_BITS + index, isSame);
      slots[index] = slot;
      numbers[index] = slot >= 0 ? 0 : isTwin ? TWIN : NOT_FIRST;
    }
  }
}

/** Writes the numbers of worlds into the table, for the segments that this thread has. */
export function settleAll(
  store: StateStore,
  spaces: readonly Candidates[],
  runs: readonly Run[],
  share: Share = ALL,
): void {
  for (const { thread, first, end } of runs) {
    const own = spaces[thread];
    if (own === undefined) continue;
    const { hashes, slots, numbers } = own;
    for (let index = first; index < end; index += 1) {
      const number = numbers[index] ?? NOT_FIRST;
      const hash = hashes[index] ?? 0;
      if (number >= 0 && isOwn(hash, share)) store.settle(hash, slots[index] ?? 0, number);
    }
  }
}

/** Writes the worlds that have numbers to the store, and judges them. */
export function writeAll(
  store: StateStore,
  candidates: Candidates,
  runs: readonly Run[],
  judge: Judge,
): void {
  const packed = emptyPacked();
  const { numbers, parents, actions, offsets, bytes, at, flags } = candidates;
  for (const { first, end } of runs) {
    let [parent, mark] = [NO_PARENT, 0];
    for (let index = first; index < end; index += 1) {
      const number = numbers[index] ?? NOT_FIRST;
      if (number < 0) continue;
      if (parents[index] !== parent) {
        parent = parents[index] ?? 0;
        mark = hasTwins(candidates, index, end) ? 0 : NO_TWINS;
      }
      const action = (actions[index] ?? 0) | mark;
      store.write(number, parent, action, offsets[index] ?? 0, bytes, at[index] ?? 0);
      const flag = flags[index] ?? 0;
      if (flag === 0) continue;
      readRecord(bytes, at[index] ?? 0, packed);
      judge.judge(number, packed, (flag & FLAG.atRest) !== 0);
    }
  }
}

/** Whether two candidates of one parent are equal. Those before the first one are not. */
function hasTwins({ parents, numbers }: Candidates, first: number, end: number): boolean {
  const parent = parents[first];
  for (let index = first; index < end && parents[index] === parent; index += 1) {
    if (numbers[index] === TWIN) return true;
  }
  return false;
}

/**
 * Bits of the index of a candidate; above them is the number of its thread. The successors that one thread found in
 * a block of worlds and that were unknown before the block, in shared memory, so that another thread can decide
 * which of equal ones is the first.
 */
const CANDIDATE_BITS = 20;

/** What `numbers` contains for a candidate that is equal to an earlier one. */
export const NOT_FIRST = -1;
/** What it contains if the earlier one has the same parent. */
const TWIN = -2;

/** What properties can see of a candidate. */
const FLAG = { visible: 1, atRest: 2 } as const;

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
  /** Index of the entry of each candidate in its segment of the table. */
  readonly slots: Int32Array;
  /** The number of each candidate in the store, or `NOT_FIRST`, or `TWIN`. */
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
