/**
 * @module
 * This folder judges liveness of an exhausted state space. A violation of `eventually` is an execution that ends, or
 * a lasso that repeats for ever, without a world in which the property holds. The executions are weakly fair: a
 * delivery, choice, start or report that stays possible is carried out at some time, and a timer that stays set fires
 * at some time, unless it is set again. (Under synchronous timing a timer cannot fire while messages are in flight,
 * but time passes. A choice goes before all else, but takes no time.) The environment owes nothing, except that a pause
 * and a partition end. Equal messages of one link are
 * exchangeable, so that fairness to one of them is fairness to all.
 *
 * The worlds without the property that can be reached through such worlds alone form a graph (liveness-graph.ts). For a
 * property that recurs, all worlds without it do: an execution may have had it before it loses it for ever. A
 * violation is a world of it at rest, or a strongly connected component in which everything that is owed in every
 * world is also done. A part of a component that is unfair is unfair too, so that the components need no further
 * division. Worlds are never merged where paths join (the search has all of them), hence neither cycles nor joins
 * hide a violation.
 */

import type { CheckedProperty } from '../property.ts';
import { Debts } from './fairness.ts';
import type { Edge, Explored } from './liveness-graph.ts';
import { LivenessGraph } from './liveness-graph.ts';

/** An execution without the property. */
export interface Lasso {
  /** Codes of the actions from the first world to the world at rest, or to the first world of the cycle. */
  readonly prefix: readonly number[];
  /** Codes of the actions that repeat; empty if the execution ends. */
  readonly cycle: readonly number[];
  /** The number of the world in which the prefix ends. */
  readonly world: number;
}

export type LassoSearch =
  | { readonly type: 'found'; readonly lasso: Lasso }
  /** Every weakly fair execution has the property. */
  | { readonly type: 'none' }
  /** The graph takes more memory than allowed, so that nothing is known. */
  | { readonly type: 'capped'; readonly bytes: number };

/**
 * Looks for a violation of an `eventually` property in an exhausted search. The graph takes at most `bytesMax`. Yields
 * the number of worlds that it has examined, so that the caller can report and stop.
 */
export function* findLasso(
  explored: Explored,
  property: CheckedProperty,
  bytesMax: number,
): Generator<number, LassoSearch> {
  const graph = new LivenessGraph(explored, property);
  const steps = graph.build();
  let step = steps.next();
  const bytes = () => graph.bytes + COMPONENT_BYTES * graph.size;
  for (; step.done !== true && bytes() <= bytesMax; step = steps.next()) yield graph.size;
  if (step.done !== true || bytes() > bytesMax) return { type: 'capped', bytes: bytes() };
  const ending = step.value;
  if (ending >= 0) return { type: 'found', lasso: lassoAt(graph, ending, []) };
  let lasso: Lasso | null = null;
  for (const _ of components(graph, (vertices) => {
    const cycle = fairCycle(graph, vertices);
    if (cycle !== null) lasso = lassoAt(graph, cycle.from, cycle.codes);
    return cycle !== null;
  })) {
    yield graph.size;
  }
  return lasso === null ? { type: 'none' } : { type: 'found', lasso };
}

function lassoAt(graph: LivenessGraph, vertex: number, cycle: readonly number[]): Lasso {
  return { prefix: graph.pathTo(vertex), cycle, world: graph.numbers.at(vertex) };
}

/**
 * A cycle through a component that leaves nothing owed: it does each action that it owes, or visits a world in which
 * the action is not owed. Null if the component is unfair.
 */
function fairCycle(
  graph: LivenessGraph,
  vertices: Uint32Array,
): { readonly from: number; readonly codes: readonly number[] } | null {
  const inside = new Set(vertices);
  if (!isFair(graph, inside)) return null;
  const from = vertices.reduce((least, vertex) => Math.min(least, vertex));
  const debts = new Debts(graph.owedAt(from));
  const codes: number[] = [];
  let at = from;
  const take = ({ code, does, to }: Edge) => {
    codes.push(code);
    debts.settle(does, graph.owedAt(to));
    at = to;
  };
  const isUseful = ({ does, to }: Edge) =>
    debts.codes.size === 0 || debts.isSettledBy(does, graph.owedAt(to));
  do {
    for (const edge of shortestPath(graph, inside, at, isUseful)) take(edge);
  } while (debts.codes.size > 0);
  if (at !== from) {
    for (const edge of shortestPath(graph, inside, at, ({ to }) => to === from)) take(edge);
  }
  return { from, codes };
}

/** Whether all that is owed in every world of a component is done inside it. */
function isFair(graph: LivenessGraph, inside: ReadonlySet<number>): boolean {
  const [first = 0] = inside;
  const owed = new Set(graph.owedAt(first));
  for (const vertex of inside) {
    if (owed.size === 0) return true;
    const open = new Set(graph.owedAt(vertex));
    for (const code of owed) if (!open.has(code)) owed.delete(code);
  }
  for (const vertex of inside) {
    for (const { does, to } of owed.size === 0 ? [] : graph.edgesOf(vertex)) {
      if (inside.has(to)) for (const code of does) owed.delete(code);
    }
  }
  return owed.size === 0;
}

/** The fewest edges inside a component from a vertex, up to and with an edge of the goal. */
function shortestPath(
  graph: LivenessGraph,
  inside: ReadonlySet<number>,
  start: number,
  isGoal: (edge: Edge) => boolean,
): readonly Edge[] {
  const reachedBy = new Map<number, { readonly from: number; readonly edge: Edge } | null>();
  reachedBy.set(start, null);
  for (const vertex of reachedBy.keys()) {
    for (const edge of graph.edgesOf(vertex)) {
      if (!inside.has(edge.to)) continue;
      if (isGoal(edge)) {
        const path = [edge];
        for (let at = reachedBy.get(vertex); at; at = reachedBy.get(at.from)) path.push(at.edge);
        return path.toReversed();
      }
      if (!reachedBy.has(edge.to)) reachedBy.set(edge.to, { from: vertex, edge });
    }
  }
  throw new RangeError('"component" expected an edge of the goal');
}

/** A graph whose vertices are 0..size−1. The edges of a vertex have consecutive indexes. */
interface Adjacency {
  readonly size: number;
  /** Index of the first edge of a vertex. For `size` it is the number of all edges. */
  readonly edgesFrom: (vertex: number) => number;
  /** The vertex that an edge leads to. */
  readonly targetOf: (edge: number) => number;
}

/** Edges between two turns of the caller. */
const SLICE = 200_000;

/** Bytes of the search for components, for each vertex. */
const COMPONENT_BYTES = 20;

/** The lowest number of a vertex whose component is complete. */
const DONE = 0xffffffff;

/**
 * Calls `found` with the vertices of each component that has an edge inside, until it returns true. A component
 * comes after all components that it leads to. Yields after each slice.
 */
export function* components(
  graph: Adjacency,
  found: (vertices: Uint32Array) => boolean,
): Generator<void, void> {
  const { size } = graph;
  const search: Search = {
    index: new Uint32Array(size),
    low: new Uint32Array(size),
    next: new Uint32Array(size),
    path: new Uint32Array(size),
    calls: new Uint32Array(size),
    met: 0,
    onPath: 0,
    depth: 0,
  };
  const { index, low, next, calls } = search;
  for (let root = 0, steps = 0; root < size; root += 1) {
    if (index[root] !== 0) continue;
    enter(graph, search, root);
    while (search.depth > 0) {
      steps += 1;
      if (steps % SLICE === 0) yield;
      const vertex = calls[search.depth - 1] ?? 0;
      const edge = next[vertex] ?? 0;
      if (edge < graph.edgesFrom(vertex + 1)) {
        const to = graph.targetOf(edge);
        // A new vertex is visited first. Its edge is looked at again afterwards.
        if (index[to] === 0) enter(graph, search, to);
        else {
          next[vertex] = edge + 1;
          if (low[to] !== DONE) low[vertex] = Math.min(low[vertex] ?? 0, low[to] ?? 0);
        }
      } else {
        search.depth -= 1;
        if (low[vertex] !== index[vertex]) continue;
        const vertices = leave(search, vertex);
        if (hasEdgeInside(graph, vertices) && found(vertices)) return;
      }
    }
  }
}

interface Search {
  /** Number of each vertex in the order of meeting, from 1 on; 0 if it was not met. */
  readonly index: Uint32Array;
  /** The lowest number on the path that the vertex reaches. */
  readonly low: Uint32Array;
  /** The next edge of each vertex. */
  readonly next: Uint32Array;
  /** Vertices whose component is not complete. */
  readonly path: Uint32Array;
  /** Vertices whose edges are being looked at. */
  readonly calls: Uint32Array;
  met: number;
  onPath: number;
  depth: number;
}

function enter(graph: Adjacency, search: Search, vertex: number): void {
  search.met += 1;
  search.index[vertex] = search.met;
  search.low[vertex] = search.met;
  search.next[vertex] = graph.edgesFrom(vertex);
  search.path[search.onPath] = vertex;
  search.onPath += 1;
  search.calls[search.depth] = vertex;
  search.depth += 1;
}

/** Takes the component of this vertex from the path. */
function leave(search: Search, vertex: number): Uint32Array {
  const { path, low } = search;
  const end = search.onPath;
  do {
    search.onPath -= 1;
    low[path[search.onPath] ?? 0] = DONE;
  } while (path[search.onPath] !== vertex);
  return path.slice(search.onPath, end);
}

/** Whether there is an edge inside: always with two vertices, and with one if it leads to itself. */
function hasEdgeInside(graph: Adjacency, vertices: Uint32Array): boolean {
  if (vertices.length > 1) return true;
  const [vertex = 0] = vertices;
  const end = graph.edgesFrom(vertex + 1);
  for (let edge = graph.edgesFrom(vertex); edge < end; edge += 1) {
    if (graph.targetOf(edge) === vertex) return true;
  }
  return false;
}
