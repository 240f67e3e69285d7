/**
 * @module
 * Plays out an election of a guide with the simulator of the lab. It gives the events that the server would give for
 * the same request and the same actions.
 */

import type { OutsideEffect as SimulatedEffect } from '../../../src/election/world/outside.ts';
import { LabError } from '../../../src/errors.ts';
import { parseSeed } from '../../../src/random.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import type { Scenario } from '../../../src/simulation/scenarios/scenario.ts';
import { ZOMBIE_FENCED, ZOMBIE_UNFENCED } from '../../../src/simulation/scenarios/stale-leaders.ts';
import { eventLine, located } from '../../../src/simulation/trace/event-line.ts';
import { traceEvents } from '../../../src/simulation/trace/events.ts';
import type { ElectionEvent } from '../elections/timeline/timeline.ts';
import type { GuideAction, GuideElection } from './guide.ts';
import type { FirstNodes } from './moments.ts';

/** A moment that can be reached by actions alone. An action with several events has few of them. */
export interface Stop {
  /** Number of events so far. */
  readonly events: number;
  /** Index of the last action; -1 before the first. */
  readonly action: number;
  /** What this advance may carry out; null for the whole action. A delivery to a paused node counts, but is no event. */
  readonly most: number | null;
}

/** An election of a guide from its first event to its last. */
export interface PlayedElection {
  readonly events: readonly ElectionEvent[];
  /** The moments at which the server can stop, too. */
  readonly stops: readonly Stop[];
  readonly protocol: string;
  /** The ranks, clockwise. */
  readonly ring: readonly number[];
  readonly nodes: FirstNodes;
}

/** Plays out all actions of an election. Throws LabError `arguments` if one is not possible. */
export function playOut(election: GuideElection): PlayedElection {
  const options = optionsOf(election);
  const simulation = createSimulation({ ...options, trace: true });
  const later = election.actions.flatMap((action, index) => [
    ...carryOut(simulation, action).map((stop) => ({ ...stop, action: index })),
    { events: simulation.events(), action: index, most: null },
  ]);
  const { plan } = simulation;
  const refusals = simulation.takeRefusals();
  const events = [...traceEvents(simulation.records())].map((event) =>
    eventLine('guide', located(event), refusals.get(event.record.seq)),
  );
  return {
    // The views read events in the form of the API, which is JSON: members that are undefined are left out.
    events: JSON.parse(JSON.stringify(events)) as ElectionEvent[],
    stops: [{ events: 0, action: -1, most: null }, ...later],
    protocol: plan.protocol,
    ring: plan.ring,
    nodes: { ranks: plan.nodes, down: options.crashedBefore ?? [] },
  };
}

const SCENARIOS: readonly Scenario[] = [ZOMBIE_UNFENCED, ZOMBIE_FENCED];

function optionsOf({ request, joins }: GuideElection): SimulationOptions {
  const { scenario, protocol, nodes, level, ring, byzantine, crash } = request;
  const seed = parseSeed(request.seed);
  if (scenario !== undefined) {
    const setting = { nodes: Number(nodes), seed };
    const staged = SCENARIOS.find(({ name }) => name === scenario.name)?.stage(setting);
    const run = staged?.find(({ name }) => name === scenario.run);
    if (run === undefined) throw new LabError('not_found', `no run ${scenario.run} in a guide`);
    return run.options;
  }
  if (protocol === undefined) throw new LabError('schema', 'a guide names its protocol');
  const honest = Number(nodes);
  const crashed = (Array.isArray(crash) ? crash : []).map(({ rank }) => Number(rank));
  return {
    protocol,
    seed,
    level,
    ring,
    byzantine,
    crashedBefore: crashed,
    ...(joins === null
      ? { nodes: honest }
      : { nodes: honest + 1, outside: [{ rank: honest + 1, waits: false }] }),
  };
}

/** Carries out an action. Returns the stops within it. */
function carryOut(simulation: Simulation, action: GuideAction): Omit<Stop, 'action'>[] {
  if (action.type === 'start') simulation.start(action.nodes);
  else if (action.type === 'outbox') {
    const effects = action.effects.flatMap((effect): readonly SimulatedEffect[] =>
      effect.type === 'send' ? effect.to.map((to) => ({ ...effect, to })) : [effect],
    );
    simulation.inject(simulation.plan.nodes, effects);
  } else {
    const stops: Omit<Stop, 'action'>[] = [];
    while (simulation.advance({ until: action.until, events: 1 }) === 'events') {
      stops.push({ events: simulation.events(), most: stops.length + 1 });
    }
    return stops;
  }
  return [];
}
