/**
 * @module
 * The contract in the simulator. A disturbance happens at the end of its phase of virtual time. The leader that it means is
 * known only then, so that every phase simulates the run from its beginning, with one more part of the schedule.
 */

import { toRank } from '../../../src/election/world/cast.ts';
import { parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { traceEvents } from '../../../src/simulation/trace/events.ts';
import type { Act, Driver, Stage } from './driver.ts';
import { agreedOn } from './driver.ts';
import { FORGED_NAME, forgedMessages } from './forged.ts';
import type { ContractProtocol, Scenario } from './scenarios.ts';
import { JOINER, NODES } from './scenarios.ts';

/** Longer than any election, and than an agreement must last. */
const PHASE_TICKS = 1_500;
const LATENCY = { type: 'uniform', ticksMin: 1, ticksMax: 5 } as const;

/** With this seed. */
export function simulatorOf(seed: number): Driver {
  return {
    name: 'simulator',
    noticesSilence: true,
    begin: async (scenario, protocol) => new SimulatedStage(scenario, protocol, seed),
  };
}

interface Timed {
  readonly at: number;
  readonly act: Act;
}

class SimulatedStage implements Stage {
  readonly #scenario: Scenario;
  readonly #protocol: ContractProtocol;
  readonly #seed: number;
  readonly #acts: Timed[];
  /** The first tick of the present phase. */
  #now = 0;

  constructor(scenario: Scenario, protocol: ContractProtocol, seed: number) {
    this.#scenario = scenario;
    this.#protocol = protocol;
    this.#seed = seed;
    const all = Array.from({ length: NODES }, (_, index) => index + 1);
    const late = all.filter((node) => !scenario.starts.includes(node));
    this.#acts = late.map((node) => ({ at: 0, act: { type: 'kill', node } }));
  }

  async act(act: Act): Promise<void> {
    this.#acts.push({ at: this.#now, act });
  }

  async rest(inReach: readonly number[]) {
    this.#now += PHASE_TICKS;
    const simulation = this.#simulated();
    const epochs = epochsIn(simulation);
    const following = simulation
      .nodes()
      .filter(({ rank }) => inReach.includes(rank))
      .map(({ rank, leader }) => ({ node: rank, leader, epoch: epochs.get(rank) ?? 0 }));
    return [agreedOn(following)];
  }

  async close(): Promise<void> {}

  #simulated(): Simulation {
    const joins = this.#scenario.steps.findIndex(({ disturbances }) =>
      disturbances.some(({ type }) => type === 'join'),
    );
    const simulation = createSimulation({
      protocol: this.#protocol,
      ...{ nodes: joins < 0 ? NODES : JOINER, ring: 'by-id', latency: LATENCY, trace: true },
      seed: parseSeed(String(this.#seed)),
      level: this.#scenario.isAuthenticated ? 'L3' : undefined,
      schedule: {
        faults: [
          ...this.#acts.flatMap((timed) => faultOf(timed, this.#acts)),
          // It is absent before, so that the whole run must know of it.
          ...(joins < 0
            ? []
            : [{ type: 'join', rank: JOINER, at: (joins + 1) * PHASE_TICKS } as const]),
        ],
        ...{ calm: null, detector: 'links' },
      },
      untilTicks: this.#now,
    });
    simulation.start();
    for (const { at, act } of this.#acts) {
      if (act.type !== 'forge') continue;
      simulation.advance({ until: at });
      forge(simulation, this.#protocol);
    }
    simulation.advance({ until: this.#now - 1 });
    return simulation;
  }
}

/** The part of a schedule. What lasts ends with the act that ends it, or never. */
function faultOf({ at, act }: Timed, acts: readonly Timed[]): readonly ScheduledFault[] {
  const until = (type: Act['type']) => acts.find((each) => each.act.type === type)?.at ?? null;
  switch (act.type) {
    case 'kill':
      return [{ type: 'crash', rank: act.node, at }];
    case 'return':
      return [{ type: 'restart', rank: act.node, at: at + 1, amnesia: act.amnesia }];
    case 'pause':
      return [{ type: 'pause', rank: act.node, from: at, to: until('resume') ?? at + FOREVER }];
    case 'isolate': {
      const cut = { kind: 'isolate', rank: act.node } as const;
      return [{ type: 'partition', cut, from: at, to: until('heal') }];
    }
    case 'duplicate':
      return [{ type: 'duplication', share: 1, from: at, to: null }];
    case 'resume':
    case 'heal':
    case 'join':
    case 'forge':
      return [];
    default:
      return act satisfies never;
  }
}

const FOREVER = 1_000_000;

function forge(simulation: Simulation, protocol: ContractProtocol): void {
  for (const message of forgedMessages(protocol, toRank(FORGED_NAME))) {
    for (let to = 1; to <= NODES; to += 1) {
      if (to !== FORGED_NAME) simulation.inject(FORGED_NAME, [{ type: 'send', to, message }]);
    }
  }
}

/** The epoch in which each node elected last. */
function epochsIn(simulation: Simulation): ReadonlyMap<number, number> {
  const epochs = new Map<number, number>();
  for (const { node, record } of traceEvents(simulation.records())) {
    for (const effect of record.effects) {
      if (node !== null && effect.type === 'elect') epochs.set(node, effect.epoch);
    }
  }
  return epochs;
}
