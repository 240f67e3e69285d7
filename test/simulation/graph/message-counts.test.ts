/**
 * @module
 * FloodMax and echo with extinction on every connected graph of up to six nodes: the leader, and the messages that closed
 * forms and a brute force predict, which share no code with the protocols.
 */

import { describe, expect, it } from 'vitest';
import { createCast } from '../../../src/election/world/cast.ts';
import { apply, createWorld } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import type { Random } from '../../../src/random.ts';
import { createRandom, parseSeed, shuffled } from '../../../src/random.ts';
import type { SmallGraph } from '../../election/topology/graphs.ts';
import { connectedGraphs, diameterIn } from '../../election/topology/graphs.ts';

const GRAPHS = [1, 2, 3, 4, 5, 6].flatMap((nodes) => connectedGraphs(nodes));

/** Which of so many messages in flight, the oldest first, arrives next. */
type Order = (inFlight: number) => number;
const OLDEST_FIRST: Order = () => 0;
const newestFirst: Order = (inFlight) => inFlight - 1;
const anyOrder =
  (random: Random): Order =>
  (inFlight) =>
    random.below(inFlight);

/** The end of an election. Position p of the graph has the rank ranks[p]. */
function elect(
  protocol: 'floodmax' | 'echo-extinction',
  graph: SmallGraph,
  {
    ranks,
    starters,
    order,
  }: { ranks: readonly number[]; starters: readonly number[]; order: Order },
): World {
  const neighbours = ranks.map((_, at) =>
    graph.edges.flatMap(([one, other]) => (one === at ? [other] : other === at ? [one] : [])),
  );
  const timing = { latencyTicksMax: 1 };
  const cast = createCast({ protocol, timing, ring: ranks, crashedBefore: [], graph: neighbours });
  let world = createWorld(cast, []);
  for (const node of starters) world = apply(cast, world, { type: 'start', node });
  while (world.inFlight.length > 0) {
    const message = world.inFlight[order(world.inFlight.length)];
    if (message === undefined) throw new RangeError('"order" expected a message in flight');
    expect(cast.hasLink?.(message.from, message.to), 'sends to neighbours alone').toBe(true);
    world = apply(cast, world, { type: 'deliver', message: message.id });
  }
  return world;
}

/** The waves of Chang and Tel, in a queue of all messages: how many messages of waves are sent if all start in order. */
function waveMessages({ nodes, edges }: SmallGraph, ranks: readonly number[]): number {
  const neighbours = ranks.map((_, at) =>
    edges
      .flatMap(([one, other]) => (one === at ? [other] : other === at ? [one] : []))
      .toSorted((one, other) => (ranks[one] ?? 0) - (ranks[other] ?? 0)),
  );
  const wave = [...ranks];
  const father = ranks.map(() => -1);
  const missing = neighbours.map(({ length }) => length);
  const queue: { from: number; to: number; of: number }[] = [];
  const flood = (from: number, except: number) => {
    for (const to of neighbours[from] ?? []) {
      if (to !== except) queue.push({ from, to, of: wave[from] ?? 0 });
    }
  };
  for (let rank = 1; rank <= nodes; rank += 1) flood(ranks.indexOf(rank), -1);
  let sent = 0;
  for (const { from, to, of } of queue) {
    sent += 1;
    if (of < (wave[to] ?? 0)) continue;
    if (of > (wave[to] ?? 0)) {
      wave[to] = of;
      father[to] = from;
      missing[to] = neighbours[to]?.length ?? 0;
      flood(to, from);
    }
    missing[to] = (missing[to] ?? 0) - 1;
    if (missing[to] === 0 && father[to] !== -1) queue.push({ from: to, to: father[to] ?? 0, of });
  }
  return sent;
}

function leadersIn(world: World): readonly (number | null)[] {
  return [...new Set(world.nodes.map(({ leader }) => leader))];
}

describe('on every connected graph', () => {
  it('has the graphs that Harary and Palmer count', () => {
    const counts = [1, 2, 3, 4, 5, 6].map((size) => GRAPHS.filter(({ nodes }) => nodes === size));

    expect(counts.map(({ length }) => length)).toEqual([1, 1, 2, 6, 21, 112]);
  });

  it('floodmax elects the highest with diam messages on each link, both ways, in any order', () => {
    const random = createRandom(parseSeed('1'), 'graphs');
    for (const graph of GRAPHS) {
      const all = Array.from({ length: graph.nodes }, (_, index) => index + 1);
      for (const order of [OLDEST_FIRST, newestFirst, anyOrder(random)]) {
        const ranks = shuffled(all, random);
        const starters = order === OLDEST_FIRST ? all : [ranks[0] ?? 1];
        const world = elect('floodmax', graph, { ranks, starters, order });

        expect(leadersIn(world), JSON.stringify({ graph, ranks })).toEqual([graph.nodes]);
        expect(world.sent).toBe(diameterIn(graph) * 2 * graph.edges.length);
      }
    }
  });

  it('echo-extinction sends the waves of a brute force, and 2|E| - n + 1 LEADER', () => {
    const random = createRandom(parseSeed('2'), 'graphs');
    for (const graph of GRAPHS) {
      const all = Array.from({ length: graph.nodes }, (_, index) => index + 1);
      const ranks = shuffled(all, random);
      const world = elect('echo-extinction', graph, { ranks, starters: all, order: OLDEST_FIRST });

      expect(leadersIn(world), JSON.stringify({ graph, ranks })).toEqual([graph.nodes]);
      expect(world.sentByType.WAVE ?? 0).toBe(waveMessages(graph, ranks));
      expect(world.sentByType.LEADER ?? 0).toBe(2 * graph.edges.length - graph.nodes + 1);
    }
  });

  it('echo-extinction keeps the bound of 2n|E| in any order, whoever starts', () => {
    const random = createRandom(parseSeed('3'), 'graphs');
    for (const graph of GRAPHS) {
      const links = graph.edges.length;
      const all = Array.from({ length: graph.nodes }, (_, index) => index + 1);
      for (const order of [newestFirst, anyOrder(random), anyOrder(random)]) {
        const ranks = shuffled(all, random);
        const starters = shuffled(all, random).slice(0, 1 + random.below(graph.nodes));
        const world = elect('echo-extinction', graph, { ranks, starters, order });

        expect(leadersIn(world), JSON.stringify({ graph, ranks })).toEqual([graph.nodes]);
        expect(world.sentByType.WAVE ?? 0).toBeLessThanOrEqual(2 * graph.nodes * links);
        expect(world.sentByType.LEADER ?? 0).toBe(2 * links - graph.nodes + 1);
      }
    }
  });

  it('echo-extinction sends one wave of 2|E| messages if the highest node starts alone', () => {
    for (const graph of GRAPHS) {
      const ranks = Array.from({ length: graph.nodes }, (_, index) => index + 1);
      const starters = [graph.nodes];
      const world = elect('echo-extinction', graph, { ranks, starters, order: OLDEST_FIRST });

      expect(world.sentByType.WAVE ?? 0).toBe(2 * graph.edges.length);
    }
  });
});
