/**
 * @module
 * Elections whose nodes start at different ticks.
 */

import type { Random } from '../../random.ts';
import { shuffled } from '../../random.ts';
import type { Simulation } from '../run/simulation.ts';

/** When the nodes of a run start: all at tick 0, or each at a tick of its own, the first at tick 0. */
export const RUN_STARTS = ['together', 'any'] as const;
export type RunStarts = (typeof RUN_STARTS)[number];

/** Ranks by the tick at which they start, ascending. Undefined: all live nodes. */
export type StartTicks = ReadonlyMap<number, readonly number[] | undefined>;

/** Every live node starts at tick 0. */
export const ALL_FIRST: StartTicks = new Map([[0, undefined]]);

/** Draws the ticks of these ranks: 0 for one of them, and below `ticks` for the others. */
export function drawStarts(
  ranks: readonly number[],
  ticks: number,
  random: Random,
): ReadonlyMap<number, readonly number[]> {
  const drawn = shuffled(ranks, random).map((rank, at) => ({
    rank,
    tick: at === 0 ? 0 : random.below(ticks),
  }));
  const byTick = Map.groupBy(
    drawn.toSorted((one, other) => one.tick - other.tick || one.rank - other.rank),
    ({ tick }) => tick,
  );
  return new Map(Array.from(byTick, ([tick, all]) => [tick, all.map(({ rank }) => rank)]));
}

/**
 * Starts the nodes of an election at their ticks. A node that is down then does not start. After `events` events between
 * two starts, no more nodes start.
 */
export function startNodes(simulation: Simulation, starts: StartTicks, events: number): void {
  for (const [tick, ranks] of starts) {
    // The faults of the tick come first.
    const isWhole = ranks === undefined || simulation.advance({ until: tick, events }) !== 'events';
    if (!isWhole) return;
    const up = simulation.nodes().flatMap((node) => (node.up ? [node.rank] : []));
    simulation.start(ranks?.filter((rank) => up.includes(rank)));
  }
}
