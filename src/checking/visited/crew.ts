/**
 * @module
 * The threads of a search. One of them leads: it starts the phases of a block (explorer.ts), takes part in them, and
 * does alone what has an order. The others help. All wait for each other between the phases. They share the memory of
 * the store, the candidates, and some integers.
 */

import type { Memory, StateStore } from '../state-store.ts';
import type { CandidateSpace, Run } from './explorer.ts';
import { Candidates, candidateSpace } from './explorer.ts';

/** What all threads have. */
export interface CrewMemory {
  readonly control: SharedArrayBuffer;
  /** Actions of each world of the block. */
  readonly fanouts: SharedArrayBuffer;
  /** Runs, for each thread those that it explored, and then those of all in order. */
  readonly runs: readonly SharedArrayBuffer[];
  readonly spaces: readonly CandidateSpace[];
  /** Worlds that the helpers must explore to number what is new. */
  readonly replayed: SharedArrayBuffer;
  /** For each thread the first world that violates a property, the property, and the witnesses. */
  readonly found: SharedArrayBuffer;
  readonly propertyCount: number;
}

/** Integers that coordinate the threads. */
export const AT = {
  phase: 0,
  kind: 1,
  done: 2,
  ready: 3,
  failed: 4,
  from: 5,
  to: 6,
  next: 7,
  runs: 8,
  replayed: 9,
} as const;

export const PHASE = { explore: 1, claim: 2, write: 3, replay: 4 } as const;
export type Phase = (typeof PHASE)[keyof typeof PHASE];

/** Worlds of a block that threads share. */
export const WORLDS_MAX_OF_BLOCK = 2 ** 12;
/** One thread explores fewer worlds sooner. */
const WORLDS_MIN_OF_BLOCK = 256;
/** Worlds that a thread takes at a time. */
export const SHARE = 64;
/** Worlds that are replayed at a time. */
export const REPLAYED_MAX = 2 ** 14;
const SPACE = { candidates: 2 ** 18, bytes: 2 ** 24 } as const;
/** Integers of a run, and the largest number of runs: each world may be one, with one between any two. */
const RUN_INTS = 5;
const RUNS_MAX = 2 * WORLDS_MAX_OF_BLOCK + 1;
/** No world. */
export const NONE = 0x7fffffff;
/** A thread that takes longer for one phase is lost. */
const PATIENCE_MS = 300_000;

export function crewMemory(threads: number, propertyCount: number): CrewMemory {
  const ints = (count: number) => new SharedArrayBuffer(4 * count);
  return {
    control: ints(16),
    fanouts: ints(WORLDS_MAX_OF_BLOCK),
    runs: Array.from({ length: threads + 1 }, () => ints(RUN_INTS * RUNS_MAX)),
    spaces: Array.from({ length: threads }, () => candidateSpace(SPACE.candidates, SPACE.bytes)),
    replayed: ints(REPLAYED_MAX),
    found: ints(threads * (2 + propertyCount)),
    propertyCount,
  };
}

/** Runs in shared memory. */
export class RunList {
  readonly #ints: Int32Array;
  length = 0;

  constructor(buffer: SharedArrayBuffer) {
    this.#ints = new Int32Array(buffer);
  }

  push({ thread, from, to, first, end }: Run): void {
    this.#ints.set([thread, from, to, first, end], RUN_INTS * this.length);
    this.length += 1;
  }

  /** The first `length` runs. */
  read(length: number): Run[] {
    return Array.from({ length }, (_, index) => {
      const [thread = 0, from = 0, to = 0, first = 0, end = 0] = this.#ints.subarray(
        RUN_INTS * index,
        RUN_INTS * (index + 1),
      );
      return { thread, from, to, first, end };
    });
  }
}

/** A run of worlds that this thread must leave out has no candidates and this as the first. */
export const LEFT_OUT = -1;

/** How the leading thread reaches the others. */
export interface Helpers {
  /** Worlds of a block for which the helpers are started. */
  readonly worldsMin: number;
  readonly start: () => void;
  /** Sends memory to all helpers, which take it at the begin of the next phase. */
  readonly post: (memory: Memory) => void;
}

/** The threads as the leading one sees them. */
export class Crew {
  readonly threads: number;
  readonly memory: CrewMemory;
  readonly spaces: readonly Candidates[];
  readonly fanouts: Uint32Array;
  readonly #control: Int32Array;
  readonly #found: Int32Array;
  readonly #replayed: Int32Array;
  readonly #merged: RunList;
  readonly #helpers: Helpers;
  #isStarted = false;

  constructor(memory: CrewMemory, helpers: Helpers) {
    this.memory = memory;
    this.threads = memory.spaces.length;
    this.spaces = memory.spaces.map((space) => new Candidates(space));
    this.fanouts = new Uint32Array(memory.fanouts);
    this.#control = new Int32Array(memory.control);
    this.#found = new Int32Array(memory.found);
    this.#replayed = new Int32Array(memory.replayed);
    this.#merged = new RunList(memory.runs.at(-1) ?? memory.fanouts);
    this.#helpers = helpers;
  }

  /**
   * Whether the helpers can take part in a block of this size. Starts them when a block is large enough for the first
   * time. While they load, the leading thread goes on alone.
   */
  canShare(worlds: number, store: StateStore): boolean {
    const { worldsMin } = this.#helpers;
    if (worlds < (this.#isStarted ? Math.min(worldsMin, WORLDS_MIN_OF_BLOCK) : worldsMin))
      return false;
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#helpers.start();
      store.share((memory) => this.#helpers.post(memory));
    }
    return Atomics.load(this.#control, AT.ready) === this.threads - 1;
  }

  /** Lets all threads explore the worlds from `from` to before `to`. Returns the runs in order, up to a gap. */
  explore(from: number, to: number, own: () => void): Run[] {
    this.#control[AT.from] = from;
    this.#control[AT.to] = to;
    this.#control[AT.next] = from;
    this.#phase(PHASE.explore, own);
    const runs = this.memory.runs.slice(0, -1).flatMap((buffer) => {
      const [length = 0] = new Int32Array(buffer, buffer.byteLength - 4);
      return new RunList(buffer).read(length);
    });
    runs.sort((left, right) => left.from - right.from);
    const gap = runs.findIndex((run, index) => run.from !== (runs[index - 1]?.to ?? from));
    return gap < 0 ? runs : runs.slice(0, gap);
  }

  claim(runs: readonly Run[], own: () => void): void {
    this.#merged.length = 0;
    for (const run of runs) this.#merged.push(run);
    this.#control[AT.runs] = runs.length;
    this.#phase(PHASE.claim, own);
  }

  write(own: () => void): void {
    this.#found.fill(NONE);
    this.#phase(PHASE.write, own);
  }

  /** The violations and witnesses of the helpers in the last block. */
  found(): readonly Int32Array[] {
    const length = 2 + this.memory.propertyCount;
    return Array.from({ length: this.threads }, (_, thread) =>
      this.#found.subarray(length * thread, length * (thread + 1)),
    );
  }

  /** Lets the helpers number what is new in these worlds. */
  replay(worlds: readonly number[]): void {
    for (let from = 0; from < worlds.length; from += REPLAYED_MAX) {
      const part = worlds.slice(from, from + REPLAYED_MAX);
      this.#replayed.set(part);
      this.#control[AT.replayed] = part.length;
      this.#phase(PHASE.replay, () => {});
    }
  }

  #phase(kind: Phase, own: () => void): void {
    const control = this.#control;
    control[AT.kind] = kind;
    Atomics.store(control, AT.done, 0);
    Atomics.add(control, AT.phase, 1);
    Atomics.notify(control, AT.phase);
    own();
    for (;;) {
      const done = Atomics.load(control, AT.done);
      if (done === this.threads - 1) break;
      if (Atomics.wait(control, AT.done, done, PATIENCE_MS) === 'timed-out') {
        throw new Error('a thread of the search does not answer');
      }
    }
    if (Atomics.load(control, AT.failed) > 0) throw new Error('a thread of the search failed');
  }
}
