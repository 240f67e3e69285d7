/**
 * @module
 * Elections of Raft under drawn faults of every kind but those in which a disk forgets or somebody
 * joins, as data.
 */

import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import type { Seed } from '../../../src/random.ts';
import { parseSeed } from '../../../src/random.ts';
import { drawSchedule } from '../../../src/simulation/faults/draw.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import type { Reign } from './raft-runs.ts';
import { reignsOf } from './raft-runs.ts';

export interface RaftOutcome {
  readonly seed: Seed;
  readonly reigns: readonly Reign[];
  /** The highest that a live node is in at the end. */
  readonly term: number;
  readonly value: string;
  readonly reason: string;
}

const NODES = 5;
/** Short, so that elections meet the faults. */
const FLAGS = { electionTicks: '30', spreadTicks: '30', heartbeatTicks: '10' };
const VARIANTS = [
  {},
  { preVote: 'on' },
  { checkQuorum: 'on' },
  { preVote: 'on', checkQuorum: 'on' },
] as const;
const EXCLUDED: readonly string[] = ['amnesia', 'join'];
const KINDS = FAULT_KINDS.filter((kind) => !EXCLUDED.includes(kind));

/** Run `number`; the four variants take turns. */
export function runRaftUnderFaults(number: number): RaftOutcome {
  const seed = parseSeed(String(number));
  const schedule = drawSchedule(seed, {
    ...{ name: 'swarm', nodes: NODES, kinds: KINDS },
    ...{ electionTicks: 40, calmAt: 400, calmTicks: 3000, restart: false, detector: 'crashes' },
  });
  const simulation = createSimulation({
    protocol: 'raft',
    nodes: NODES,
    seed,
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
    fifo: number % 2 === 0,
    flags: { ...FLAGS, ...VARIANTS[number % VARIANTS.length] },
    schedule,
    trace: true,
  });
  simulation.start();
  simulation.advance({ until: 'idle' });
  const { value, reason } = simulation.status().verdict;
  const reigns = reignsOf(simulation.records(), NODES);
  return { seed, reigns, term: highestTerm(simulation), value, reason };
}

function highestTerm(simulation: Simulation): number {
  let highest = 0;
  for (const { rank } of simulation.nodes()) {
    const state = simulation.stateOf(rank);
    if (typeof state !== 'object' || state === null || !('term' in state)) continue;
    highest = Math.max(highest, Number(state.term));
  }
  return highest;
}
