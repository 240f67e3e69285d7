/**
 * @module
 * The list of topologies. Command line, API and documentation read this list.
 */

import { LabError } from '../../errors.ts';
import type { Random } from '../../random.ts';
import type { ChosenTopology, Edge, Graph, Topology } from './topology.ts';
import { defineTopology, graphOf, isConnected, LINKS_MAX, numbersIn } from './topology.ts';

const RING = defineTopology({
  name: 'ring',
  summary: 'each node with the next one, clockwise, and the last with the first',
  example: { text: 'ring', nodes: 5 },
  takes: 'nothing',
  problem: () => null,
  edges: (_, nodes) => grid([nodes], true),
});

const COMPLETE = defineTopology({
  name: 'complete',
  summary: 'each node with each other one',
  example: { text: 'complete', nodes: 5 },
  takes: 'nothing',
  problem: () => null,
  edges: (_, nodes) => pairs(nodes),
});

const MESH = defineTopology({
  name: 'mesh',
  summary: 'a grid with sides of any number: each node with its neighbours in each direction',
  example: { text: 'mesh:3x4', nodes: 12 },
  takes: 'sides',
  problem: sidesProblem,
  edges: (sides) => grid(sides, false),
});

const TORUS = defineTopology({
  name: 'torus',
  summary: 'a mesh whose opposite borders have links',
  example: { text: 'torus:4x4', nodes: 16 },
  takes: 'sides',
  problem: sidesProblem,
  edges: (sides) => grid(sides, true),
});

const HYPERCUBE = defineTopology({
  name: 'hypercube',
  summary: 'positions whose binary numbers differ in one digit',
  example: { text: 'hypercube', nodes: 8 },
  takes: 'nothing',
  problem: (_, nodes) =>
    Number.isInteger(Math.log2(nodes)) ? null : `must have 2, 4, 8, … nodes, got ${nodes}`,
  edges: (_, nodes) =>
    grid(
      Array.from({ length: Math.log2(nodes) }, () => 2),
      false,
    ),
});

const TREE = defineTopology({
  name: 'tree',
  summary: 'a tree, level by level: each node with this number of children',
  example: { text: 'tree:2', nodes: 7 },
  takes: 'number',
  problem: () => null,
  edges: ([children = 1], nodes) =>
    Array.from({ length: nodes - 1 }, (_, index) => [Math.floor(index / children), index + 1]),
});

const RANDOM_REGULAR = defineTopology({
  name: 'random-regular',
  summary:
    'drawn from the seed: each node with this number of others (Steger and Wormald 1999), and connected',
  example: { text: 'random-regular:3', nodes: 8 },
  takes: 'number',
  problem: ([degree = 0], nodes) =>
    degree < nodes && (degree * nodes) % 2 === 0
      ? null
      : `the links of a node must be fewer than the nodes, and those of all nodes together even, got ${degree} of ${nodes} nodes`,
  edges: ([degree = 0], nodes, random) => regular(degree, nodes, random),
});

const ERDOS_RENYI = defineTopology({
  name: 'erdos-renyi',
  summary: 'drawn from the seed: each pair of nodes with this probability, and connected',
  example: { text: 'erdos-renyi:40%', nodes: 8 },
  takes: 'share',
  problem: () => null,
  edges: ([share = 1], nodes, random) => drawn(pairs(nodes), share, random),
});

export const TOPOLOGIES: readonly Topology[] = [
  RING,
  COMPLETE,
  MESH,
  TORUS,
  HYPERCUBE,
  TREE,
  RANDOM_REGULAR,
  ERDOS_RENYI,
];

const FORMS = TOPOLOGIES.map(({ example }) => example.text).join(', ');

/** The meaning of a text that names a topology, for help and schemas. */
export const TOPOLOGY_MEANING = `Which nodes have a link: ${FORMS}`;

/** Reads a topology, such as torus:4x4. Throws LabError `arguments`. */
export function parseTopology(text: string): ChosenTopology {
  const [name = '', ...rest] = text.split(':');
  const topology = TOPOLOGIES.find((each) => each.name === name);
  const numbers = topology && numbersIn(topology, rest.length > 0 ? rest.join(':') : undefined);
  if (topology !== undefined && numbers) return { topology, numbers };
  throw new LabError('arguments', `must be one of ${FORMS}`);
}

/** The number of nodes of a mesh or torus, from its sides. Undefined for other topologies, and without a topology. */
export function nodesOf(text: string | undefined): number | undefined {
  const chosen = text === undefined ? null : parseTopology(text);
  return chosen?.topology.takes === 'sides' ? productOf(chosen.numbers) : undefined;
}

/** The nodes of a network, and whether their protocol needs a link between each pair of them. */
interface Linked {
  readonly topology?: string | undefined;
  readonly protocol: { readonly name: string; readonly overLinks: boolean };
  /** Every rank, clockwise. */
  readonly ring: readonly number[];
  readonly crashedBefore: readonly number[];
  /** Ranks that join later or never. */
  readonly absent: readonly number[];
}

/**
 * The links of a network by position in its ring without the absent nodes. Null if each pair of nodes has a link. Throws
 * LabError `arguments` for a topology that does not fit the nodes or the protocol.
 */
export function linkedGraph(
  { topology, protocol, ring, crashedBefore, absent }: Linked,
  random: Random,
): Graph | null {
  if (topology === undefined) return null;
  const refuse = (detail: string) => new LabError('arguments', `topology ${topology}: ${detail}`);
  const size = ring.length - absent.length;
  if (topology === COMPLETE.name) {
    if ((size * (size - 1)) / 2 > LINKS_MAX) throw refuse(`at most ${LINKS_MAX} links`);
    return null;
  }
  if (!protocol.overLinks) {
    throw refuse(`nodes of ${protocol.name} send messages to any node, which needs complete`);
  }
  const present = ring.filter((rank) => !absent.includes(rank));
  const graph = graphOf(parseTopology(topology), present.length, random);
  const isDown = present.map((rank) => crashedBefore.includes(rank));
  if (!isConnected(graph, isDown)) {
    throw refuse(`no way leads round ${crashedBefore}, which crashed before the election`);
  }
  return graph;
}

function sidesProblem(sides: readonly number[], nodes: number): string | null {
  const product = productOf(sides);
  return product === nodes ? null : `${sides.join('x')} has ${product} nodes, got ${nodes}`;
}

function productOf(sides: readonly number[]): number {
  return sides.reduce((size, side) => size * side, 1);
}

function* pairs(nodes: number): Iterable<Edge> {
  for (let one = 0; one < nodes; one += 1) {
    for (let other = one + 1; other < nodes; other += 1) yield [one, other];
  }
}

function* drawn(edges: Iterable<Edge>, share: number, random: Random): Iterable<Edge> {
  for (const edge of edges) if (random.unit() < share) yield edge;
}

/** A grid of any number of dimensions, with or without links between opposite borders. */
function* grid(sides: readonly number[], isClosed: boolean): Iterable<Edge> {
  const nodes = productOf(sides);
  let step = 1;
  for (const side of sides) {
    for (let position = 0; position < nodes; position += 1) {
      const isLast = Math.floor(position / step) % side === side - 1;
      if (!isLast) yield [position, position + step];
      else if (isClosed) yield [position, position - (side - 1) * step];
    }
    step *= side;
  }
}

/**
 * A. Steger and N. Wormald, Generating random regular graphs quickly, Combinatorics, Probability and Computing 8, 1999:
 * pairs drawn from the open ends of the nodes, without loops and without a second link of a pair. Null if the last ends
 * do not fit together.
 */
function regular(degree: number, nodes: number, random: Random): readonly Edge[] | null {
  const found = new Map<number, Edge>();
  const open = Array.from({ length: degree * nodes }, (_, index) => index % nodes);
  for (let misses = 0; open.length > 0; ) {
    const [left, right] = [random.below(open.length), random.below(open.length)];
    const [one = 0, other = 0] = [open[left], open[right]];
    const name = Math.min(one, other) * nodes + Math.max(one, other);
    if (one === other || found.has(name)) {
      misses += 1;
      if (misses > open.length ** 2 + MISSES_MIN) return null;
      continue;
    }
    misses = 0;
    found.set(name, [one, other]);
    for (const index of [Math.max(left, right), Math.min(left, right)]) {
      open[index] = open.at(-1) ?? 0;
      open.pop();
    }
  }
  return [...found.values()];
}

/** Pairs that are drawn in vain before a draw counts as failed. With few open ends, each of their pairs comes up. */
const MISSES_MIN = 50;
