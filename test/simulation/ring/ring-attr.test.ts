/**
 * @module
 * The ring election by attribute: its costs, the elected node, and the effect of a false attribute.
 * Convention: a message is one send, rings are counted up to rotation, ELECTED is counted in.
 */

import { describe, expect, it } from 'vitest';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { createRingAttribute } from '../../../src/election/ring/ring-attr.ts';
import { fromRank } from '../../../src/election/world/cast.ts';
import type { ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { runElection, simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { allRings, allStartSets, SEED } from './rings.ts';

/** `attributes` by rank, index rank − 1. */
function electBy(
  attributes: readonly number[],
  ring: readonly number[],
  initiators?: readonly number[],
): ElectionOutcome {
  const machine: AnyMachine = createRingAttribute(
    { latencyTicksMax: 1 },
    (rank) => attributes[fromRank(rank) - 1] ?? 0,
  );
  const simulation = createSimulation(
    { protocol: 'ring-attr', nodes: ring.length, ring, seed: SEED },
    () => machine,
  );
  return runElection(simulation, initiators);
}

describe('one initiator d places before the best', () => {
  it.each([1, 2, 3, 4, 5, 6])('%i nodes: 2n + d messages, 2n to 3n − 1', (nodes) => {
    for (const ring of allRings(nodes)) {
      for (const initiator of ring) {
        const distance = (nodes - ring.indexOf(initiator)) % nodes;

        const outcome = simulateElection({
          protocol: 'ring-attr',
          nodes,
          ring,
          initiators: [initiator],
          seed: SEED,
        });

        expect(outcome.messages, `${ring} from ${initiator}`).toEqual({
          ELECTION: nodes + distance,
          ELECTED: nodes,
          total: 2 * nodes + distance,
        });
        expect(outcome.ticks).toBe(2 * nodes + distance);
        expect(outcome.verdict.value).toBe('true');
      }
    }
  });
});

describe('several initiators', () => {
  it.each([2, 3, 4, 5])(
    '%i nodes: any set elects the highest, and nothing is repeated',
    (nodes) => {
      for (const ring of allRings(nodes)) {
        for (const initiators of allStartSets(nodes)) {
          const outcome = simulateElection({
            protocol: 'ring-attr',
            nodes,
            ring,
            initiators,
            seed: SEED,
          });

          expect(outcome.leader, `${ring} from ${initiators}`).toBe(nodes);
          expect(outcome.agreed).toBe(true);
          expect(outcome.messages.ELECTED).toBeLessThanOrEqual(nodes * initiators.length);
          expect(outcome.ticks).toBeLessThanOrEqual(3 * nodes - 1);
        }
      }
    },
  );
});

describe('attributes', () => {
  it('come before ranks', () => {
    for (const ring of allRings(5)) {
      const outcome = electBy([7, 9, 1, 3, 8], ring, [4]);

      expect(outcome.leader).toBe(2);
      expect(outcome.agreed).toBe(true);
    }
  });

  it('that are equal leave it to the rank', () => {
    for (const ring of allRings(5)) expect(electBy([2, 5, 5, 5, 1], ring).leader).toBe(4);
  });

  it('are whatever their owner says: one lie wins', () => {
    expect(electBy([1, 1, 1, 1], [1, 2, 3, 4]).leader).toBe(4);
    expect(electBy([2, 1, 1, 1], [1, 2, 3, 4]).leader).toBe(1);
  });
});

describe('a run without an end', () => {
  it('is repeated three times, then given up until a node returns', () => {
    const simulation = createSimulation({
      protocol: 'ring-attr',
      nodes: 3,
      ring: 'by-id',
      faults: [{ type: 'crash', rank: 2, at: 1 }],
      seed: SEED,
    });
    const stuck = runElection(simulation, [1]);

    expect(stuck.bound).toBe('idle');
    expect(stuck.leader).toBeNull();
    expect(stuck.messages.ELECTION).toBe(4);

    simulation.recover(2);
    simulation.advance({ until: 'idle' });

    expect(simulation.status().leader).toBe(3);
    expect(simulation.status().agreed).toBe(true);
  });
});
