/**
 * @module
 * The properties of a search, judged in new worlds. Every thread has a judge. The first violation is the one with the
 * smallest number, so that it is the same with any number of threads.
 */

import type { NodeView } from '../../election/properties.ts';
import type { Instance } from '../instance.ts';
import type { Packed } from '../layout.ts';
import type { CheckedProperty, WorldView } from '../property.ts';
import type { Worlds } from '../worlds.ts';

export interface Breach {
  /** Number of the world. */
  readonly world: number;
  readonly property: CheckedProperty;
  /** What is wrong there, in words that follow a colon. */
  readonly breach: string;
  /** What the property threw instead of a judgement. */
  readonly failure?: unknown;
}

/** The properties of an instance. They judge its honest nodes. */
export interface Judged {
  readonly instance: Instance;
  readonly properties: readonly CheckedProperty[];
  /** The ranks of Byzantine nodes. */
  readonly byzantine: ReadonlySet<number>;
}

export class Judge {
  /** The violation with the smallest number; null if none was found. */
  violation: Breach | null = null;
  /** Number of the first world that has each `sometimes` property. */
  readonly witnesses = new Map<string, number>();
  readonly #worlds: Worlds;
  readonly #options: Judged;
  readonly #phantoms: ReadonlySet<number>;
  readonly #always: readonly CheckedProperty[];
  readonly #sometimes: readonly CheckedProperty[];

  constructor(options: Judged, worlds: Worlds) {
    this.#options = options;
    this.#worlds = worlds;
    this.#phantoms = new Set(options.instance.phantoms);
    this.#always = options.properties.filter(({ kind }) => kind === 'always');
    this.#sometimes = options.properties.filter(({ kind }) => kind === 'sometimes');
  }

  /** Judges a new world. */
  judge(world: number, packed: Packed, isAtRest: boolean): void {
    const view = this.viewOf(packed, isAtRest);
    for (const each of this.#sometimes) {
      if (this.#isWitnessed(each.name, world)) continue;
      this.#guard(world, each, () => {
        if (each.holds(view)) this.witness(each.name, world);
      });
    }
    for (const property of this.#always) {
      const isViolated = this.#guard(world, property, () => {
        if (property.holds(view)) return false;
        this.violate({ world, property, breach: property.breach(view) });
        return true;
      });
      if (isViolated) return;
    }
  }

  /** A property that throws ends the search as a violation does, at the same world with any number of threads. */
  #guard<T>(world: number, property: CheckedProperty, judge: () => T): T | true {
    try {
      return judge();
    } catch (failure) {
      this.violate({ world, property, breach: '', failure });
      return true;
    }
  }

  /** Takes what a thread found. */
  witness(property: string, world: number): void {
    if (!this.#isWitnessed(property, world)) this.witnesses.set(property, world);
  }

  violate(breach: Breach): void {
    if (breach.world < (this.violation?.world ?? Number.POSITIVE_INFINITY)) this.violation = breach;
  }

  #isWitnessed(property: string, world: number): boolean {
    return (this.witnesses.get(property) ?? Number.POSITIVE_INFINITY) <= world;
  }

  /** A packed world as properties see it, while it is not overwritten. */
  viewOf({ words, length }: Packed, isAtRest: boolean): WorldView {
    const worlds = this.#worlds;
    const { instance, byzantine } = this.#options;
    const { cast, protocol } = instance;
    const nodes: NodeView[] = [];
    for (let rank = 1; rank <= cast.nodes; rank += 1) {
      const { up, leader } = worlds.factsAt(words, rank);
      nodes.push({ rank, up, leader: leader || null });
    }
    return {
      protocol,
      nodes,
      byzantine,
      phantoms: this.#phantoms,
      isAtRest,
      store: cast.store,
      pastOf(history) {
        if (worlds.monitor === null) throw new RangeError('"history" expected one of a property');
        return worlds.monitor.pastOf(words, worlds.layout.monitor, history);
      },
      factOf: (reading, rank) => reading.of(worlds.nodeAt(words, rank), protocol),
      nodeOf: (rank) => worlds.nodeAt(words, rank),
      inFlight: () =>
        Array.from(words.subarray(worlds.layout.fixed, length), (message) =>
          worlds.steps.messages.valueOf(message),
        ),
      isOrdered: instance.links === 'fifo',
    };
  }
}
