/**
 * @module
 * The measurement of D. Ongaro and J. Ousterhout (USENIX ATC 2014, section 9.3, figure 16): how long
 * a cluster of five is without a leader after its leader's crash. A tick is 0.1 ms. A broadcast and
 * its answers take about 15 ms: 2.5 to 3 each way, and 10 in which a voter stores its vote. The leader
 * heartbeats at half the minimum time-out and crashes at a uniform moment in between; every log has
 * another length, so that two of the four nodes that are left cannot win.
 */

import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { intercepted } from '../../../src/election/intercepted.ts';
import type { Message, Rank } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { fromRank } from '../../../src/election/world/cast.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { reignsOf } from './raft-runs.ts';

const TICKS_PER_MS = 10;
const WRITE_TICKS = 100;
const LATENCY = { type: 'uniform', ticksMin: 25, ticksMax: 30 } as const;

export interface Timeouts {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Of `count` seeds, ascending; where there was no next leader within `patienceMs`, Infinity. */
export function downtimesMs(count: number, timeouts: Timeouts, patienceMs: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    downtimeMs(index + 1, timeouts, patienceMs),
  ).toSorted((left, right) => left - right);
}

/** From the crash to the next leader. */
function downtimeMs(seed: number, { minMs, maxMs }: Timeouts, patienceMs: number): number {
  const random = createRandom(parseSeed(String(seed)), 'crash');
  const heartbeatTicks = (minMs * TICKS_PER_MS) / 2;
  const simulation = createCluster(seed, { minMs, maxMs });
  simulation.start([5]);
  do {
    const settledTicks = 8 * heartbeatTicks + random.below(heartbeatTicks);
    simulation.advance({ until: simulation.status().ticks + settledTicks });
  } while (!simulation.status().agreed);
  const { leader, ticks: crashAt } = simulation.status();
  simulation.crash(leader ?? 0);
  const before = reignsOf(simulation.records(), 5).length;
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += maxMs) {
    simulation.advance({ until: crashAt + (waitedMs + maxMs) * TICKS_PER_MS });
    const next = reignsOf(simulation.records(), 5)[before];
    if (next !== undefined) return (next.at - crashAt) / TICKS_PER_MS;
  }
  return Number.POSITIVE_INFINITY;
}

function createCluster(seed: number, { minMs, maxMs }: Timeouts): Simulation {
  const electionTicks = minMs * TICKS_PER_MS;
  const flags = {
    electionTicks: String(electionTicks),
    spreadTicks: String((maxMs - minMs) * TICKS_PER_MS + 1),
    heartbeatTicks: String(electionTicks / 2),
  };
  const timing = { latencyTicksMax: LATENCY.ticksMax };
  const machine = PROTOCOLS.raft.create(timing, flags, fromRank);
  return createSimulation(
    {
      protocol: 'raft',
      nodes: 5,
      seed: parseSeed(String(seed)),
      latency: LATENCY,
      flags,
      trace: true,
    },
    () => withDisk(machine),
  );
}

/** A node whose disk takes its time: so long it holds back what it says of its vote. */
function withDisk(machine: AnyMachine): AnyMachine {
  const held = new Map<string, { readonly to: Rank; readonly message: Message }>();
  return {
    init: machine.init,
    step(self, state, event, effects) {
      const vote = event.type === 'timeout' ? held.get(event.timer) : undefined;
      if (vote !== undefined) {
        effects.send(vote.to, vote.message);
        return;
      }
      const taps = intercepted(effects, {
        send(to, message) {
          if (message.type !== 'VOTE_REPLY') {
            effects.send(to, message);
            return;
          }
          const write = `write ${held.size}`;
          held.set(write, { to, message });
          effects.setTimer(write, WRITE_TICKS, false);
        },
      });
      machine.step(self, state, event, taps);
    },
  };
}
