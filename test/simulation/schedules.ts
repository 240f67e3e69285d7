/**
 * @module
 * Elections under drawn schedules, as data, and probes that show what a network does to messages.
 */

import type { FaultKind } from '../../src/election/definition/drawn-faults.ts';
import { FAULT_KINDS } from '../../src/election/definition/drawn-faults.ts';
import type { AnyMachine } from '../../src/election/definition/protocol.ts';
import type { Json, Rank } from '../../src/election/machine.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { toRank } from '../../src/election/world/cast.ts';
import { parseSeed } from '../../src/random.ts';
import { drawSchedule } from '../../src/simulation/faults/draw.ts';
import type { Schedule, ScheduledFault } from '../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../src/simulation/run/simulation.ts';
import { SEED } from './ring/rings.ts';

export interface SwarmRunOptions {
  readonly protocol: ProtocolName;
  readonly kinds?: readonly FaultKind[];
  readonly detector?: Schedule['detector'];
  readonly restart?: boolean;
  /** Default: 200. Drawn elections last a tenth of it. */
  readonly calmAt?: number;
}

/** Run `number` of a protocol at n = 5, half of them on FIFO links. */
export function swarmRun(number: number, options: SwarmRunOptions): SimulationOptions {
  const seed = parseSeed(String(number));
  const { calmAt = 200 } = options;
  const schedule = drawSchedule(seed, {
    name: 'swarm',
    nodes: 5,
    kinds: options.kinds ?? FAULT_KINDS,
    electionTicks: calmAt / 10,
    calmAt,
    calmTicks: 2000,
    restart: options.restart ?? false,
    detector: options.detector ?? 'crashes',
  });
  return {
    protocol: options.protocol,
    nodes: 5,
    seed,
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
    fifo: number % 2 === 0,
    schedule,
  };
}

export function scheduleOf(...faults: readonly ScheduledFault[]): Schedule {
  return { faults, calm: null, detector: 'crashes' };
}

/** Node 1 sends `count` numbered messages to every other node when it starts; the others send nothing. */
export function talker(count: number): AnyMachine {
  return {
    init: () => null,
    step(self, _state, event, effects) {
      if (event.type !== 'start' || self.rank !== toRank(1)) return;
      for (let number = 0; number < count; number += 1) {
        for (const to of self.members) {
          if (to !== self.rank) effects.send(to, message(number));
        }
      }
    },
  };
}

function message(number: number): { readonly type: string; readonly number: number } {
  return { type: 'SAY', number };
}

/** A machine that only remembers what it was told, in its state. */
export function listener(): AnyMachine {
  return {
    init: () => [],
    step(self, state, event, effects) {
      const heard = state as Json[]; // This machine's own state.
      heard.push(event.type === 'timeout' ? `timeout ${event.timer}` : event.type);
      if (event.type === 'start') {
        effects.setTimer('ten', 10, false);
        effects.persist(`of ${self.rank}`);
        effects.send(next(self.members, self.rank), { type: 'HELLO' });
      }
      if (event.type === 'recover') heard.push(event.persisted);
    },
  };
}

function next(members: readonly Rank[], rank: Rank): Rank {
  return members[(members.indexOf(rank) + 1) % members.length] ?? rank;
}

/** The ended election of three nodes that all run this machine. */
export function run(
  machine: AnyMachine,
  schedule: Schedule,
  options: Partial<SimulationOptions> = {},
): Simulation {
  const simulation = createSimulation(
    { protocol: 'bully-oneshot', nodes: 3, seed: SEED, trace: true, schedule, ...options },
    () => machine,
  );
  simulation.start();
  simulation.advance({ until: 'idle' });
  return simulation;
}
