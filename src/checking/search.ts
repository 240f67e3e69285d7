/**
 * @module
 * The search over all worlds of an instance. Breadth-first, the first violation has the fewest actions. It runs in
 * slices, so that its caller can report progress, stop it, and give other work a turn. It explores worlds in blocks
 * (visited/explorer.ts), large ones with other threads if it has some, and leaves out actions that lead to known worlds
 * (visited/sleep.ts). None of this changes any result.
 */

import { numberedSoFar, TooManyValuesError } from './interner.ts';
import type { Packed } from './layout.ts';
import { emptyPacked } from './layout.ts';
import type { WorldView } from './property.ts';
import { NO_PARENT, StateStore } from './state-store.ts';
import type { Orbits } from './symmetry/orbits.ts';
import { falseSymmetry } from './symmetry/orbits.ts';
import type { Crew } from './visited/crew.ts';
import { LEFT_OUT, NONE, WORLDS_MAX_OF_BLOCK } from './visited/crew.ts';
import type { Block, Explorer, Run } from './visited/explorer.ts';
import {
  Candidates,
  candidateSpace,
  claimAll,
  NOT_FIRST,
  reserveFor,
  settleAll,
  writeAll,
} from './visited/explorer.ts';
import type { Judge } from './visited/judge.ts';
import { Member } from './visited/member.ts';
import type { Cap, Outcome, Resumed, Saved } from './visited/outcome.ts';
import { capOfMemory, capOfWorlds, FULL } from './visited/outcome.ts';
import type { Asked, Searched } from './visited/parts.ts';
import { searchParts } from './visited/parts.ts';
import { recordEnd } from './visited/world-bytes.ts';
import type { Worlds } from './worlds.ts';

export interface SearchOptions extends Searched, Asked {
  /** Largest number of worlds that are kept. The search stops after the world that reaches it. */
  readonly statesMax: number;
  /** Largest number of bytes of the visited worlds. */
  readonly bytesMax: number;
  /** Threads that help if all worlds are explored breadth-first. They change no result. */
  readonly crew?: Crew | undefined;
  /** Where to go on, and what fills the buffers of the store. */
  readonly resumed?: Resumed | undefined;
}

/** What a search has done so far. */
export interface SearchCounts {
  readonly states: number;
  /** Actions that are possible in the explored worlds, also those that were left out (visited/sleep.ts). */
  readonly transitions: number;
  /** Most actions by which a world was found: the longest of the shortest paths if breadth-first. */
  readonly depth: number;
  /** Worlds that were found and whose actions were not explored yet. */
  readonly queue: number;
  /** Steps of single nodes that the reference semantics computed. */
  readonly steps: number;
  /** Memory that was allocated for the visited worlds. Only this depends on the number of threads. */
  readonly bytes: number;
}

/** Worlds that one thread explores at a time: their candidates stay in the cache of the processor. */
const BLOCK = 256;
/** Space for the candidates of such a block. */
const SPACE = { candidates: 2 ** 16, bytes: 2 ** 23 } as const;

/** One search. */
export class Search {
  readonly worlds: Worlds;
  readonly store: StateStore;
  readonly judge: Judge;
  /** The classes of worlds of which one is visited; null if all worlds are. */
  readonly orbits: Orbits | null;
  readonly #explorer: Explorer;
  readonly #options: SearchOptions;
  readonly #crew: Crew | null;
  readonly #member: Member | null;
  readonly #candidates: Candidates;
  /** Actions of each world of the block. */
  readonly #fanouts: Uint32Array;
  /** The worlds in which something was numbered, in order. Another thread that explores them has the same numbers. */
  readonly #numbering: number[] = [];
  /** Steps that were computed up to and with each of them. */
  readonly #steps: number[] = [];
  /** How many of them the helpers have explored. */
  #replayed = 0;
  /** Worlds to be explored next if depth-first. */
  readonly #stack: number[] = [];
  /** Actions by which each of them was found. */
  readonly #depths: number[] = [];
  /** The first world of the next level, if breadth-first. */
  #levelEnd = 1;
  #next = 0;
  #depth = 0;
  #transitions = 0;
  /** Worlds that count: without those that were found after the end of the search. */
  #states = 1;
  #outcome: Outcome | null = null;
  #isDue = false;
  #explored = 0;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.store = new StateStore();
    const parts = searchParts(options, this.store);
    this.worlds = parts.worlds;
    this.judge = parts.judge;
    this.orbits = parts.orbits;
    this.#explorer = parts.explorer;
    const isShared = options.order === 'breadth' && options.reduction === undefined;
    this.#crew = isShared ? (options.crew ?? null) : null;
    this.#member = this.#crew && new Member(0, this.#crew.memory, parts, this.#crew.spaces);
    this.#candidates =
      this.#crew?.spaces[0] ?? new Candidates(candidateSpace(SPACE.candidates, SPACE.bytes));
    this.#fanouts = this.#crew?.fanouts ?? new Uint32Array(BLOCK);
    if (options.resumed !== undefined) {
      this.#resume(options.resumed);
      return;
    }
    this.store.add(parts.first, NO_PARENT, 0);
    this.#stack.push(0);
    this.#depths.push(0);
    this.judge.judge(0, parts.first, this.worlds.isAtRest(parts.first));
    this.#stopAtViolation();
  }

  get counts(): SearchCounts {
    const isBreadth = this.#options.order === 'breadth';
    return {
      states: this.#states,
      transitions: this.#transitions,
      depth: this.#depth,
      queue: isBreadth ? this.#states - this.#next : this.#stack.length,
      steps: this.#steps.at(-1) ?? 0,
      bytes: this.store.bytes,
    };
  }

  /** Names of the `sometimes` properties that some visited world has. */
  get witnessed(): readonly string[] {
    const { witnesses } = this.judge;
    return [...witnesses].flatMap(([name, world]) => (world < this.#states ? [name] : []));
  }

  /** Number of worlds whose actions were explored. */
  get explored(): number {
    return this.#explored;
  }

  /** The outcome; null while the search is not over. */
  get outcome(): Outcome | null {
    return this.#outcome;
  }

  /** A packed world as properties see it. */
  viewOf(world: Packed, isAtRest: boolean): WorldView {
    return this.judge.viewOf(world, isAtRest);
  }

  /** The search as data. It must not have found a violation. */
  save(): Saved {
    const { size, end } = this.store;
    return {
      size,
      end,
      next: this.#next,
      levelEnd: this.#levelEnd,
      depth: this.#depth,
      transitions: this.#transitions,
      stack: [...this.#stack],
      depths: [...this.#depths],
      numbering: [...this.#numbering],
      steps: [...this.#steps],
      witnesses: [...this.judge.witnesses],
    };
  }

  #resume({ saved, fill }: Resumed): void {
    const { size, end, next, levelEnd, depth, transitions } = saved;
    this.store.restore(size, end, fill);
    for (const world of saved.numbering) {
      this.#candidates.clear();
      this.#explorer.explore(world, this.#candidates);
    }
    this.#numbering.push(...saved.numbering);
    this.#steps.push(...saved.steps);
    for (const world of saved.stack) this.#stack.push(world);
    for (const depth of saved.depths) this.#depths.push(depth);
    for (const [property, world] of saved.witnesses) this.judge.witness(property, world);
    [this.#next, this.#levelEnd, this.#depth] = [next, levelEnd, depth];
    [this.#transitions, this.#states] = [transitions, size];
    if (size >= this.#options.statesMax) this.#capStates();
  }

  /** Explores at most this number of worlds. Returns the outcome, or null if there is more to do. */
  run(worldsMax: number): Outcome | null {
    const { memoryUsed, bytesMax, order } = this.#options;
    if ((memoryUsed?.() ?? 0) >= bytesMax) this.#cap(capOfMemory('the check takes', bytesMax));
    const end = this.#explored + worldsMax;
    this.#isDue = false;
    while (this.#explored < end && this.#outcome === null && !this.#isDue) {
      this.#explored += order === 'depth' ? this.#deepen() : this.#widen(end - this.#explored);
    }
    return this.#outcome;
  }

  /** Explores the world that was found last. */
  #deepen(): number {
    const [world, found = 0] = [this.#stack.pop(), this.#depths.pop()];
    if (world === undefined) {
      this.#outcome = { type: 'exhausted' };
      return 0;
    }
    const known = this.#states;
    this.#block(world, world + 1);
    for (let number = known; number < this.#states; number += 1) {
      this.#stack.push(number);
      this.#depths.push(found + 1);
    }
    if (this.#states > known) this.#depth = Math.max(this.#depth, found + 1);
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
    const to = Math.min(this.#levelEnd, from + worldsMax);
    const crew = this.#crew?.canShare(to - from, this.store) === true ? this.#crew : null;
    this.#next =
      crew === null
        ? this.#block(from, Math.min(to, from + BLOCK))
        : this.#sharedBlock(crew, from, Math.min(to, from + WORLDS_MAX_OF_BLOCK));
    return this.#next - from;
  }

  /** Explores the worlds of a block. Returns the first world that was not explored. */
  #block(from: number, to: number): number {
    const candidates = this.#candidates;
    const numbered = this.#numbering.length;
    candidates.clear();
    let end = from;
    let problem: Cap | null = null;
    for (; end < to && problem === null && !this.#isDue; end += 1) {
      problem = this.#exploreOne(end, end - from);
      if (problem !== null) break;
    }
    const run: Run = { thread: 0, from, to: end, first: 0, end: candidates.size };
    return this.#settle({ from, end, problem, runs: [run], numbered }, null);
  }

  /** Explores a block with all threads. */
  #sharedBlock(crew: Crew, from: number, to: number): number {
    crew.replay(this.#numbering.slice(this.#replayed));
    const numbered = this.#numbering.length;
    this.#replayed = numbered;
    const runs: Run[] = [];
    let end = from;
    let problem: Cap | null = null;
    for (const run of crew.explore(from, to, () => this.#member?.explore())) {
      if (run.first === LEFT_OUT) {
        const first = this.#candidates.size;
        problem = this.#exploreOne(run.from, run.from - from);
        if (problem !== null) break;
        runs.push({ ...run, thread: 0, first, end: this.#candidates.size });
      } else {
        runs.push(run);
      }
      end = run.to;
    }
    if (end === from) problem ??= FULL;
    return this.#settle({ from, end, problem, runs, numbered }, crew);
  }

  /** Returns why the world could not be explored; null if it was. */
  #exploreOne(world: number, index: number): Cap | null {
    const numbered = numberedSoFar();
    try {
      const fanout = this.#explorer.explore(world, this.#candidates);
      if (numberedSoFar() > numbered) {
        this.#numbering.push(world);
        this.#steps.push(this.worlds.steps.computed);
        this.#isDue ||= this.#options.isDue?.() === true;
      }
      this.#fanouts[index] = fanout;
      return fanout < 0 ? FULL : null;
    } catch (error) {
      if (!(error instanceof TooManyValuesError)) throw error;
      return { cause: error.cause, detail: error.message };
    }
  }

  /** Adds the candidates of a block to the store. Returns the world after the last one whose successors count. */
  #settle({ from, end, problem, runs, numbered }: Block, crew: Crew | null): number {
    const { store, judge } = this;
    const spaces = crew?.spaces ?? [this.#candidates];
    reserveFor(store, spaces, runs);
    if (crew === null) claimAll(store, spaces, runs);
    else crew.claim(runs, () => this.#member?.claim());
    let last = this.#number(runs, spaces, end);
    if (crew === null) {
      settleAll(store, spaces, runs);
      writeAll(store, this.#candidates, runs, judge);
    } else {
      crew.write(() => this.#member?.write());
      for (const found of crew.found().slice(1)) this.#hear(found);
    }
    this.#states = store.size;
    if (judge.violation !== null) last = this.#stopAtViolation();
    for (let world = from; world < last; world += 1) {
      this.#transitions += this.#fanouts[world - from] ?? 0;
    }
    // A block that is full ends, but one that has no room for its first world can never be explored.
    if (problem !== null && last === end && (problem !== FULL || end === from)) this.#cap(problem);
    // What was numbered after the end of the search does not count.
    while (
      this.#outcome !== null &&
      this.#numbering.length > numbered &&
      (this.#numbering.at(-1) ?? 0) >= last
    ) {
      this.#numbering.pop();
      this.#steps.pop();
    }
    return last;
  }

  /** Takes what a helper found. */
  #hear(found: Int32Array): void {
    const { properties } = this.#options;
    const [world = NONE] = found;
    if (world !== NONE) {
      const packed = emptyPacked();
      this.store.read(world, packed);
      this.judge.judge(world, packed, this.worlds.isAtRest(packed));
      if ((this.judge.violation?.world ?? NONE) > world) {
        throw new TypeError('a property judges one world in two ways');
      }
    }
    for (const [position, { name }] of properties.entries()) {
      const witness = found[2 + position] ?? NONE;
      if (witness !== NONE) this.judge.witness(name, witness);
    }
  }

  /** Numbers the candidates in the order of the search. Returns the first world whose successors have no numbers. */
  #number(runs: readonly Run[], spaces: readonly Candidates[], to: number): number {
    const { store } = this;
    const { statesMax, bytesMax } = this.#options;
    let last = Number.POSITIVE_INFINITY;
    for (const { thread, first, end } of runs) {
      const space = spaces[thread];
      if (space === undefined) continue;
      const { hashes, numbers, parents, offsets, bytes, at } = space;
      for (let index = first; index < end; index += 1) {
        const isLate = (parents[index] ?? 0) > last;
        const isFirst = (numbers[index] ?? NOT_FIRST) >= 0;
        if (isLate || !isFirst) {
          if (isFirst) numbers[index] = NOT_FIRST;
          continue;
        }
        numbers[index] = store.size;
        const start = at[index] ?? 0;
        offsets[index] = store.allot(hashes[index] ?? 0, recordEnd(bytes, start) - start);
        if (store.size >= statesMax && last === Number.POSITIVE_INFINITY)
          last = parents[index] ?? 0;
      }
    }
    if (last < Number.POSITIVE_INFINITY) this.#capStates();
    else if (store.bytes >= bytesMax) this.#cap(capOfMemory('the visited worlds take', bytesMax));
    return Math.min(last + 1, to);
  }

  #capStates(): void {
    this.#cap(capOfWorlds(this.#options.statesMax));
  }

  #cap(cap: Cap): void {
    this.#outcome ??= { type: 'capped', ...cap };
  }

  /** Ends the search after the world from which a violation was found first. Returns the world after that. */
  #stopAtViolation(): number {
    const { violation } = this.judge;
    if (violation === null) return 0;
    const { world, property, failure } = violation;
    if (failure !== undefined) throw failure;
    const { path, last } = executionTo(world, this.worlds, this.store, this.orbits);
    const breach = property.breach(this.viewOf(last, this.worlds.isAtRest(last)));
    this.#outcome = { type: 'violated', property, path, breach };
    const parent = this.store.parentOf(world);
    let states = world + 1;
    while (states < this.store.size && this.store.parentOf(states) === parent) states += 1;
    this.#states = states;
    return world === 0 ? 0 : parent + 1;
  }
}

/** An execution of real worlds for a path of a search that visits one world of each class. */
interface Execution {
  /** The codes of its actions. */
  readonly path: readonly number[];
  /** The world after them. */
  readonly last: Packed;
}

/**
 * The actions that lead from the first world to a visited one, or to one of its class. Throws LabError `arguments` if
 * there are none: then renamed worlds have other actions.
 */
function executionTo(
  world: number,
  worlds: Worlds,
  store: StateStore,
  orbits: Orbits | null,
): Execution {
  if (orbits === null) {
    const last = emptyPacked();
    store.read(world, last);
    return { path: store.pathTo(world), last };
  }
  const visited = [world];
  for (let at = store.parentOf(world); at !== NO_PARENT; at = store.parentOf(at)) visited.push(at);
  const path: number[] = [];
  let last = emptyPacked();
  worlds.first(last);
  for (const number of visited.toReversed().slice(1)) {
    const wanted = emptyPacked();
    store.read(number, wanted);
    const found = actionTo(wanted, last, worlds, orbits);
    if (found === null) {
      const detail = `no action of step ${path.length + 1} leads to a world with exchanged ranks`;
      throw falseSymmetry(worlds.instance.protocol, detail);
    }
    path.push(found.code);
    last = found.next;
  }
  return { path, last };
}

/** The first possible action after which the world is one of the class of `wanted`; null if there is none. */
function actionTo(
  wanted: Packed,
  from: Packed,
  worlds: Worlds,
  orbits: Orbits,
): { readonly code: number; readonly next: Packed } | null {
  const codes: number[] = [];
  worlds.enabled(from, codes);
  worlds.faults(from, codes);
  for (const code of codes) {
    const next = emptyPacked();
    worlds.apply(from, code, next);
    if (!worlds.isWithin) continue;
    const settled = { words: next.words.slice(), length: next.length };
    orbits.settle(settled);
    if (isSame(settled, wanted)) return { code, next };
  }
  return null;
}

function isSame(left: Packed, right: Packed): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) if (left.words[at] !== right.words[at]) return false;
  return true;
}
