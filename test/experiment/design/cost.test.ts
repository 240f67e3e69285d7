/**
 * @module
 * The cost of a design for honest nodes: the join and its quantiles, elections, and defences.
 */

import { describe, expect, it } from 'vitest';
import { designCost, measureElections } from '../../../src/experiment/design/cost.ts';
import { design } from '../../../src/experiment/design/design.ts';
import { refusedBy } from '../reading/refusals.ts';

const QUESTION = {
  ...{ epsilon: 0.01, time: 600, nodes: 9, rate: 1000 },
  ...{ joinTime: 10, window: 60, advantage: 8, machines: 1 },
  hardRate: 10,
};

describe('the honest cost of a design', () => {
  it('is the time of the geometric law at the needed bits, for each advantage', () => {
    const elections = measureElections({ protocol: 'raft', nodes: 9, defences: [] });
    const [one, eight] = [1, 8].map((advantage) => {
      const answer = design({ ...QUESTION, protocol: 'raft', advantage });
      return { answer, cost: designCost(answer, elections) };
    });

    const bits = one?.answer.needed.wholeBits ?? 0;
    expect(one?.cost.join.attempts.expected).toBe(2 ** bits);
    expect(one?.cost.join.seconds?.p95).toBeCloseTo(one?.answer.join.one.p95Seconds ?? 0, 9);
    expect(one?.cost.join.rate).toEqual({ candidatesPerSecond: 1000, source: 'stated' });
    expect(eight?.cost.join.attempts.expected).toBeGreaterThan(2 ** bits);
    expect(eight?.cost.elections).toBe(one?.cost.elections);
  });

  it('is paid in every epoch under a salt, and slower under a memory-hard function', () => {
    const answer = design(QUESTION);
    const { joinUnder } = designCost(answer, { elections: [], defences: [] });

    const [salted, beacon, hard] = joinUnder;
    expect(joinUnder.map(({ defence }) => defence)).toEqual(
      answer.remedies.map(({ defence }) => defence),
    );
    expect(salted).toMatchObject({ defence: 'commit-then-beacon', repeats: 'every epoch' });
    expect(beacon).toMatchObject({ repeats: 'once' });
    expect(hard).toMatchObject({ defence: 'memory-hard', repeats: 'once' });
    expect(salted?.difficultyBits).toBeLessThan(answer.needed.wholeBits);
    expect(hard?.seconds?.expected).toBe((hard?.attempts.expected ?? 0) / 10);
  });

  it('states messages, ticks, and what a defence of the election adds', () => {
    const asked = { protocol: 'cr-join', nodes: 9, defences: ['receipts'] } as const;

    const { elections, defences } = measureElections(asked);

    expect(elections).toMatchObject([{ protocol: 'cr-join', nodes: 9, agreed: 5 }]);
    expect(defences).toMatchObject([{ defence: 'receipts', protocol: 'cr-join' }]);
    expect(defences[0]?.messages).toBeGreaterThan(0);
    expect(measureElections(asked)).toEqual({ elections, defences });
  });

  it('is measured at the level that a defence needs, and refuses one that does not fit', () => {
    const asked = { protocol: 'raft', nodes: 5 } as const;

    const { defences } = measureElections({ ...asked, defences: ['quorum-certificates'] });

    expect(defences).toHaveLength(1);
    expect(
      refusedBy(() => measureElections({ ...asked, defences: ['receipts'] })).message,
    ).toContain('receipts');
  });

  it('is measured in one election if elections are large', () => {
    const { elections } = measureElections({
      ...{ protocol: 'bully-oneshot', nodes: 1000, defences: [] },
    });

    expect(elections).toMatchObject([{ nodes: 64, runs: 1 }]);
  });
});
