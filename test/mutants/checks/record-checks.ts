/**
 * @module
 * Checks of what is kept of a run: the file that repeats it, the schedule that is shrunk to what
 * matters, the clocks that say what happened before what.
 */

import { traceDigest } from '../../../src/simulation/engine/trace.ts';
import type { Schedule, ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { shrinkSchedule } from '../../../src/simulation/faults/shrink.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { loadRun, saveRun } from '../../../src/simulation/report/saved-run.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import type { VectorClock } from '../../../src/simulation/trace/vector-clocks.ts';
import { vectorClocks } from '../../../src/simulation/trace/vector-clocks.ts';
import { scheduleOf, swarmRun } from '../../simulation/schedules.ts';
import type { Check } from './check.ts';
import { complainUnlessSame, firstComplaint, upTo } from './check.ts';

export const RECORD_CHECKS = {
  'a saved run is the same run': savedRunIsSame,
  'a shrunk schedule is minimal': shrunkIsMinimal,
  'a delivery happened after its sending': deliveryHappenedAfter,
} satisfies Record<string, Check>;

function traced(options: SimulationOptions): Simulation {
  const simulation = createSimulation({ ...options, trace: true });
  runElection(simulation);
  return simulation;
}

function savedRunIsSame(): string | null {
  return firstComplaint(upTo(20), (number) => {
    const links = { type: 'seeded', factorMax: 3 } as const;
    const first = traced({ ...swarmRun(number, { protocol: 'cr-join' }), links });
    const digest = traceDigest(first.traceLines());
    const loaded = loadRun(saveRun(first.plan, { initiators: null, digest }));
    const again = traced(loaded.options);
    return complainUnlessSame(`run ${number}`, traceDigest(again.traceLines()), loaded.digest);
  });
}

/** A run that fails when two of four faults are there, wherever they stand. */
function shrunkIsMinimal(): string | null {
  const crashes = upTo(4).map((rank): ScheduledFault => ({ type: 'crash', rank, at: rank }));
  const pairs = [
    [1, 2],
    [1, 4],
    [2, 3],
    [3, 4],
  ];
  return firstComplaint(pairs, (pair) => {
    const has = ({ faults }: Schedule, rank: number) =>
      faults.some((fault) => 'rank' in fault && fault.rank === rank);
    const { schedule } = shrinkSchedule(scheduleOf(...crashes), (candidate) =>
      pair.every((rank) => has(candidate, rank)),
    );
    const left = schedule.faults.map((fault) => ('rank' in fault ? fault.rank : 0));
    return complainUnlessSame('left of four', left, pair);
  });
}

/** A delivery comes after the sending of its message in every component of the clocks. */
function deliveryHappenedAfter(): string | null {
  return firstComplaint(upTo(20), (number) => {
    const { records } = traced(swarmRun(number, { protocol: 'bully-oneshot' }));
    const sent = new Map<number, VectorClock>();
    return firstComplaint(vectorClocks(records(), 5), ({ flight, made, node, clock, record }) => {
      for (const { id } of made) sent.set(id, clock);
      const before = flight === null || node === null ? undefined : sent.get(flight.id);
      if (before === undefined) return null;
      const isAfter = Array.from(before).every((count, index) => count <= (clock[index] ?? 0));
      return isAfter ? null : `run ${number}, action ${record.seq} does not know of its sending`;
    });
  });
}
