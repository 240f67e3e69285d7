/**
 * @module
 * Messages per second of the simulator. The yardstick is the same Chang–Roberts election written out
 * as one loop: no machines, no crashes, no timers, no trace. What is between them is the price of the
 * contract; PeerSim (Java) did 2.6–3.3 M messages/s of this work on a machine of two cores, and 1.43 times as
 * many as the simulator in a later paired run (4.38 and 3.07 M messages/s).
 */

import { parseDetector } from '../src/election/detectors/registry.ts';
import { createRandom, parseSeed, shuffled } from '../src/random.ts';
import type { ElectionOptions } from '../src/simulation/run/simulate.ts';
import { runElection, simulateElection } from '../src/simulation/run/simulate.ts';
import type { Simulation } from '../src/simulation/run/simulation.ts';
import { createSimulation } from '../src/simulation/run/simulation.ts';

import type { Subject, Suite, Yardstick } from './measure.ts';
import { yardstickOf } from './measure.ts';

const SEED = parseSeed('1');
const LATENCY = { type: 'uniform', ticksMin: 10, ticksMax: 50 } as const;
const RING_NODES = 200_000;
const SIGNED_ELECTIONS_PER_CALL = 100;
const SMALL_ELECTIONS_PER_CALL = 10_000;

export function simulationSuite(): Suite {
  const loop = bareLoop();
  return {
    subjects: [
      election('cr-join, 200 000 nodes, random order, uniform 10–50, FIFO', loop, {
        protocol: 'cr-join',
        nodes: RING_NODES,
        latency: LATENCY,
        seed: SEED,
      }),
      election('bully-oneshot, 2 000 nodes, lowest detects, uniform 10–50, FIFO', null, {
        protocol: 'bully-oneshot',
        nodes: 2_000,
        latency: LATENCY,
        crashedBefore: [2_000],
        initiators: [1],
        seed: SEED,
      }),
      election('raft, 1 000 nodes, uniform 10–50, FIFO', null, {
        protocol: 'raft',
        nodes: 1_000,
        latency: LATENCY,
        seed: SEED,
      }),
      signedBeats(),
      smallElections('cr-join'),
      smallElections('bully-oneshot'),
    ],
    rounds: 5,
    sliceMs: 1000,
    notes: [],
  };
}

/** Counts messages sent, all of which arrive; making the nodes is off the clock. */
function election(name: string, yardstick: Yardstick | null, options: ElectionOptions): Subject {
  const outcome = simulateElection(options);
  if (!outcome.agreed) throw new Error(`${name}: no node was elected`);
  let simulation: Simulation | null = null;
  const prepare = () => {
    simulation = createSimulation(options);
  };
  const call = () => {
    if (simulation === null) throw new Error(`${name}: nothing was prepared`);
    runElection(simulation, options.initiators);
  };
  const unitsPerCall = outcome.messages.total ?? 0;
  return { name, unit: 'messages', unitsPerCall, clock: 'cpu', prepare, call, yardstick };
}

/** Beats under signatures and numbers, the last signed ones later and later. Counts messages. */
function signedBeats(): Subject {
  const options: ElectionOptions = {
    ...{ protocol: 'bully-oneshot', nodes: 5, level: 'L3', seed: SEED, untilTicks: 1400 },
    detector: parseDetector('fd-heartbeat'),
    byzantine: [{ rank: 5, behaviours: ['slow-drip'] }],
  };
  const call = () => {
    for (let count = 0; count < SIGNED_ELECTIONS_PER_CALL; count += 1) simulateElection(options);
  };
  const unitsPerCall = SIGNED_ELECTIONS_PER_CALL * (simulateElection(options).messages.total ?? 0);
  const name = 'bully-oneshot, 5 nodes, L3, fd-heartbeat, slow-drip';
  return { name, unit: 'messages', unitsPerCall, clock: 'cpu', call, yardstick: null };
}

/** Whole elections as a threat model holds them, making and judging included. */
function smallElections(protocol: ElectionOptions['protocol']): Subject {
  const name = `${protocol}, 17 nodes, latency 1, from nothing to verdict`;
  const call = () => {
    for (let count = 0; count < SMALL_ELECTIONS_PER_CALL; count += 1) {
      simulateElection({ protocol, nodes: 17, seed: SEED });
    }
  };
  const unitsPerCall = SMALL_ELECTIONS_PER_CALL;
  return { name, unit: 'elections', unitsPerCall, clock: 'cpu', call, yardstick: null };
}

function bareLoop(): Yardstick {
  const ring = shuffled(
    Array.from({ length: RING_NODES }, (_, index) => index + 1),
    createRandom(SEED, 'ring'),
  );
  const call = () => electBare(ring);
  const unitsPerCall = electBare(ring);
  const name = 'the same in one bare loop';
  const loop = { name, unit: 'messages', unitsPerCall, clock: 'cpu', call } as const;
  return { ...yardstickOf(loop), isBound: true };
}

/** What the loop carries: `rank` as candidate, or as leader once `selected`. */
interface Token {
  readonly selected: boolean;
  readonly rank: number;
}

/** All nodes start, none fails, links are FIFO. Returns the number of messages. */
function electBare(ring: readonly number[]): number {
  const random = createRandom(SEED, 'latency');
  const arrivals = new Float64Array(ring.length);
  const leaders = new Int32Array(ring.length);
  const slots = Array.from({ length: 64 }, () => ({
    tos: [] as number[], // Empty literals have no type of their own.
    tokens: [] as Token[],
    count: 0,
  }));
  let sent = 0;
  let delivered = 0;
  let now = 0;
  const send = (node: number, token: Token) => {
    const at = Math.max(now + LATENCY.ticksMin + random.below(41), arrivals[node] ?? 0);
    arrivals[node] = at;
    const slot = slots[at & 63];
    if (slot === undefined) throw new RangeError(`"at" expected a tick, got ${at}`);
    slot.tos[slot.count] = node + 1 === ring.length ? 0 : node + 1;
    slot.tokens[slot.count] = token;
    slot.count += 1;
    sent += 1;
  };
  for (const [node, rank] of ring.entries()) send(node, { selected: false, rank });
  for (; delivered < sent; now += 1) {
    const slot = slots[now & 63];
    const due = slot?.count ?? 0;
    for (let index = 0; index < due; index += 1) {
      const node = slot?.tos[index] ?? 0;
      const token = slot?.tokens[index] ?? { selected: true, rank: 0 };
      const own = ring[node] ?? 0;
      if (token.selected || token.rank === own) leaders[node] = token.rank;
      if (token.rank > own || (token.selected && token.rank !== own)) send(node, token);
      else if (!token.selected && token.rank === own) send(node, { selected: true, rank: own });
    }
    if (slot !== undefined) slot.count = 0;
    delivered += due;
  }
  return sent;
}
