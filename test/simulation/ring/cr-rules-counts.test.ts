/**
 * @module
 * What Chang and Roberts' election costs under the rules `replace` and `always`. Convention: a message
 * is one send, a hop is a message, rings are counted up to rotation, n SELECTED are listed apart.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import type { ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { allRings, allStartSets, exactMean, probeHops, SEED, sum } from './rings.ts';

const RULES = ['cr-replace', 'cr-always'] as const;
const SIZES = [1, 2, 3, 4, 5, 6];

function elect(
  protocol: ProtocolName,
  ring: readonly number[],
  initiators?: readonly number[],
): ElectionOutcome {
  return simulateElection({ protocol, nodes: ring.length, ring, initiators, seed: SEED });
}

function probesOf(outcome: ElectionOutcome): number {
  return outcome.messages.PROBE ?? 0;
}

describe.each(RULES)('%s, one initiator d places before the highest', (protocol) => {
  it.each(SIZES)('%i nodes: n + d PROBE on every ring, n SELECTED', (nodes) => {
    const counts: number[] = [];
    for (const ring of allRings(nodes)) {
      for (const initiator of ring) {
        const distance = (nodes - ring.indexOf(initiator)) % nodes;

        const outcome = elect(protocol, ring, [initiator]);

        counts.push(probesOf(outcome));
        expect(probesOf(outcome), `${ring} from ${initiator}`).toBe(nodes + distance);
        expect(outcome.messages.SELECTED).toBe(nodes);
        expect(outcome.verdict.value).toBe('true');
      }
    }
    expect(Math.min(...counts)).toBe(nodes);
    expect(Math.max(...counts)).toBe(2 * nodes - 1);
    expect(2 * sum(counts)).toBe((3 * nodes - 1) * counts.length);
  });
});

describe('cr-replace, m initiators: mean PROBE over all rings and all sets of m', () => {
  it.each([
    { nodes: 2, means: ['5/2', '3'] },
    { nodes: 3, means: ['4', '29/6', '11/2'] },
    { nodes: 4, means: ['11/2', '20/3', '91/12', '25/3'] },
    { nodes: 5, means: ['7', '17/2', '29/3', '637/60', '137/12'] },
    { nodes: 6, means: ['17/2', '31/3', '47/4', '129/10', '208/15', '147/10'] },
  ])('$nodes nodes: $means', ({ nodes, means }) => {
    const counts: number[][] = means.map(() => []);
    for (const ring of allRings(nodes)) {
      for (const initiators of allStartSets(nodes)) {
        const outcome = elect('cr-replace', ring, initiators);
        counts[initiators.length - 1]?.push(probesOf(outcome));
        expect(outcome.leader).toBe(nodes);
      }
    }

    expect(counts.map(exactMean)).toEqual(means);
  });
});

describe('when all start', () => {
  it.each(SIZES)('%i nodes: cr-replace costs the distances to the next higher', (nodes) => {
    for (const ring of allRings(nodes)) {
      const { messages } = elect('cr-replace', ring);

      expect(messages.PROBE, ring.join()).toBe(sum(probeHops(ring)));
      expect(messages.SELECTED).toBe(nodes);
    }
  });

  it.each([
    { nodes: 2, hops: 5 },
    { nodes: 3, hops: 12 },
    { nodes: 4, hops: 22 },
    { nodes: 5, hops: 35 },
    { nodes: 6, hops: 51 },
  ])('$nodes nodes: cr-always costs n² + n(n−1)/2 = $hops on every ring', ({ nodes, hops }) => {
    for (const ring of allRings(nodes)) {
      const { messages, verdict } = elect('cr-always', ring);

      expect(messages, ring.join()).toEqual({ PROBE: hops, SELECTED: nodes, total: hops + nodes });
      expect(verdict.value).toBe('true');
    }
    expect(nodes ** 2 + (nodes * (nodes - 1)) / 2).toBe(hops);
  });
});

describe('time under unit delay', () => {
  it('is d + 2n from one initiator, as for rule join', () => {
    for (const ring of allRings(6)) {
      for (const initiator of ring) {
        const distance = (6 - ring.indexOf(initiator)) % 6;
        for (const protocol of RULES) {
          expect(elect(protocol, ring, [initiator]).ticks).toBe(distance + 12);
        }
      }
    }
  });
});
