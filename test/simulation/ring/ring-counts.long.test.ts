/**
 * @module
 * What Chang and Roberts' election costs, exactly. Convention: a message is one send, a hop is a
 * message, rings are counted up to rotation.
 */

import { describe, expect, it } from 'vitest';

import { parseSeed } from '../../../src/random.ts';
import type { Latency } from '../../../src/simulation/faults/latency.ts';
import type { ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { allRings, allStartSets, distribution, exactMean, probeHops, SEED, sum } from './rings.ts';

function elect(ring: readonly number[], initiators?: readonly number[]): ElectionOutcome {
  return simulateElection({
    protocol: 'cr-join',
    nodes: ring.length,
    ring,
    initiators,
    seed: SEED,
  });
}

function probesOf(outcome: ElectionOutcome): number {
  return outcome.messages.PROBE ?? 0;
}

describe('PROBE over all rings, when all start', () => {
  it.each([
    { nodes: 1, min: 1, max: 1, mean: '1' },
    { nodes: 2, min: 3, max: 3, mean: '3' },
    { nodes: 3, min: 5, max: 6, mean: '11/2' },
    { nodes: 4, min: 7, max: 10, mean: '25/3' },
    { nodes: 5, min: 9, max: 15, mean: '137/12' },
    { nodes: 6, min: 11, max: 21, mean: '147/10' },
    { nodes: 7, min: 13, max: 28, mean: '363/20' },
  ])('$nodes nodes: $min to $max, mean $mean', ({ nodes, min, max, mean }) => {
    const counts = allRings(nodes).map((ring) => probesOf(elect(ring)));

    expect(Math.min(...counts)).toBe(min);
    expect(Math.max(...counts)).toBe(max);
    expect(exactMean(counts)).toBe(mean);
  });

  it.each([
    { nodes: 3, rings: { 5: 1, 6: 1 } },
    { nodes: 4, rings: { 7: 1, 8: 3, 9: 1, 10: 1 } },
    { nodes: 5, rings: { 9: 1, 10: 6, 11: 7, 12: 5, 13: 3, 14: 1, 15: 1 } },
  ])('$nodes nodes: the rings of each count', ({ nodes, rings }) => {
    const counts = allRings(nodes).map((ring) => probesOf(elect(ring)));

    expect(distribution(counts)).toEqual(rings);
  });

  it.each([2, 3, 4, 5, 6, 7])(
    '%i nodes: each ring costs its distances to the next higher',
    (nodes) => {
      for (const ring of allRings(nodes)) {
        expect(probesOf(elect(ring)), ring.join()).toBe(sum(probeHops(ring)));
      }
    },
  );

  it('costs least on the ascending ring, most on the descending one', () => {
    const ascending = Array.from({ length: 50 }, (_, index) => index + 1);

    expect(probesOf(elect(ascending))).toBe(2 * 50 - 1);
    expect(probesOf(elect(ascending.toReversed()))).toBe((50 * 51) / 2);
  });

  it('costs n·Hₙ in the mean over random rings of 500 nodes', () => {
    const nodes = 500;
    const runs = 400;
    const expected = sum(Array.from({ length: nodes }, (_, index) => nodes / (index + 1)));

    const counts = Array.from({ length: runs }, (_, run) =>
      probesOf(simulateElection({ protocol: 'cr-join', nodes, seed: parseSeed(String(run)) })),
    );
    const mean = sum(counts) / runs;
    const variance = sum(counts.map((count) => (count - mean) ** 2)) / (runs - 1);

    expect(Math.abs(mean - expected)).toBeLessThan(4 * Math.sqrt(variance / runs));
  });
});

describe('the PROBE of one rank', () => {
  it.each([3, 4, 5, 6, 7])('travels n/(n−i+1) hops in the mean over all rings of %i', (nodes) => {
    const rings = allRings(nodes).map(probeHops);

    for (let rank = 1; rank <= nodes; rank += 1) {
      const total = sum(rings.map((hops) => hops[rank - 1] ?? 0));
      expect(total * (nodes - rank + 1), `rank ${rank}`).toBe(nodes * rings.length);
    }
  });
});

describe('with any initiators', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    '%i nodes: any non-empty set costs the same on every ring',
    (nodes) => {
      for (const ring of allRings(nodes)) {
        const all = sum(probeHops(ring));
        for (const initiators of allStartSets(nodes)) {
          const outcome = elect(ring, initiators);
          expect(probesOf(outcome), `${ring} from ${initiators}`).toBe(all);
          expect(outcome.leader).toBe(nodes);
        }
      }
    },
  );
});

describe('SELECTED', () => {
  it.each([1, 2, 3, 4, 5, 6])('goes round once: %i hops more', (nodes) => {
    for (const ring of allRings(nodes)) {
      const { messages, agreed } = elect(ring);
      expect(messages.SELECTED).toBe(nodes);
      expect(messages.total).toBe(sum(probeHops(ring)) + nodes);
      expect(agreed).toBe(true);
    }
  });
});

describe('time under unit delay', () => {
  it.each([1, 2, 3, 4, 5, 6])('%i nodes that all start need 2n ticks', (nodes) => {
    for (const ring of allRings(nodes)) expect(elect(ring).ticks).toBe(2 * nodes);
  });

  it('is d + 2n from one initiator d places before the highest, 3n − 1 at worst', () => {
    for (const ring of allRings(6)) {
      for (const initiator of ring) {
        const distance = (6 - ring.indexOf(initiator)) % 6;
        expect(elect(ring, [initiator]).ticks).toBe(distance + 12);
      }
    }
  });
});

describe('schedules', () => {
  it.each<{ latency: Latency; fifo: boolean }>([
    { latency: { type: 'constant', ticks: 7 }, fifo: true },
    { latency: { type: 'uniform', ticksMin: 1, ticksMax: 20 }, fifo: true },
    { latency: { type: 'uniform', ticksMin: 1, ticksMax: 20 }, fifo: false },
  ])('change neither counts nor leader: $latency.type, FIFO $fifo', ({ latency, fifo }) => {
    for (let run = 0; run < 500; run += 1) {
      const seed = parseSeed(String(run));
      const nodes = 2 + (run % 9);
      const steady = simulateElection({ protocol: 'cr-join', nodes, seed });

      const outcome = simulateElection({ protocol: 'cr-join', nodes, seed, latency, fifo });

      expect(outcome.messages, `seed ${run}`).toEqual(steady.messages);
      expect(outcome.leader).toBe(nodes);
      expect(outcome.verdict.value).toBe('true');
    }
  });
});

describe('a ring closed around the dead', () => {
  it('elects the highest survivor at the cost of the survivors alone', () => {
    for (const ring of allRings(6)) {
      const survivors = ring.filter((rank) => rank !== 6);

      const outcome = simulateElection({
        protocol: 'cr-join',
        nodes: 6,
        ring,
        crashedBefore: [6],
        initiators: [1],
        seed: SEED,
      });

      expect(outcome.leader).toBe(5);
      expect(outcome.messages).toEqual(elect(survivors).messages);
    }
  });
});
