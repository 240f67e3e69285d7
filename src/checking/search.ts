/**
 * @module
 * The search over all worlds of an instance. Breadth-first, the first violation has the fewest actions. It runs in
 * slices, so that its caller can report progress, stop it, and give other work a turn.
 */

import type { Explored, Reduction } from './expansion.ts';
import { expand } from './expansion.ts';
import type { Instance } from './instance.ts';
import { TooManyValuesError } from './local-steps.ts';
import type { Monitor } from './monitor.ts';
import { createEpochMonitor } from './monitor.ts';
import type { CheckedProperty, WorldView } from './property.ts';
import { NO_PARENT, StateStore } from './state-store.ts';
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
  /** Largest number of worlds that are kept. */
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
  | { readonly type: 'exhausted'; readonly witnessed: readonly string[] }
  /** A limit was reached first, so that nothing is known of the rest. */
  | {
      readonly type: 'capped';
      readonly detail: string;
      readonly witnessed: readonly string[];
    }
  | {
      readonly type: 'violated';
      readonly property: CheckedProperty;
      /** Codes of the actions from the first world to the violation. */
      readonly path: readonly number[];
      readonly view: WorldView;
    };

/** One search. */
export class Search {
  readonly worlds: Worlds;
  readonly store = new StateStore();
  readonly #options: SearchOptions;
  readonly #monitor: Monitor | null;
  readonly #always: readonly CheckedProperty[];
  readonly #sometimes: readonly CheckedProperty[];
  readonly #witnessed = new Set<string>();
  /** Worlds to be explored next if depth-first. */
  readonly #stack: number[] = [];
  /** The first world of the next level, if breadth-first. */
  #levelEnd = 1;
  #next = 0;
  #depth = 0;
  #transitions = 0;
  #outcome: Outcome | null = null;
  readonly #source: Packed = emptyPacked();
  readonly #target: Packed = emptyPacked();
  readonly #codes: number[] = [];
  /** Number of the world that is explored. */
  #explored = 0;
  readonly #expanded: Explored = {
    source: this.#source,
    isOpen: (successor) => {
      const number = this.store.numberOf(successor);
      return number < 0 || (this.#options.order === 'breadth' && number > this.#explored);
    },
  };

  constructor(options: SearchOptions) {
    const { instance, properties, byzantine } = options;
    this.#options = options;
    const honest = Array.from({ length: instance.cast.nodes }, (_, index) => index + 1).filter(
      (rank) => !byzantine.has(rank),
    );
    const isMonitored = properties.some(({ needsEpochs }) => needsEpochs);
    this.#monitor = isMonitored ? createEpochMonitor(new Set(honest)) : null;
    this.worlds = new Worlds(instance, this.#monitor);
    this.#always = properties.filter(({ kind }) => kind === 'always');
    this.#sometimes = properties.filter(({ kind }) => kind === 'sometimes');
    this.worlds.first(this.#target);
    this.store.add(this.#target, NO_PARENT, 0);
    this.#stack.push(0);
    this.#judge(0, this.worlds.isAtRest(this.#target));
  }

  get counts(): SearchCounts {
    const { size, bytes } = this.store;
    const isBreadth = this.#options.order === 'breadth';
    return {
      states: size,
      transitions: this.#transitions,
      depth: this.#depth,
      queue: isBreadth ? size - this.#next : this.#stack.length,
      steps: this.worlds.steps.computed,
      bytes,
    };
  }

  /** The outcome; null while the search is not over. */
  get outcome(): Outcome | null {
    return this.#outcome;
  }

  /** Explores at most this number of worlds. Returns the outcome, or null if there is more to do. */
  run(worldsMax: number): Outcome | null {
    try {
      for (let explored = 0; explored < worldsMax && this.#outcome === null; explored += 1) {
        const world = this.#take();
        if (world === null) {
          this.#outcome = { type: 'exhausted', witnessed: [...this.#witnessed] };
        } else {
          this.#explore(world);
        }
      }
    } catch (error) {
      if (!(error instanceof TooManyValuesError)) throw error;
      this.#cap(error.message);
    }
    return this.#outcome;
  }

  #take(): number | null {
    if (this.#options.order === 'depth') return this.#stack.pop() ?? null;
    if (this.#next === this.store.size) return null;
    if (this.#next === this.#levelEnd) {
      this.#depth += 1;
      this.#levelEnd = this.store.size;
    }
    this.#next += 1;
    return this.#next - 1;
  }

  #explore(world: number): void {
    const { worlds, store } = this;
    const codes = this.#codes;
    codes.length = 0;
    store.read(world, this.#source);
    this.#explored = world;
    expand(worlds, this.#expanded, this.#options.reduction ?? null, codes);
    for (const code of codes) {
      worlds.apply(this.#source, code, this.#target);
      this.#transitions += 1;
      const number = store.add(this.#target, world, code);
      if (number < 0) continue;
      if (this.#options.order === 'depth') this.#stack.push(number);
      const isAtRest = worlds.isAtRest(this.#target);
      if (isAtRest || worlds.isVisible) this.#judge(number, isAtRest);
      if (this.#outcome !== null) return;
    }
    const { statesMax, bytesMax } = this.#options;
    if (store.size >= statesMax) this.#cap(`${statesMax} worlds were visited`);
    else if (store.bytes >= bytesMax) this.#cap(`the visited worlds take ${bytesMax} bytes`);
  }

  #cap(detail: string): void {
    this.#outcome ??= { type: 'capped', detail, witnessed: [...this.#witnessed] };
  }

  /** Judges the new world, which is the target. */
  #judge(number: number, isAtRest: boolean): void {
    const view = this.viewOf(this.#target, isAtRest);
    const broken = this.#always.find((property) => !property.holds(view));
    for (const property of this.#sometimes) {
      if (!this.#witnessed.has(property.name) && property.holds(view)) {
        this.#witnessed.add(property.name);
      }
    }
    if (broken === undefined) return;
    this.#outcome = { type: 'violated', property: broken, path: this.store.pathTo(number), view };
  }

  /** A packed world as properties see it. */
  viewOf(world: Packed, isAtRest: boolean): WorldView {
    const { worlds } = this;
    const { nodes: count } = this.#options.instance.cast;
    const nodes = Array.from({ length: count }, (_, index) => {
      const { up, leader } = worlds.factsAt(world.words, index + 1);
      return { rank: index + 1, up, leader: leader || null };
    });
    const epochBreach = this.#monitor?.breachOf(worlds.monitored(world.words)) ?? null;
    const { byzantine } = this.#options;
    return { nodes, byzantine, epochBreach, isAtRest };
  }
}
