/**
 * @module
 * The elections of a student's instance in which submitted behaviours and defences are tried: each with another number of
 * nodes, another latency and another seed. Half of them go on with the crash of the second-highest node.
 */

import type { Seed } from '../../../random.ts';
import { createRandom, deriveSeed } from '../../../random.ts';
import type { SimulationOptions } from '../../../simulation/plan/plan.ts';
import { createSimulation } from '../../../simulation/run/simulation.ts';

const TRIALS = 12;
/** Far more events than an election among so few nodes has. A trial that has more fails. */
const EVENTS_MAX = 20_000;
const NODES_MIN = 4;
const NODES_BELOW = 4;
const LATENCY_BELOW = 6;
/** After every election of so few nodes. */
const CRASH_AT = 600;
/** A trial that is not at rest then fails. */
const REST_BY = 2000;

export type Trial = Pick<
  SimulationOptions,
  'protocol' | 'nodes' | 'seed' | 'latency' | 'level' | 'faults' | 'untilTicks'
>;

/** The trials of an instance; with `isLong`, a node crashes after the election. */
export function trialsOf(
  protocol: SimulationOptions['protocol'],
  seed: Seed,
  isLong: boolean,
): readonly Trial[] {
  return Array.from({ length: TRIALS }, (_, index) => {
    const random = createRandom(seed, 'trial', index);
    const nodes = NODES_MIN + random.below(NODES_BELOW);
    return {
      ...{ protocol, nodes, level: 'L1', untilTicks: REST_BY },
      seed: deriveSeed(seed, 'trial', index),
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 1 + random.below(LATENCY_BELOW) },
      faults: isLong ? [{ type: 'crash', rank: nodes - 1, at: CRASH_AT }] : [],
    };
  });
}

/** How a trial ends. */
export interface TrialEnd {
  readonly isOver: boolean;
  /** The live nodes below `nodes`, or all of them, and what each follows. */
  readonly followed: readonly { readonly rank: number; readonly leader: number | null }[];
  /** The live node that all of these follow; null if there is none. */
  readonly leader: number | null;
  readonly messages: number;
}

/** Holds the election of a trial. The highest node is left out of the end if it is Byzantine. */
export function endOf(
  trial: Trial,
  others: Pick<SimulationOptions, 'byzantine' | 'defences'>,
): TrialEnd {
  const simulation = createSimulation({ ...trial, ...others });
  simulation.start();
  const bound = simulation.advance({ until: 'idle', events: EVENTS_MAX });
  const byzantine = new Set(others.byzantine?.map(({ rank }) => rank));
  const live = simulation.nodes().filter(({ up }) => up);
  const followed = live
    .filter(({ rank }) => !byzantine.has(rank))
    .map(({ rank, leader }) => ({ rank, leader }));
  const [first] = followed;
  const isAgreed = followed.every(({ leader }) => leader === first?.leader);
  const leader = live.find(({ rank }) => rank === first?.leader)?.rank ?? null;
  return {
    isOver: bound === 'idle',
    followed,
    leader: isAgreed ? leader : null,
    messages: simulation.status().messages.total ?? 0,
  };
}

/** A trial in words, with what its nodes follow at the end. */
export function described({ nodes, faults = [] }: Trial, { followed, isOver }: TrialEnd): string {
  const after = faults.length === 0 ? '' : `, where node ${nodes - 1} crashes at ${CRASH_AT},`;
  const ends = followed.map(({ rank, leader }) => `${rank} follows ${leader ?? 'none'}`).join(', ');
  return `in an election of ${nodes} nodes${after} ${isOver ? '' : `which is not at rest by tick ${REST_BY}, `}${ends}`;
}
