/**
 * @module
 * Elections among two to six nodes under several drawn schedules at once, long enough for leases to run
 * out, on clocks that are 5 % fast, right or 5 % slow; and what their audit adds up to.
 */

import type { FaultKind } from '../../../src/election/definition/drawn-faults.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { createRandom, deriveSeed, parseSeed } from '../../../src/random.ts';
import { drawSchedule } from '../../../src/simulation/faults/draw.ts';
import type { Schedule, ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { LeadershipMeasures } from '../../../src/simulation/run/audit.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

export interface StormOptions {
  readonly protocol: ProtocolName;
  readonly kinds: readonly FaultKind[];
  readonly flags: Flags;
  readonly detector: Schedule['detector'];
  readonly restart?: boolean;
}

const ELECTION_TICKS = 100;
const CALM_AT = 3000;
const CALM_TICKS = 6000;
/** Maximum number of events. An election sends some hundred messages, so a run with more does not end. */
const EVENTS_MAX = 100_000;

/** Run `number`, with an audit, to its end. */
export function stormRun(number: number, options: StormOptions): Simulation {
  const { protocol, kinds, flags, detector, restart = false } = options;
  const seed = parseSeed(String(number));
  const nodes = 2 + createRandom(seed, 'storm').below(5);
  const profile = {
    nodes,
    kinds,
    electionTicks: ELECTION_TICKS,
    calmAt: CALM_AT,
    calmTicks: CALM_TICKS,
    restart,
    detector,
  };
  const faults = [0, 1, 2, 3].flatMap(
    (part) => drawSchedule(deriveSeed(seed, part), { name: 'swarm', ...profile }).faults,
  );
  const simulation = createSimulation({
    protocol,
    flags,
    nodes,
    seed,
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
    fifo: number % 2 === 0,
    schedule: {
      faults: [
        ...faults.map((fault) => (kinds.includes('amnesia') ? forgetting(fault) : fault)),
        ...drawDrifts(number, nodes),
      ],
      calm: { at: CALM_AT, ticks: CALM_TICKS, restart },
      detector,
    },
    audit: true,
  });
  simulation.start();
  simulation.advance({ until: 'idle', events: EVENTS_MAX });
  return simulation;
}

/** What an audited run adds up to, up to now. */
export function measuresOf(simulation: Simulation): LeadershipMeasures {
  const audit = simulation.audit();
  if (audit === null) throw new TypeError('"simulation" expected an audit, got none');
  return audit.finish(simulation.status().ticks);
}

/** Churn forgets every second time where amnesia is wanted. */
function forgetting(fault: ScheduledFault): ScheduledFault {
  return fault.type === 'churn' ? { ...fault, amnesiaShare: 0.5 } : fault;
}

function drawDrifts(number: number, nodes: number): ScheduledFault[] {
  const random = createRandom(parseSeed(String(number)), 'storm', 'drift');
  return Array.from({ length: nodes }, (_, index): ScheduledFault => {
    return { type: 'skew', rank: index + 1, numerator: 20, denominator: 19 + random.below(3) };
  });
}
