/**
 * @module
 * The outcome of an election among five nodes of which the lowest is Byzantine. A phantom, a node without
 * an owner, can be named too.
 */

import type { Level } from '../../../src/election/authentication/authenticated.ts';
import type { NodeView } from '../../../src/election/properties.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

/**
 * Judged by the honest nodes: all follow the adversary; none follows a live node; they follow different
 * nodes; or all follow a live honest node, which is the leader without an adversary, or another one.
 */
export type Outcome = 'leader' | 'no-leader' | 'split' | 'other' | 'none';

/** All live; the leader of before is dead; the leader dies when it has been elected. */
export type Plot = 'all live' | 'leader dead' | 'leader dies';

export interface Case {
  readonly protocol: ProtocolName;
  readonly level: Level;
  readonly plot: Plot;
  readonly behaviour: string;
}

export const PHANTOM = 6;
const ADVERSARY = 1;
const PLOTS = {
  'all live': {},
  'leader dead': { crashedBefore: [5] },
  'leader dies': { faults: [{ type: 'crash', rank: 5, at: 40 }] },
} as const;

export function outcomeOf(each: Case): Outcome {
  const nodes = nodesAfter(each, [each.behaviour]);
  const honest = nodes.filter(({ up, rank }) => up && rank !== ADVERSARY);
  const followed = new Set(honest.map(({ leader }) => leader));
  const [first = null] = followed;
  if (followed.size > 1) return 'split';
  if (first === leaderOf(nodesAfter(each, []))) return 'none';
  if (first === ADVERSARY) return 'leader';
  return first !== null && nodes[first - 1]?.up === true ? 'other' : 'no-leader';
}

/** Everybody when the election is over, or the time for it. */
export function nodesAfter(
  { protocol, level, plot }: Omit<Case, 'behaviour'>,
  behaviours: readonly string[],
  seed = '3',
): readonly NodeView[] {
  const simulation = createSimulation({
    ...{ protocol, level, nodes: PHANTOM, phantoms: [PHANTOM], ring: [5, 4, 1, 3, 2, 6] },
    ...{ byzantine: [{ rank: ADVERSARY, behaviours }], seed: parseSeed(seed), untilTicks: 400 },
    ...PLOTS[plot],
  });
  simulation.start();
  simulation.advance({ until: 'idle' });
  return simulation.nodes();
}

/** The leader that all live nodes follow, if they agree. */
export function leaderOf(nodes: readonly NodeView[]): number | null {
  const followed = new Set(nodes.filter(({ up }) => up).map(({ leader }) => leader));
  const [first = null] = followed;
  return followed.size === 1 ? first : null;
}
