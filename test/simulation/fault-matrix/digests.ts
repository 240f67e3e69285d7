/**
 * @module
 * The runs of every protocol under drawn faults, and one digest of all their traces: a process that
 * makes the same runs comes to the same digest.
 */

import type { AlgorithmName } from '../../../src/election/registry.ts';
import type { SimulationOptions } from '../../../src/simulation/options.ts';
import type { Simulation } from '../../../src/simulation/simulation.ts';
import type { Bound } from '../../../src/simulation/status.ts';
import { createSimulation } from '../../../src/simulation/simulation.ts';
import { traceDigest } from '../../../src/simulation/trace.ts';
import { swarmRun } from '../schedules.ts';

/** Five nodes have some 100 events; what has had so many multiplies without end. */
const EVENTS_MAX = 20_000;

/** Run `number` of a protocol: with either detector, and every third one started again by the calm. */
export function drawnRun(algorithm: AlgorithmName, number: number): SimulationOptions {
  const detector = number % 4 < 2 ? 'crashes' : 'links';
  return swarmRun(number, { algorithm, detector, restart: number % 3 === 0 });
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
export function digestOfRuns(algorithm: AlgorithmName, runs: number): string {
  return traceDigest(allLines(algorithm, runs));
}

function* allLines(algorithm: AlgorithmName, runs: number): Generator<string, void, undefined> {
  for (let number = 0; number < runs; number += 1) {
    yield* runTraced(drawnRun(algorithm, number)).simulation.traceLines();
  }
}
