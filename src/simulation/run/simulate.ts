/**
 * @module
 * One whole election: starts it, runs it until it rests, and returns the leader, the messages and the verdict,
 * as JSON. Safety is judged throughout: two live nodes never lead at one moment, and at the end no two follow
 * different leaders. Liveness is judged at the deadline of the calm: every live node follows one live leader.
 * Protocols recover by the reports of a detector (`trust` at a return, a resumption, a healed link) and, if
 * the calm restarts, by one more start; no node repeats what a network has lost.
 */

import type { Truth, Verdict } from '../../election/properties.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { SimulationOptions } from '../plan/plan.ts';
import type { Simulation } from './simulation.ts';
import { createSimulation } from './simulation.ts';
import type { Bound } from './status.ts';

export interface ElectionOptions extends SimulationOptions {
  /** The nodes that start the election at tick 0; by default every live node. */
  readonly initiators?: readonly number[] | undefined;
}

export interface ElectionOutcome {
  readonly protocol: ProtocolName;
  /** The one live node that leads itself; null if none or several do. */
  readonly leader: number | null;
  /** Whether every live node follows the same live leader. */
  readonly agreed: boolean;
  /** Sends by message type, including those to dead nodes, and `total`. */
  readonly messages: Readonly<Record<string, number>>;
  /** Tick of the last delivery, timer or fault. */
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

/** The same with a simulation that the caller keeps, for its trace. */
export function runElection(
  simulation: Simulation,
  initiators?: readonly number[] | undefined,
): ElectionOutcome {
  simulation.start(initiators);
  const bound = simulation.advance({ until: 'idle' });
  const { protocol, leader, agreed, messages, lastEventTicks, verdict } = simulation.status();
  return { protocol, leader, agreed, messages, ticks: lastEventTicks, bound, verdict };
}

/** The result of an election of which only the leader matters. */
export interface Decision {
  /** The leader that all nodes follow and do not change. Null if there is none. */
  readonly leader: number | null;
  readonly messages: number;
}

/**
 * Runs an election in which all nodes start and none fails, until it rests. If `until` is 'decided' and the protocol states
 * `decided`, it ends as soon as its leader is certain. This is examined once in as many events as there are nodes.
 */
export function decideElection(options: SimulationOptions, until: 'idle' | 'decided'): Decision {
  const { nodes, protocol } = options;
  // A loaded protocol of JavaScript may lack the fact.
  const isLookedAt = until === 'decided' && typeof PROTOCOLS[protocol].decided === 'string';
  const simulation = createSimulation(options);
  simulation.start();
  for (;;) {
    const bound = simulation.advance({ until: 'idle', events: isLookedAt ? nodes : undefined });
    const { agreed, leader, messages } = simulation.status();
    if (bound === 'events' && !(agreed && leader === nodes)) continue;
    // The leader of an election that was cut off is not final.
    return { leader: agreed && bound !== 'until' ? leader : null, messages: messages.total ?? 0 };
  }
}

export interface PhasedOutcome extends ElectionOutcome {
  /**
   * One agreed leader; none at rest; several followed at rest; or no rest before the deadline, with
   * or without leaders.
   */
  readonly end: 'leader' | 'no-leader' | 'split' | 'until';
  readonly safety: Truth;
  readonly liveness: Truth;
}

/** Judges an election that ran until it rested, or to the deadline of its calm at the latest. */
export function judgePhases(outcome: ElectionOutcome): PhasedOutcome {
  const { uniqueness, agreement, termination } = outcome.verdict.properties;
  const safety = both(uniqueness.value, agreement.value);
  const liveness = both(termination.value, agreement.value);
  return { ...outcome, end: endOf(outcome), safety, liveness };
}

function endOf({ agreed, bound, verdict }: ElectionOutcome): PhasedOutcome['end'] {
  if (agreed) return 'leader';
  if (bound !== 'idle') return 'until';
  return verdict.properties.agreement.value === 'false' ? 'split' : 'no-leader';
}

function both(one: Truth, other: Truth): Truth {
  if (one === 'false' || other === 'false') return 'false';
  return one === 'unknown' || other === 'unknown' ? 'unknown' : 'true';
}
