/**
 * @module
 * What Peterson's election costs, exactly, by both rules of when it ends. Convention: a hop is one
 * TID, counted until quiet; who is elected absorbs what still comes; ELECTED is listed apart; rings
 * are counted up to rotation.
 */

import { describe, expect, it } from 'vitest';

import type { ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { allRings, allStartSets, elect, exactMean, SEED } from './rings.ts';

type Rule = 'peterson' | 'peterson-prose';

const RULES: readonly Rule[] = ['peterson', 'peterson-prose'];
/** A ring of eight on which the most is sent: 46 hops by the one rule, 56 by the other. */
const DEAREST = [8, 5, 6, 4, 7, 2, 3, 1];

function hopsOf({ messages }: ElectionOutcome): number {
  return messages.TID ?? 0;
}

/** 2n⌊lg n⌋ + n. */
function bound(nodes: number): number {
  return 2 * nodes * Math.floor(Math.log2(nodes)) + nodes;
}

/**
 * The phases by the paper's argument, no message sent: a node goes on, with the ID of the active node
 * before it, if that is higher than its own and than that of the active node before that one.
 */
function phasesOf(ring: readonly number[]): {
  readonly phases: number;
  readonly lastActive: number;
} {
  let active = ring.map((rank) => ({ owner: rank, tid: rank }));
  let phases = 1;
  while (active.length > 1) {
    const before = active;
    const tidAt = (position: number) => before.at(position % before.length)?.tid ?? 0;
    active = before.flatMap(({ owner, tid }, position) => {
      const nearer = tidAt(position - 1);
      return nearer > tid && nearer > tidAt(position - 2) ? [{ owner, tid: nearer }] : [];
    });
    phases += 1;
  }
  return { phases, lastActive: active[0]?.owner ?? 0 };
}

describe('TID over all rings, when all start', () => {
  it.each([
    { nodes: 1, min: 1, max: 1, mean: '1' },
    { nodes: 2, min: 5, max: 5, mean: '5' },
    { nodes: 3, min: 8, max: 8, mean: '8' },
    { nodes: 4, min: 11, max: 16, mean: '38/3' },
    { nodes: 5, min: 14, max: 21, mean: '55/3' },
    { nodes: 6, min: 17, max: 27, mean: '121/5' },
    { nodes: 7, min: 20, max: 32, mean: '269/9' },
    { nodes: 8, min: 23, max: 46, mean: '745/21' },
  ])('peterson, $nodes nodes: $min to $max, mean $mean', ({ nodes, min, max, mean }) => {
    const outcomes = allRings(nodes).map((ring) => elect('peterson', ring));
    const counts = outcomes.map(hopsOf);

    expect(Math.min(...counts)).toBe(min);
    expect(min).toBe(nodes === 1 ? 1 : 3 * nodes - 1);
    expect(Math.max(...counts)).toBe(max);
    expect(exactMean(counts)).toBe(mean);
    expect(max).toBeLessThanOrEqual(bound(nodes));
    expect(outcomes.filter(({ leader, agreed }) => leader !== nodes || !agreed)).toEqual([]);
  });

  it.each([
    { ring: [2, 1], hops: 5 },
    { ring: [3, 2, 1], hops: 8 },
    { ring: [4, 2, 3, 1], hops: 16 },
    { ring: [5, 3, 4, 2, 1], hops: 21 },
    { ring: [6, 4, 5, 2, 3, 1], hops: 27 },
    { ring: [7, 5, 6, 4, 2, 3, 1], hops: 32 },
    { ring: DEAREST, hops: 46 },
  ])('peterson, ring $ring: $hops, the most of its size', ({ ring, hops }) => {
    expect(hopsOf(elect('peterson', ring))).toBe(hops);
  });

  it.each([
    { nodes: 1, min: 1, max: 1 },
    { nodes: 2, min: 6, max: 6 },
    { nodes: 3, min: 9, max: 9 },
    { nodes: 4, min: 12, max: 20 },
    { nodes: 5, min: 15, max: 25 },
    { nodes: 6, min: 18, max: 30 },
    { nodes: 7, min: 21, max: 35 },
    { nodes: 8, min: 24, max: 56 },
  ])('peterson-prose, $nodes nodes: $min to $max, the bound', ({ nodes, min, max }) => {
    const counts = allRings(nodes).map((ring) => hopsOf(elect('peterson-prose', ring)));

    expect(Math.min(...counts)).toBe(min);
    expect(Math.max(...counts)).toBe(max);
    expect(max).toBe(bound(nodes));
  });
});

describe('the phases of peterson-prose', () => {
  it.each([1, 2, 3, 4, 5, 6, 7])('%i nodes: each but the last costs 2n hops, that n', (nodes) => {
    for (const ring of allRings(nodes)) {
      const { phases, lastActive } = phasesOf(ring);

      const outcome = elect('peterson-prose', ring);

      expect(hopsOf(outcome), ring.join()).toBe(2 * nodes * (phases - 1) + nodes);
      expect(outcome.leader).toBe(lastActive);
      expect(phases).toBeLessThanOrEqual(Math.floor(Math.log2(nodes)) + 1);
      expect(phases).toBeGreaterThanOrEqual(Math.min(2, nodes));
    }
  });
});

describe('who is elected', () => {
  it.each([2, 3, 4, 5, 6, 7, 8])('%i nodes: by prose never the highest', (nodes) => {
    for (const ring of allRings(nodes)) {
      const { leader, agreed, verdict } = elect('peterson-prose', ring);
      expect(leader, ring.join()).not.toBe(nodes);
      expect(agreed).toBe(true);
      expect(verdict.properties.uniqueness.value).toBe('true');
      expect(verdict.properties.highestLiveWins).toEqual({ value: 'true', witnessed: false });
    }
  });

  it('the dearest ring of eight: 8 by the one rule, 1 by the other', () => {
    expect(elect('peterson', DEAREST).leader).toBe(8);
    expect(elect('peterson-prose', DEAREST).leader).toBe(1);
  });
});

describe('ELECTED', () => {
  it.each(RULES)('of %s goes round once: n hops more, and all agree', (rule) => {
    for (const ring of [1, 2, 3, 4, 5, 6].flatMap(allRings)) {
      const { messages, agreed } = elect(rule, ring);
      expect(messages.ELECTED).toBe(ring.length);
      expect(agreed).toBe(true);
    }
  });
});

describe('with any initiators', () => {
  it.each(RULES.flatMap((rule) => [1, 2, 3, 4, 5].map((nodes) => ({ rule, nodes }))))(
    '$rule, $nodes nodes: any non-empty set gives the same on every ring',
    ({ rule, nodes }) => {
      for (const ring of allRings(nodes)) {
        const { messages, leader } = elect(rule, ring);
        for (const initiators of allStartSets(nodes)) {
          const outcome = elect(rule, ring, initiators);
          expect(outcome.messages, `${ring} from ${initiators}`).toEqual(messages);
          expect(outcome.leader).toBe(leader);
        }
      }
    },
  );
});

describe('a ring closed around the dead', () => {
  it('peterson elects the highest survivor at the cost of the survivors alone', () => {
    for (const ring of allRings(6)) {
      const survivors = ring.filter((rank) => rank !== 6);

      const outcome = simulateElection({
        protocol: 'peterson',
        nodes: 6,
        ring,
        crashedBefore: [6],
        seed: SEED,
      });

      expect(outcome.leader).toBe(5);
      expect(outcome.messages).toEqual(elect('peterson', survivors).messages);
    }
  });
});
