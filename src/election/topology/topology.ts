/**
 * @module
 * This folder contains topologies: which nodes of a network have a link. This file has the form of a definition, and the
 * graph that a text such as `torus:4x4` describes. Nodes have positions 0..n−1, which are those of the ring order.
 */

import { LabError } from '../../errors.ts';
import type { Random } from '../../random.ts';

/** Two positions. */
export type Edge = readonly [number, number];

/** A kind of network. */
export interface Topology {
  readonly name: string;
  /** Which nodes have a link, in one sentence. */
  readonly summary: string;
  /** A text that names it, and the number of nodes that it has. */
  readonly example: { readonly text: string; readonly nodes: number };
  /** What follows its name after a colon: nothing, sides as in 4x4, a whole number, or a share such as 30%. */
  readonly takes: 'nothing' | 'sides' | 'number' | 'share';
  /** Why no such network has this number of nodes. Null if one has. */
  readonly problem: (numbers: readonly number[], nodes: number) => string | null;
  /** The links, each once. Null if this draw has failed, and another is to be made. */
  readonly edges: (
    numbers: readonly number[],
    nodes: number,
    random: Random,
  ) => Iterable<Edge> | null;
}

/** Checks the type of a topology. */
export function defineTopology<const Name extends string>(
  topology: Topology & { readonly name: Name },
): Topology & { readonly name: Name } {
  return topology;
}

/** A topology with its numbers. */
export interface ChosenTopology {
  readonly topology: Topology;
  readonly numbers: readonly number[];
}

/** The neighbours of each position, ascending. */
export type Graph = readonly (readonly number[])[];

/** Nodes of a network with a topology: the distances between all of them take a second. */
export const LINKED_NODES_MAX = 4096;
/** Links of it. */
export const LINKS_MAX = 100_000;
/** Draws after which a random network counts as impossible, and the pairs of nodes that they try. */
const DRAWS_MAX = 1000;
const PAIRS_MAX = 20_000_000;

/** Reads what follows the colon. Null if it has another form. */
export function numbersIn({ takes }: Topology, text: string | undefined): number[] | null {
  switch (takes) {
    case 'nothing':
      return text === undefined ? [] : null;
    case 'sides':
      return /^[1-9]\d{0,3}(x[1-9]\d{0,3}){0,9}$/.test(text ?? '')
        ? (text ?? '').split('x').map(Number)
        : null;
    case 'number':
      return /^[1-9]\d{0,3}$/.test(text ?? '') ? [Number(text)] : null;
    case 'share': {
      const [, digits = '0', percent] = /^(\d{1,3}(?:\.\d{1,6})?)(%?)$/.exec(text ?? '') ?? [];
      const share = percent === '%' ? Number(digits) / 100 : Number(digits);
      return share > 0 && share <= 1 ? [share] : null;
    }
    default:
      return takes satisfies never;
  }
}

/** The connected network of this number of nodes. Throws LabError `arguments` if there is none. */
export function graphOf(
  { topology, numbers }: ChosenTopology,
  nodes: number,
  random: Random,
): Graph {
  const refuse = (detail: string): never => {
    throw new LabError('arguments', `topology ${topology.name}: ${detail}`);
  };
  if (nodes > LINKED_NODES_MAX) refuse(`at most ${LINKED_NODES_MAX} nodes, got ${nodes}`);
  const problem = topology.problem(numbers, nodes);
  if (problem !== null) refuse(problem);
  const most = Math.min(DRAWS_MAX, Math.ceil(PAIRS_MAX / nodes ** 2));
  for (let drawn = 0; drawn < most; drawn += 1) {
    const graph = graphIn(topology.edges(numbers, nodes, random) ?? [], nodes);
    if (graph === null) return refuse(`at most ${LINKS_MAX} links`);
    if (isConnected(graph)) return graph;
  }
  return refuse(`none of ${most} drawn networks of ${nodes} nodes is connected: give more links`);
}

/**
 * The neighbours of each position. A link that is listed twice is one, and a node has none to itself. Null for too many
 * links.
 */
function graphIn(edges: Iterable<Edge>, nodes: number): Graph | null {
  const sets = Array.from({ length: nodes }, () => new Set<number>());
  let listed = 0;
  for (const [one, other] of edges) {
    if (one === other) continue;
    listed += 1;
    if (listed > LINKS_MAX) return null;
    sets[one]?.add(other);
    sets[other]?.add(one);
  }
  return sets.map((neighbours) => [...neighbours].toSorted((left, right) => left - right));
}

/** The distance of each position from one, in links. −1 where no way leads. */
function distancesFrom(graph: Graph, from: number): Int32Array {
  const distances = new Int32Array(graph.length).fill(-1);
  distances[from] = 0;
  const reached = [from];
  for (const position of reached) {
    for (const next of graph[position] ?? []) {
      if (distances[next] !== -1) continue;
      distances[next] = (distances[position] ?? 0) + 1;
      reached.push(next);
    }
  }
  return distances;
}

/** Whether a way leads from each position to each other one, round those that are down. */
export function isConnected(graph: Graph, isDown: readonly boolean[] = []): boolean {
  const up = graph.map((neighbours, at) =>
    isDown[at] ? [] : neighbours.filter((to) => !isDown[to]),
  );
  const distances = distancesFrom(
    up,
    Math.max(
      0,
      up.findIndex((_, at) => !isDown[at]),
    ),
  );
  return distances.every((distance, at) => isDown[at] || distance !== -1);
}

/** The largest distance of two positions of a connected graph. */
export function diameterOf(graph: Graph): number {
  return graph.reduce((most, _, position) => Math.max(most, ...distancesFrom(graph, position)), 0);
}
