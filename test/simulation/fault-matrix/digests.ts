/**
 * @module
 * The runs of every protocol under drawn faults, and one digest of all their traces: a process that
 * makes the same runs comes to the same digest.
 */

import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { traceDigest } from '../../../src/simulation/engine/trace.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import type { Bound } from '../../../src/simulation/run/status.ts';
import { swarmRun } from '../schedules.ts';

import { flagsOf } from './columns.ts';

/** Five nodes have some 100 events; a run with more multiplies without end. */
const EVENTS_MAX = 20_000;

/** Run `number` of a protocol: with either detector, and every third one started again by the calm. */
export function drawnRun(protocol: ProtocolName, number: number): SimulationOptions {
  const detector = number % 4 < 2 ? 'crashes' : 'links';
  const run = swarmRun(number, { protocol, detector, restart: number % 3 === 0 });
  return { ...run, flags: flagsOf(protocol) };
}

/** The same, but that no disk forgets and the members are always the same. */
export function rememberingRun(protocol: ProtocolName, number: number): SimulationOptions {
  const detector = number % 4 < 2 ? 'crashes' : 'links';
  const kinds = FAULT_KINDS.filter((kind) => kind !== 'amnesia' && kind !== 'join');
  const run = swarmRun(number, { protocol, detector, restart: number % 3 === 0, kinds });
  return { ...run, flags: flagsOf(protocol) };
}

export function runTraced(options: SimulationOptions): {
  readonly simulation: Simulation;
  readonly bound: Bound;
} {
  const simulation = createSimulation({ ...options, trace: true });
  simulation.start();
  return { simulation, bound: simulation.advance({ until: 'idle', events: EVENTS_MAX }) };
}

/** One digest of the traces of runs 0..runs−1. */
export function digestOfRuns(protocol: ProtocolName, runs: number): string {
  return traceDigest(allLines(protocol, runs));
}

function* allLines(protocol: ProtocolName, runs: number): Generator<string, void, undefined> {
  for (let number = 0; number < runs; number += 1) {
    yield* runTraced(drawnRun(protocol, number)).simulation.traceLines();
  }
}
