/**
 * @module
 * What each thread of a crew does in the phases, the leading one included.
 */

import { NotNumberedError, TooManyValuesError, withoutNumbering } from '../interner.ts';
import type { StateStore } from '../state-store.ts';
import type { CrewMemory } from './crew.ts';
import { AT, LEFT_OUT, NONE, PHASE, RunList, SHARE } from './crew.ts';
import type { Explorer } from './explorer.ts';
import { Candidates, claimAll, settleAll, writeAll } from './explorer.ts';
import type { Judge } from './judge.ts';

/** The parts of the search that each thread has. */
export interface Parts {
  readonly store: StateStore;
  readonly explorer: Explorer;
  readonly judge: Judge;
  /** Names of the checked properties, in the order of the request. */
  readonly propertyNames: readonly string[];
}

export class Member {
  readonly #thread: number;
  /** The segments of the table that it has. */
  readonly #share: { readonly thread: number; readonly threads: number };
  readonly #parts: Parts;
  readonly #memory: CrewMemory;
  readonly #control: Int32Array;
  readonly #fanouts: Uint32Array;
  readonly #spaces: readonly Candidates[];
  readonly #own: Candidates;
  readonly #runs: RunList;
  readonly #length: Int32Array;

  constructor(thread: number, memory: CrewMemory, parts: Parts, spaces?: readonly Candidates[]) {
    this.#thread = thread;
    this.#parts = parts;
    this.#memory = memory;
    this.#control = new Int32Array(memory.control);
    this.#fanouts = new Uint32Array(memory.fanouts);
    this.#spaces = spaces ?? memory.spaces.map((space) => new Candidates(space));
    const [own, runs] = [this.#spaces[thread], memory.runs[thread]];
    if (own === undefined || runs === undefined) throw new RangeError('"thread" expected a member');
    this.#own = own;
    this.#share = { thread, threads: this.#spaces.length };
    this.#runs = new RunList(runs);
    this.#length = new Int32Array(runs, runs.byteLength - 4);
  }

  /** Explores shares of the block until none is left, or until there is no room. */
  explore(): void {
    const control = this.#control;
    const to = control[AT.to] ?? 0;
    this.#own.clear();
    this.#runs.length = 0;
    for (;;) {
      const from = Atomics.add(control, AT.next, SHARE);
      if (from >= to || !this.#exploreShare(from, Math.min(from + SHARE, to))) break;
    }
    this.#length[0] = this.#runs.length;
  }

  /** Returns whether there was room for all candidates. */
  #exploreShare(from: number, to: number): boolean {
    const thread = this.#thread;
    const own = this.#own;
    let start = from;
    let first = own.size;
    const endRun = (world: number) => {
      if (world > start) this.#runs.push({ thread, from: start, to: world, first, end: own.size });
      start = world;
      first = own.size;
    };
    for (let world = from; world < to; world += 1) {
      const fanout = this.#exploreOne(world);
      if (fanout === null) {
        endRun(world);
        this.#runs.push({ thread, from: world, to: world + 1, first: LEFT_OUT, end: LEFT_OUT });
        start = world + 1;
      } else if (fanout < 0) {
        endRun(world);
        return false;
      } else {
        this.#fanouts[world - (this.#control[AT.from] ?? 0)] = fanout;
      }
    }
    endRun(to);
    return true;
  }

  /** The number of actions; −1 without room; null if something had to be numbered. */
  #exploreOne(world: number): number | null {
    try {
      return withoutNumbering(() => this.#parts.explorer.explore(world, this.#own));
    } catch (error) {
      if (error instanceof NotNumberedError || error instanceof TooManyValuesError) return null;
      throw error;
    }
  }

  claim(): void {
    claimAll(this.#parts.store, this.#spaces, this.#allRuns(), this.#share);
  }

  write(): void {
    const { store, judge } = this.#parts;
    const runs = this.#allRuns();
    settleAll(store, this.#spaces, runs, this.#share);
    const own = runs.filter(({ thread }) => thread === this.#thread);
    writeAll(store, this.#own, own, judge);
  }

  /** Writes what the judge of a helper found, for the leading thread. */
  report(): void {
    const { judge, propertyNames } = this.#parts;
    const length = 2 + this.#memory.propertyCount;
    const found = new Int32Array(this.#memory.found, 4 * length * this.#thread, length);
    const { violation } = judge;
    found[0] = violation?.world ?? NONE;
    found[1] = violation === null ? NONE : propertyNames.indexOf(violation.property.name);
    for (const [index, name] of propertyNames.entries()) {
      found[2 + index] = judge.witnesses.get(name) ?? NONE;
    }
  }

  /** Numbers what is new in worlds that another thread has explored. */
  replay(): void {
    const length = this.#control[AT.replayed] ?? 0;
    for (const world of new Int32Array(this.#memory.replayed, 0, length)) {
      this.#own.clear();
      this.#parts.explorer.explore(world, this.#own);
    }
  }

  #allRuns() {
    const merged = this.#memory.runs.at(-1);
    return merged === undefined ? [] : new RunList(merged).read(this.#control[AT.runs] ?? 0);
  }
}

/** Helps until the thread is ended. `takeMemory` gives the store what the leading thread has posted. */
export function help(member: Member, control: Int32Array, takeMemory: () => void): never {
  let seen = Atomics.load(control, AT.phase);
  Atomics.add(control, AT.ready, 1);
  for (;;) {
    Atomics.wait(control, AT.phase, seen);
    seen = Atomics.load(control, AT.phase);
    try {
      takeMemory();
      act(member, control[AT.kind] ?? 0);
    } catch (error) {
      Atomics.add(control, AT.failed, 1);
      throw error;
    } finally {
      Atomics.add(control, AT.done, 1);
      Atomics.notify(control, AT.done);
    }
  }
}

function act(member: Member, kind: number): void {
  if (kind === PHASE.explore) member.explore();
  else if (kind === PHASE.claim) member.claim();
  else if (kind === PHASE.write) {
    member.write();
    member.report();
  } else member.replay();
}
