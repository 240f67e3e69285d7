/**
 * @module
 * The graph in which an `eventually` property is judged: the worlds of an exhausted search in which the property does
 * not hold and has not held, in typed arrays. Each is a vertex, numbered in the order of a breadth-first search from
 * the first world. For a property that recurs, the graph has all worlds in which it does not hold, in the order of the
 * search. The packed worlds stay in the store of the search. The actions of an edge are not stored, but listed again for
 * the few worlds that need them.
 */

import type { Packed } from '../layout.ts';
import { emptyPacked } from '../layout.ts';
import type { CheckedProperty, WorldView } from '../property.ts';
import type { Worlds } from '../worlds.ts';
import { doneBy, owedIn } from './fairness.ts';

const CHUNK_BITS = 18;
const CHUNK = 2 ** CHUNK_BITS;

/** A growing list of 32-bit integers in chunks, so that growth copies nothing. */
class NumberList {
  #length = 0;
  readonly #chunks: Uint32Array[] = [];

  get length(): number {
    return this.#length;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#chunks.length * CHUNK * 4;
  }

  at(index: number): number {
    return this.#chunks[index >>> CHUNK_BITS]?.[index & (CHUNK - 1)] ?? 0;
  }

  set(index: number, value: number): void {
    const chunk = this.#chunks[index >>> CHUNK_BITS];
    if (chunk !== undefined) chunk[index & (CHUNK - 1)] = value;
  }

  push(value: number): void {
    if ((this.#length & (CHUNK - 1)) === 0 && this.#length >>> CHUNK_BITS === this.#chunks.length) {
      this.#chunks.push(new Uint32Array(CHUNK));
    }
    this.#length += 1;
    this.set(this.#length - 1, value);
  }

  /** Removes and returns the last one. The list must not be empty. */
  pop(): number {
    this.#length -= 1;
    return this.at(this.#length);
  }
}

/** What liveness needs of an exhausted search. */
export interface Explored {
  readonly worlds: Worlds;
  readonly store: {
    /** Number of worlds. */
    readonly size: number;
    readonly read: (number: number, target: Packed) => void;
    /** The number of a world that was added. */
    readonly find: (world: Packed) => number;
    /** Codes of the actions by which the search found a world. */
    readonly pathTo: (number: number) => readonly number[];
  };
  /** A packed world as properties see it. */
  readonly viewOf: (world: Packed, isAtRest: boolean) => WorldView;
}

/** An action of a world and what it leads to. */
export interface Edge {
  readonly code: number;
  /** What the action does of what is owed (fairness.ts). */
  readonly does: readonly number[];
  /** Vertex of the world that the action leads to; −1 if the property holds there. */
  readonly to: number;
}

/** No vertex: the world was not met yet. */
const UNKNOWN = -2;
/** No vertex: the property holds in the world. */
const HOLDS = -1;
/** Vertices between two turns of the caller. */
const SLICE = 20_000;

export class LivenessGraph {
  /** Number of the search of the world at each vertex. */
  readonly numbers = new NumberList();
  /** Vertex of the world from which each world was first met; the first world has its own. */
  readonly #parents = new NumberList();
  /** Where the edges of each vertex begin. */
  readonly #starts = new NumberList();
  /** Vertices that edges lead to. */
  readonly #targets = new NumberList();
  readonly #vertices: Int32Array;
  readonly #explored: Explored;
  readonly #property: CheckedProperty;
  readonly #source = emptyPacked();
  readonly #target = emptyPacked();

  constructor(explored: Explored, property: CheckedProperty) {
    this.#explored = explored;
    this.#property = property;
    this.#vertices = new Int32Array(explored.store.size).fill(UNKNOWN);
  }

  get size(): number {
    return this.numbers.length;
  }

  /** Bytes in use. */
  get bytes(): number {
    const lists = [this.numbers, this.#parents, this.#starts, this.#targets];
    return this.#vertices.byteLength + lists.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Finds all worlds and edges. Yields after each slice. Returns the vertex of the first world in which the execution
   * may end, because nothing is owed; −1 if there is none. It then stops there.
   */
  *build(): Generator<void, number> {
    const codes: number[] = [];
    const { worlds, store } = this.#explored;
    const roots = this.#property.recurs === true ? store.size : 1;
    for (let number = 0; number < roots; number += 1) {
      if (number % SLICE === SLICE - 1) yield;
      this.#vertexOf(number, 0);
    }
    for (let vertex = 0; vertex < this.size; vertex += 1) {
      if (vertex % SLICE === SLICE - 1) yield;
      store.read(this.numbers.at(vertex), this.#source);
      this.#listActions(codes);
      if (owedIn(worlds, this.#source).length === 0) return vertex;
      this.#starts.push(this.#targets.length);
      for (const code of codes) {
        worlds.apply(this.#source, code, this.#target);
        if (!worlds.isWithin) continue;
        const to = this.#vertexOf(store.find(this.#target), vertex);
        if (to >= 0) this.#targets.push(to);
      }
    }
    this.#starts.push(this.#targets.length);
    return -1;
  }

  /** Where the edges of a vertex begin. Those of the last vertex end at `edgesFrom(size)`. */
  edgesFrom(vertex: number): number {
    return this.#starts.at(vertex);
  }

  /** The vertex that the edge with this index leads to. */
  targetOf(edge: number): number {
    return this.#targets.at(edge);
  }

  /** The actions of the world at a vertex. */
  edgesOf(vertex: number): Edge[] {
    const { worlds, store } = this.#explored;
    const codes: number[] = [];
    store.read(this.numbers.at(vertex), this.#source);
    this.#listActions(codes);
    return codes.flatMap((code) => {
      worlds.apply(this.#source, code, this.#target);
      if (!worlds.isWithin) return [];
      const to = this.#vertices[store.find(this.#target)] ?? UNKNOWN;
      return [{ code, does: doneBy(worlds, code, this.#source), to }];
    });
  }

  /** What is owed in the world at a vertex. */
  owedAt(vertex: number): number[] {
    const { worlds, store } = this.#explored;
    store.read(this.numbers.at(vertex), this.#source);
    return owedIn(worlds, this.#source);
  }

  /** Codes of the actions from the first world to a vertex: as few as possible, unless it recurs without a world of it. */
  pathTo(vertex: number): readonly number[] {
    if (this.#property.recurs === true) {
      return this.#explored.store.pathTo(this.numbers.at(vertex));
    }
    const codes: number[] = [];
    for (let at = vertex; at !== 0; at = this.#parents.at(at)) {
      const edge = this.edgesOf(this.#parents.at(at)).find(({ to }) => to === at);
      if (edge === undefined) throw new RangeError('"vertex" expected an action of its parent');
      codes.push(edge.code);
    }
    return codes.toReversed();
  }

  #listActions(codes: number[]): void {
    const { worlds } = this.#explored;
    codes.length = 0;
    worlds.enabled(this.#source, codes);
    worlds.faults(this.#source, codes);
  }

  /** The vertex of a world, which gets one when it is first met without the property. */
  #vertexOf(number: number, parent: number): number {
    const known = this.#vertices[number] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    const { worlds, store, viewOf } = this.#explored;
    store.read(number, this.#target);
    const view = viewOf.call(this.#explored, this.#target, worlds.isAtRest(this.#target));
    const vertex = this.#property.holds(view) ? HOLDS : this.size;
    this.#vertices[number] = vertex;
    if (vertex < 0) return vertex;
    this.numbers.push(number);
    this.#parents.push(parent);
    return vertex;
  }
}
