/**
 * @module
 * Traces of elections in foul weather: a drawn schedule, and a network that loses and copies
 * besides.
 */

import type { ProtocolName } from '../../src/election/registry.ts';
import type { TraceRecord } from '../../src/simulation/engine/trace.ts';
import { runElection } from '../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../src/simulation/run/simulation.ts';
import { swarmRun } from './schedules.ts';

/** The records of run `number`, five nodes. */
export function stormRecords(number: number, protocol: ProtocolName): readonly TraceRecord[] {
  const options = swarmRun(number, { protocol });
  const window = { from: 0, to: 200 };
  const faults = [
    ...(options.schedule?.faults ?? []),
    { type: 'loss', share: 0.1, ...window } as const,
    { type: 'duplication', share: 0.3, ...window } as const,
  ];
  const schedule = {
    calm: { at: 200, ticks: 2000, restart: true },
    detector: 'crashes' as const,
    faults,
  };
  const simulation = createSimulation({ ...options, schedule, trace: true });
  runElection(simulation);
  return simulation.records();
}
