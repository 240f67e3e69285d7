/**
 * @module
 * Elections with Byzantine nodes for tests: the outcome for the honest nodes at each level.
 */

import type { Level } from '../../../src/election/authentication/authenticated.ts';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import type { DetectorSpec } from '../../../src/election/detectors/registry.ts';
import { parseDetector } from '../../../src/election/detectors/registry.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { LeadershipMeasures } from '../../../src/simulation/run/audit.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { scheduleOf } from '../../simulation/schedules.ts';

/** A Byzantine election among five, at L0, whose leaders are on record. */
export function byzantineElection(
  protocol: ProtocolName,
  byzantine: NonNullable<SimulationOptions['byzantine']>,
  more: Partial<SimulationOptions> = {},
): SimulationOptions {
  return {
    ...{ protocol, nodes: 5, seed: parseSeed('1'), level: 'L0', byzantine, audit: true },
    ...more,
  };
}

export function runUntil(options: SimulationOptions, ticks: number): Simulation {
  const simulation = createSimulation(options);
  simulation.start();
  simulation.advance({ until: ticks });
  return simulation;
}

export function measuresAt(simulation: Simulation, ticks: number): LeadershipMeasures {
  const measures = simulation.audit()?.finish(ticks);
  if (measures === undefined) throw new TypeError('"audit" expected one, got none');
  return measures;
}

/**
 * The leader of the honest live nodes: the rank of a live node that all of them follow, `none` if none
 * follows a live one, else `split`.
 */
export function outcomeOf(simulation: Simulation): string {
  const byzantineRanks = simulation.plan.byzantine.map(({ rank }) => rank);
  const nodes = simulation.nodes();
  const isUp = (rank: number | null) => rank !== null && nodes[rank - 1]?.up === true;
  const followed = nodes
    .filter(({ rank, up }) => up && !byzantineRanks.includes(rank))
    .map(({ leader }) => (isUp(leader) ? String(leader) : 'none'));
  const [first = 'none'] = followed;
  return followed.every((each) => each === first) ? first : 'split';
}

/** The outcome at each level, L0 first. */
export function outcomesByLevel(options: SimulationOptions, ticks: number): string[] {
  return LEVELS.map((level: Level) => outcomeOf(runUntil({ ...options, level }, ticks)));
}

/** An outcome that no level changes. */
export function always(outcome: string): string[] {
  return LEVELS.map(() => outcome);
}

/** Detectors on the nodes, by text. */
export function detector(text: string): { readonly detector: DetectorSpec } {
  return { detector: parseDetector(text) };
}

export function faults(...scheduled: readonly ScheduledFault[]) {
  return { schedule: scheduleOf(...scheduled) };
}

export function crash(rank: number, at: number): ScheduledFault {
  return { type: 'crash', rank, at };
}

/** Nothing passes between the two from the beginning. */
export function cutLink(one: number, other: number): ScheduledFault {
  return { type: 'partition', cut: { kind: 'links', links: [[one, other]] }, from: 0, to: null };
}
