/**
 * @module
 * What the rings cost whose messages go round whole laps (Le Lann; the collected list; the maximum).
 * Convention: a message is one send, a hop is a message, rings are counted up to rotation, n is the
 * number of live nodes, announcements are listed apart.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import type { ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { runElection, simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { allRings, allStartSets, SEED, sum } from './rings.ts';

const SIZES = [1, 2, 3, 4, 5];

function elect(
  protocol: ProtocolName,
  ring: readonly number[],
  initiators?: readonly number[],
): ElectionOutcome {
  return simulateElection({ protocol, nodes: ring.length, ring, initiators, seed: SEED });
}

/** Every ring of n nodes with every non-empty set that starts. */
function allElections(
  nodes: number,
): { readonly ring: readonly number[]; readonly initiators: readonly number[] }[] {
  return allRings(nodes).flatMap((ring) =>
    allStartSets(nodes).map((initiators) => ({ ring, initiators })),
  );
}

describe('ring-lelann', () => {
  it.each(SIZES)(
    '%i nodes: n² ELECT on every ring, with any initiators, and all agree',
    (nodes) => {
      for (const { ring, initiators } of allElections(nodes)) {
        const outcome = elect('ring-lelann', ring, initiators);

        expect(outcome.messages, `${ring} from ${initiators}`).toEqual({
          ELECT: nodes ** 2,
          total: nodes ** 2,
        });
        expect(outcome.leader).toBe(nodes);
        expect(outcome.verdict.value).toBe('true');
      }
    },
  );

  it('takes n ticks of unit delay when all start: no node waits for a message to start', () => {
    for (const ring of allRings(6)) expect(elect('ring-lelann', ring).ticks).toBe(6);
  });

  it('elects again at the same cost, with the lists emptied', () => {
    const simulation = createSimulation({ protocol: 'ring-lelann', nodes: 5, seed: SEED });

    for (let election = 1; election <= 3; election += 1) {
      const { messages, leader } = runElection(simulation, [election]);

      expect(messages.ELECT).toBe(election * 25);
      expect(leader).toBe(5);
    }
  });
});

describe.each([
  { protocol: 'ring-collect', lap: 'ELECTION' },
  { protocol: 'ring-maxtoken', lap: 'TOKEN' },
] as const)('$protocol', ({ protocol, lap }) => {
  it.each(SIZES)('%i nodes, m initiators: m·n hops, and m·n COORDINATOR', (nodes) => {
    for (const { ring, initiators } of allElections(nodes)) {
      const hops = initiators.length * nodes;

      const outcome = elect(protocol, ring, initiators);

      expect(outcome.messages, `${ring} from ${initiators}`).toEqual({
        [lap]: hops,
        COORDINATOR: hops,
        total: 2 * hops,
      });
      expect(outcome.leader).toBe(nodes);
      expect(outcome.verdict.value).toBe('true');
    }
  });

  it('counts live nodes only: the ring is closed around the dead', () => {
    const outcome = simulateElection({
      protocol,
      nodes: 8,
      ring: 'by-id',
      crashedBefore: [8],
      initiators: [6, 3],
      seed: SEED,
    });

    expect(outcome.messages).toEqual({ [lap]: 2 * 7, COORDINATOR: 2 * 7, total: 28 });
    expect(outcome.leader).toBe(7);
  });

  it('takes 2n ticks of unit delay, one lap for the election and one for the result', () => {
    for (const ring of allRings(6)) expect(elect(protocol, ring, [1]).ticks).toBe(12);
  });
});

describe('the lists of ring-collect', () => {
  /** The lists that ELECTION carried, in the order in which they were sent. */
  function lists(nodes: number, crashedBefore: readonly number[], initiators: readonly number[]) {
    const simulation = createSimulation({
      protocol: 'ring-collect',
      nodes,
      ring: 'by-id',
      crashedBefore,
      seed: SEED,
      trace: true,
    });
    runElection(simulation, initiators);
    return simulation.records().flatMap(({ effects }) =>
      effects.flatMap((effect) => {
        const isList = effect.type === 'send' && 'ids' in effect.message;
        return isList && Array.isArray(effect.message.ids) ? [effect.message.ids] : [];
      }),
    );
  }

  it('come home as the rings that two initiators see, the highest of eight dead', () => {
    const whole = lists(8, [8], [6, 3]).filter(({ length }) => length === 7);

    expect(whole).toEqual([
      [6, 7, 1, 2, 3, 4, 5],
      [3, 4, 5, 6, 7, 1, 2],
    ]);
  });

  it.each([1, 2, 3, 4, 5, 8])('%i nodes: carry n(n+1)/2 IDs on their lap', (nodes) => {
    const carried = lists(nodes, [], [1]).map(({ length }) => length);

    expect(sum(carried)).toBe((nodes * (nodes + 1)) / 2);
  });
});
