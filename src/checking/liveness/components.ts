/**
 * @module
 * Strongly connected components (Tarjan 1972, without recursion) of a graph in typed arrays.
 */

/** A graph whose vertices are 0..size−1. The edges of a vertex have consecutive indexes. */
export interface Adjacency {
  readonly size: number;
  /** Index of the first edge of a vertex. For `size` it is the number of all edges. */
  readonly edgesFrom: (vertex: number) => number;
  /** The vertex that an edge leads to. */
  readonly targetOf: (edge: number) => number;
}

/** Edges between two turns of the caller. */
const SLICE = 200_000;

/** Bytes of the search for components, for each vertex. */
export const COMPONENT_BYTES = 20;

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
    ...{ met: 0, onPath: 0, depth: 0 },
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
