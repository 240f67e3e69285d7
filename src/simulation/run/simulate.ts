/**
 * @module
 * One whole election: start it, let it come to rest, say who leads, what it cost and whether it kept
 * its promises. Everything in the outcome is JSON.
 */

import type { Verdict } from '../../election/properties.ts';
import type { ProtocolName } from '../../election/registry.ts';

import type { SimulationOptions } from '../plan/plan.ts';
import type { Simulation } from './simulation.ts';
import { createSimulation } from './simulation.ts';
import type { Bound } from './status.ts';

export interface ElectionOptions extends SimulationOptions {
  /** Who notices that a leader is wanted, at time 0; every live node by default. */
  readonly initiators?: readonly number[] | undefined;
}

export interface ElectionOutcome {
  readonly protocol: ProtocolName;
  /** The one live node that leads itself; null when none or several do. */
  readonly leader: number | null;
  /** Whether every live node follows the same live leader. */
  readonly agreed: boolean;
  /** Sends by message type (those to dead nodes too), and `total`. */
  readonly messages: Readonly<Record<string, number>>;
  /** Time of the last delivery, timer or fault. */
  readonly ticks: number;
  readonly bound: Bound;
  readonly verdict: Verdict;
}

/**
 * Runs an election until it rests or `untilTicks` have passed. Same options and seed, same outcome.
 * Throws LabError `arguments` for options that make no election.
 * @example simulateElection({ protocol: 'cr-join', nodes: 8, seed: parseSeed('1') }).leader // 8
 */
export function simulateElection(options: ElectionOptions): ElectionOutcome {
  return runElection(createSimulation(options), options.initiators);
}

/** The same over a simulation that the caller keeps, for its trace. */
export function runElection(
  simulation: Simulation,
  initiators?: readonly number[] | undefined,
): ElectionOutcome {
  simulation.start(initiators);
  const bound = simulation.advance({ until: 'idle' });
  const { protocol, leader, agreed, messages, lastEventTicks, verdict } = simulation.status();
  return { protocol, leader, agreed, messages, ticks: lastEventTicks, bound, verdict };
}
