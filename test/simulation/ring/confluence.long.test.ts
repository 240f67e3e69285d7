/**
 * @module
 * What links may do to a ring. On FIFO links a one-way ring is a network of deterministic nodes with
 * one input each (Kahn 1974, "The semantics of a simple language for parallel programming"): every
 * schedule sends the same messages and has the same outcome. What the registry says of FIFO is held
 * against links that reorder: where it is not needed the leader remains right, where it is needed a
 * wrong one is found.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { createRandom, parseSeed, shuffled } from '../../../src/random.ts';
import type { ElectionOptions, ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { runElection, simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { IS_WHOLE } from '../../sample.ts';

const FIFO_RUNS = IS_WHOLE ? 1000 : 150;
const REORDERING_RUNS = IS_WHOLE ? 500 : 100;
const JITTER = { type: 'uniform', ticksMin: 1, ticksMax: 50 } as const;
/** Overtakes by more than a round, which is rare with uniform latencies. */
const HEAVY_TAIL = { type: 'exponential', ticksMean: 30 } as const;

/** Rings whose messages travel one way only. */
const ONE_WAY = PROTOCOL_NAMES.filter(
  (name) => PROTOCOLS[name].family === 'ring' && !name.startsWith('hs-'),
);
const FIFO_NEEDED = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].fifo);
/** Votes and stores elect the first node that asks. Other tests cover their links in any order. */
const FIFO_NOT_NEEDED = PROTOCOL_NAMES.filter(
  (name) => !PROTOCOLS[name].fifo && ['bully', 'ring'].includes(PROTOCOLS[name].family),
);

type DrawnRun = ElectionOptions & { readonly initiators: readonly number[] };

/** Run `number`: 1 to 9 nodes in random order, of which a random set starts. */
function drawRun(protocol: ProtocolName, number: number): DrawnRun {
  const seed = parseSeed(String(number));
  const random = createRandom(seed, 'confluence');
  const nodes = 1 + random.below(9);
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  const ring = shuffled(ranks, random);
  const initiators = shuffled(ranks, random).slice(0, 1 + random.below(nodes));
  return { protocol, nodes, ring, initiators, seed };
}

/** The same with all nodes starting. */
function drawFullRun(protocol: ProtocolName, number: number): ElectionOptions {
  return { ...drawRun(protocol, number), initiators: undefined };
}

/** The highest; by prose, the leader of the run without reordering. */
function rightLeader(options: ElectionOptions): number | null {
  const { leader } = simulateElection(options);
  if (options.protocol !== 'peterson-prose') expect(leader).toBe(options.nodes);
  return leader;
}

function comparable({ leader, agreed, bound, messages }: ElectionOutcome): unknown {
  return { leader, agreed, bound, messages };
}

describe('FIFO links', () => {
  it.each(ONE_WAY)('%s: every schedule costs the same and has the same leader', (name) => {
    const delays = new Set<number>();
    for (let number = 0; number < FIFO_RUNS; number += 1) {
      const options = drawRun(name, number);
      const lockstep = simulateElection(options);

      const outcome = simulateElection({ ...options, latency: JITTER, fifo: true });

      expect(comparable(outcome), `run ${number}`).toEqual(comparable(lockstep));
      expect(outcome.agreed, `run ${number}`).toBe(true);
      delays.add(outcome.ticks - lockstep.ticks);
    }
    // The schedules did differ.
    expect(delays.size).toBeGreaterThan(FIFO_RUNS / 10);
  });
});

describe('links that reorder', () => {
  it.each(FIFO_NOT_NEEDED)('%s needs no FIFO: its leader is right in every run', (name) => {
    for (let number = 0; number < REORDERING_RUNS; number += 1) {
      const options = drawFullRun(name, number);
      // Without IDs any node may lead, and the schedule decides which.
      const right = name === 'itai-rodeh' ? expect.any(Number) : rightLeader(options);

      const outcome = simulateElection({ ...options, latency: JITTER, fifo: false });

      expect(outcome, `run ${number}`).toMatchObject({ leader: right, agreed: true });
    }
  });

  it.each(FIFO_NEEDED)(
    '%s needs FIFO: in some run a node follows a wrong leader, or none if it is stated to stop',
    (name) => {
      const stops = PROTOCOLS[name].faults.reorder.expected === 'stop';
      const latency = stops ? HEAVY_TAIL : JITTER;
      const wrong = Array.from({ length: REORDERING_RUNS }, (_, number) => {
        const options = drawFullRun(name, number);
        const right = rightLeader(options);
        const simulation = createSimulation({ ...options, latency, fifo: false });
        runElection(simulation);
        return simulation
          .nodes()
          .some(({ leader }) => (stops ? leader === null : leader !== null && leader !== right));
      });

      expect(wrong).toContain(true);
    },
  );
});
