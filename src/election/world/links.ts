/**
 * @module
 * The links of the nodes of a cast. Nodes that crashed before the election have none: the network is closed around them
 * as a ring is.
 */

import type { Links, Rank } from '../machine.ts';
import type { Graph } from '../topology/topology.ts';
import { diameterOf } from '../topology/topology.ts';

interface CastLinks {
  readonly hasLink: ((one: number, other: number) => boolean) | undefined;
  readonly linksOf: (rank: number) => Links | null;
}

/** The network of a cast, as its options state it. */
interface Network {
  readonly ring: readonly number[];
  readonly crashedBefore: readonly number[];
  readonly absent?: readonly number[] | undefined;
  readonly phantoms?: readonly number[] | undefined;
  readonly graph?: Graph | null | undefined;
}

type ToRank = (position: number) => Rank;

/** Null links if the protocol does not ask for them, and if each pair of nodes has a link. */
export function linksIn(
  { ring, crashedBefore, absent = [], phantoms = [], graph = null }: Network,
  overLinks: boolean,
  toRank: ToRank,
): CastLinks {
  if (!overLinks) return { hasLink: undefined, linksOf: () => null };
  const dead = new Set(crashedBefore);
  if (graph === null) return { hasLink: undefined, linksOf: linksToAll(ring.length, dead, toRank) };
  const present = ring.filter((rank) => !absent.includes(rank) && !phantoms.includes(rank));
  const neighbours = new Map(
    present.map((rank, position) => {
      const linked = (graph[position] ?? []).map((other) => present[other] ?? rank);
      return [rank, new Set(dead.has(rank) ? [] : linked.filter((other) => !dead.has(other)))];
    }),
  );
  const living = present.filter((rank) => !dead.has(rank));
  const diameter = diameterOf(
    living.map((rank) =>
      living.flatMap((other, at) => (neighbours.get(rank)?.has(other) ? [at] : [])),
    ),
  );
  const links = new Map(
    Array.from(neighbours, ([rank, others]) => [
      rank,
      { neighbours: [...others].toSorted((one, other) => one - other).map(toRank), diameter },
    ]),
  );
  return {
    // A node reaches itself.
    hasLink: (one, other) => one === other || neighbours.get(one)?.has(other) === true,
    linksOf: (rank) => links.get(rank) ?? { neighbours: [], diameter },
  };
}

/** Each node with all others, in the order of ranks. */
function linksToAll(
  nodes: number,
  dead: ReadonlySet<number>,
  toRank: ToRank,
): CastLinks['linksOf'] {
  const known = new Map<number, Links>();
  const living = Array.from({ length: nodes }, (_, index) => index + 1).filter(
    (rank) => !dead.has(rank),
  );
  return (rank) => {
    const links = known.get(rank) ?? {
      neighbours: living.filter((other) => other !== rank).map(toRank),
      diameter: 1,
    };
    known.set(rank, links);
    return links;
  };
}
