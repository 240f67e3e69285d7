/**
 * @module
 * Outside nodes: nodes whose machine runs in a program outside the simulator. Some are there from the start.
 * Others join later, at ranks that are open for them.
 */

import { JOIN_NODES_LIMIT } from '../faults/schedule.ts';
import { assertDisjoint, assertRanks, assertThat } from './assertions.ts';
import type { Plan, SimulationOptions } from './plan.ts';

/** Default name of an election. */
export const ONE_ELECTION = '1';
const ELECTION_CHARACTERS_MAX = 100;

/** Whether a run has outside nodes or may get some. */
export function hasOutsideNodes({
  outside = [],
  openings = [],
}: Pick<SimulationOptions, 'outside' | 'openings'>): boolean {
  return outside.length + openings.length > 0;
}

/** The checked part of a plan. `absent` are the other nodes that are absent at first. */
export function planOutside(
  options: SimulationOptions,
  absent: readonly number[],
): Pick<Plan, 'outside' | 'openings' | 'election'> {
  const { nodes, outside = [], openings = [], election = ONE_ELECTION } = options;
  const { crashedBefore = [], phantoms = [] } = options;
  const ranks = outside.map(({ rank }) => rank);
  const byzantine = options.byzantine?.map(({ rank }) => rank) ?? [];
  assertRanks('outside', ranks, nodes);
  assertRanks('openings', openings, nodes);
  const gone = [...phantoms, ...crashedBefore];
  assertDisjoint('outside', ranks, gone, 'a phantom or died before the run');
  assertDisjoint('outside', ranks, byzantine, 'Byzantine, which the simulation plays');
  assertDisjoint('openings', openings, [...absent, ...crashedBefore], 'a phantom, down or to join');
  assertDisjoint('openings', openings, byzantine, 'Byzantine, which the simulation plays');
  assertDisjoint('openings', openings, ranks, 'an outside node from the start');
  if (openings.length > 0) {
    const missing = new Set([...absent, ...crashedBefore, ...openings]);
    assertThat(missing.size < nodes, () => 'openings leaves no node present and up at first');
    assertThat(nodes <= JOIN_NODES_LIMIT, () => `openings takes at most ${JOIN_NODES_LIMIT} nodes`);
  }
  assertThat(
    election.length > 0 && election.length <= ELECTION_CHARACTERS_MAX,
    () => `election must have 1..${ELECTION_CHARACTERS_MAX} characters`,
  );
  return { outside, openings: openings.toSorted((left, right) => left - right), election };
}
