/**
 * @module
 * The search over all worlds of an instance. Breadth-first, the first violation has the fewest actions. It runs in
 * slices, so that its caller can report progress, stop it, and give other work a turn. It explores worlds in blocks
 * (visited/explorer.ts), large ones with other threads if it has some. Neither changes any result.
 */

import type { Reduction } from './expansion.ts';
import type { Instance } from './instance.ts';
import { TooManyValuesError } from './interner.ts';
import { monitorOf } from './monitor.ts';
import type { CheckedProperty, WorldView } from './property.ts';
import { NO_PARENT, SEGMENT_SHIFT, SEGMENTS, StateStore } from './state-store.ts';
import { Candidates, candidateSpace, NOT_FIRST } from './visited/candidates.ts';
import type { Run } from './visited/explorer.ts';
import { claimAll, Explorer, reserveFor, writeAll } from './visited/explorer.ts';
import { Judge } from './visited/judge.ts';
import { numberedSoFar } from './visited/numbering.ts';
import { recordEnd } from './visited/world-bytes.ts';
import type { Packed } from './worlds.ts';
import { emptyPacked, Worlds } from './worlds.ts';

export interface SearchOptions {
  readonly instance: Instance;
  readonly properties: readonly CheckedProperty[];
  /** The ranks of Byzantine nodes. */
  readonly byzantine: ReadonlySet<number>;
  readonly order: 'breadth' | 'depth';
  /** Which actions need not be explored; all are if it is absent. */
  readonly reduction?: Reduction;
  /** Largest number of worlds that are kept. The search stops after the world that reaches it. */
  readonly statesMax: number;
  /** Largest number of bytes of the visited worlds. */
  readonly bytesMax: number;
}

/** What a search has done so far. */
export interface SearchCounts {
  readonly states: number;
  readonly transitions: number;
  /** Most actions from the first world to a visited one: the longest of the shortest paths if breadth-first. */
  readonly depth: number;
  /** Worlds that were found and whose actions were not explored yet. */
  readonly queue: number;
  /** Steps of single nodes that the reference semantics computed. */
  readonly steps: number;
  readonly bytes: number;
}

export type Outcome =
  /** Every world was visited. */
  | { readonly type: 'exhausted' }
  /** A limit was reached first, so that nothing is known of the rest. */
  | { readonly type: 'capped'; readonly detail: string }
  | {
      readonly type: 'violated';
      readonly property: CheckedProperty;
      /** Codes of the actions from the first world to the violation. */
      readonly path: readonly number[];
      /** What is wrong in the last world, in words that follow a colon. */
      readonly breach: string;
    };

/** Worlds that one thread explores at a time: their candidates stay in the cache of the processor. */
const BLOCK = 256;
/** Space for the candidates of such a block. */
const SPACE = { candidates: 2 ** 16, bytes: 2 ** 23 } as const;

/** One search. */
export class Search {
  readonly worlds: Worlds;
  readonly store: StateStore;
  readonly explorer: Explorer;
  readonly judge: Judge;
  readonly #options: SearchOptions;
  readonly #candidates = new Candidates(candidateSpace(SPACE.candidates, SPACE.bytes));
  /** Actions of each world of the block. */
  readonly #fanouts = new Uint32Array(BLOCK);
  /** Candidates in each segment of the table. */
  readonly #counts = new Int32Array(SEGMENTS);
  /** The worlds in which something was numbered, in order. Another thread that explores them has the same numbers. */
  readonly #numbering: number[] = [];
  /** Worlds to be explored next if depth-first. */
  readonly #stack: number[] = [];
  /** The first world of the next level, if breadth-first. */
  #levelEnd = 1;
  #next = 0;
  #depth = 0;
  #transitions = 0;
  /** Worlds that count: without those that were found after the end of the search. */
  #states = 1;
  #outcome: Outcome | null = null;
  readonly #packed: Packed = emptyPacked();

  constructor(options: SearchOptions) {
    const { instance, properties, byzantine, order, reduction = null } = options;
    this.#options = options;
    const monitor = monitorOf(properties, { byzantine, protocol: instance.protocol });
    this.worlds = new Worlds(instance, monitor);
    this.store = new StateStore();
    this.judge = new Judge(options, this.worlds);
    const isBreadth = order === 'breadth';
    this.explorer = new Explorer(this.worlds, this.store, { reduction, isBreadth });
    this.worlds.first(this.#packed);
    this.store.add(this.#packed, NO_PARENT, 0);
    this.#stack.push(0);
    this.judge.judge(0, this.#packed, this.worlds.isAtRest(this.#packed));
    this.#stopAtViolation();
  }

  get counts(): SearchCounts {
    const isBreadth = this.#options.order === 'breadth';
    return {
      states: this.#states,
      transitions: this.#transitions,
      depth: this.#depth,
      queue: isBreadth ? this.#states - this.#next : this.#stack.length,
      steps: this.worlds.steps.computed,
      bytes: this.store.bytes,
    };
  }

  /** Names of the `sometimes` properties that some visited world has. */
  get witnessed(): readonly string[] {
    const { witnesses } = this.judge;
    return [...witnesses].flatMap(([name, world]) => (world < this.#states ? [name] : []));
  }

  /** The outcome; null while the search is not over. */
  get outcome(): Outcome | null {
    return this.#outcome;
  }

  /** A packed world as properties see it. */
  viewOf(world: Packed, isAtRest: boolean): WorldView {
    return this.judge.viewOf(world, isAtRest);
  }

  /** Explores about this number of worlds. Returns the outcome, or null if there is more to do. */
  run(worldsMax: number): Outcome | null {
    for (let explored = 0; explored < worldsMax && this.#outcome === null; ) {
      explored += this.#options.order === 'depth' ? this.#deepen() : this.#widen(worldsMax);
    }
    return this.#outcome;
  }

  /** Explores the world that was found last. */
  #deepen(): number {
    const world = this.#stack.pop();
    if (world === undefined) {
      this.#outcome = { type: 'exhausted' };
      return 0;
    }
    const known = this.#states;
    this.#block(world, world + 1);
    for (let number = known; number < this.#states; number += 1) this.#stack.push(number);
    return 1;
  }

  /** Explores a part of a level. */
  #widen(worldsMax: number): number {
    if (this.#next === this.store.size) {
      this.#outcome = { type: 'exhausted' };
      return 0;
    }
    if (this.#next === this.#levelEnd) {
      this.#depth += 1;
      this.#levelEnd = this.store.size;
    }
    const from = this.#next;
    this.#next = this.#block(from, Math.min(this.#levelEnd, from + BLOCK, from + worldsMax));
    return this.#next - from;
  }

  /** Explores the worlds of a block. Returns the first world that was not explored. */
  #block(from: number, to: number): number {
    const candidates = this.#candidates;
    candidates.clear();
    let end = from;
    let problem: string | null = null;
    for (; end < to && problem === null; end += 1) {
      problem = this.#exploreOne(end, end - from);
      if (problem !== null) break;
    }
    const run: Run = { thread: 0, from, to: end, first: 0, end: candidates.size };
    const last = this.#settle([run], [candidates]);
    this.#count(from, last);
    // A block that is full ends, but one that has no room for its first world can never be explored.
    if (problem !== null && last === end && (problem !== FULL || end === from)) this.#cap(problem);
    return last;
  }

  /** Returns why the world could not be explored; null if it was. */
  #exploreOne(world: number, index: number): string | null {
    const numbered = numberedSoFar();
    try {
      const fanout = this.explorer.explore(world, this.#candidates);
      if (numberedSoFar() > numbered) this.#numbering.push(world);
      this.#fanouts[index] = fanout;
      return fanout < 0 ? FULL : null;
    } catch (error) {
      if (!(error instanceof TooManyValuesError)) throw error;
      return error.message;
    }
  }

  /** Adds the candidates to the store. Returns the world after the last one whose successors count. */
  #settle(runs: readonly Run[], spaces: readonly Candidates[]): number {
    const { store } = this;
    reserveFor(store, spaces, runs, this.#counts);
    claimAll(store, spaces, runs, { thread: 0, threads: 1 });
    let end = this.#number(runs, spaces);
    for (const [thread, candidates] of spaces.entries()) {
      const own = runs.filter((run) => run.thread === thread);
      writeAll(store, candidates, own, this.judge);
    }
    this.#states = store.size;
    if (this.judge.violation !== null) end = this.#stopAtViolation();
    return end;
  }

  /** Numbers the candidates in the order of the search. Returns the first world whose successors have no numbers. */
  #number(runs: readonly Run[], spaces: readonly Candidates[]): number {
    const { store } = this;
    const { statesMax, bytesMax } = this.#options;
    let last = Number.POSITIVE_INFINITY;
    for (const { thread, first, end } of runs) {
      const space = spaces[thread];
      if (space === undefined) continue;
      const { hashes, numbers, parents, offsets, bytes, at } = space;
      for (let index = first; index < end; index += 1) {
        const isLate = (parents[index] ?? 0) > last;
        if (isLate || numbers[index] === NOT_FIRST) {
          numbers[index] = NOT_FIRST;
          store.release((hashes[index] ?? 0) >>> SEGMENT_SHIFT, 1);
          continue;
        }
        numbers[index] = store.size;
        const start = at[index] ?? 0;
        offsets[index] = store.allot(recordEnd(bytes, start) - start);
        if (store.size === statesMax) last = parents[index] ?? 0;
      }
    }
    if (last < Number.POSITIVE_INFINITY) this.#cap(`${statesMax} worlds were visited`);
    else if (store.bytes >= bytesMax) this.#cap(`the visited worlds take ${bytesMax} bytes`);
    return Math.min(last + 1, runs.at(-1)?.to ?? 0);
  }

  #count(from: number, to: number): void {
    for (let world = from; world < to; world += 1) {
      this.#transitions += this.#fanouts[world - from] ?? 0;
    }
  }

  #cap(detail: string): void {
    this.#outcome ??= { type: 'capped', detail };
  }

  /** Ends the search after the world from which a violation was found first. Returns the world after that. */
  #stopAtViolation(): number {
    const { violation } = this.judge;
    if (violation === null) return 0;
    const { world, property, breach } = violation;
    const path = this.store.pathTo(world);
    this.#outcome = { type: 'violated', property, path, breach };
    const parent = this.store.parentOf(world);
    let states = world + 1;
    while (states < this.store.size && this.store.parentOf(states) === parent) states += 1;
    this.#states = states;
    return world === 0 ? 0 : parent + 1;
  }
}

const FULL = 'the successors of a world take too much memory';
