/**
 * @module
 * Elections by lease as tests need them: three nodes, one store, and an audit of who led when.
 */

import type { Flags } from '../../../src/election/definition/flags.ts';
import type { Cast } from '../../../src/election/world/cast.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Latency } from '../../../src/simulation/faults/latency.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { LeadershipChange, LeadershipMeasures } from '../../../src/simulation/run/audit.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { scheduleOf } from '../schedules.ts';

export interface LeaseRun {
  readonly faults?: readonly ScheduledFault[];
  readonly flags?: Flags;
  readonly latency?: Latency;
}

/** Leases of 200 ticks where the flags do not say otherwise, latencies of 1 to 9. */
export function leaseElection(
  protocol: 'db-lease' | 'lease-local' | 'redlock',
  seed: number,
  { faults = [], flags = {}, latency }: LeaseRun = {},
): SimulationOptions {
  return {
    protocol,
    nodes: 3,
    flags: { leaseTicks: '200', ...flags },
    seed: parseSeed(String(seed)),
    latency: latency ?? { type: 'uniform', ticksMin: 1, ticksMax: 9 },
    schedule: scheduleOf(...faults),
    audit: true,
  };
}

/** Who leads then. */
export function holderAt(
  options: SimulationOptions,
  ticks: number,
  machineOf?: Cast['machineOf'],
): number {
  const { leader } = runUntil(options, ticks, machineOf).status();
  if (leader === null) throw new RangeError(`"leader" expected one at ${ticks}, got none`);
  return leader;
}

export function trailOf(options: SimulationOptions, ticks: number): readonly LeadershipChange[] {
  return runUntil(options, ticks).audit()?.trail() ?? [];
}

export function measuresOf(
  options: SimulationOptions,
  ticks: number,
  machineOf?: Cast['machineOf'],
): LeadershipMeasures {
  const simulation = runUntil({ ...options, audit: true }, ticks, machineOf);
  const measures = simulation.audit()?.finish(ticks);
  if (measures === undefined) throw new TypeError('"audit" expected one, got none');
  return measures;
}

function runUntil(
  options: SimulationOptions,
  ticks: number,
  machineOf?: Cast['machineOf'],
): Simulation {
  const simulation = createSimulation(options, machineOf);
  simulation.start();
  simulation.advance({ until: ticks });
  return simulation;
}
