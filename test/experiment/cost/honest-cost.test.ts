/**
 * @module
 * The cost of honest nodes: attempts against drawn searches, elections against the known message counts, and
 * defences against elections with and without them.
 */

import { describe, expect, it } from 'vitest';
import { honestCost, joinCost } from '../../../src/experiment/cost/honest-cost.ts';
import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import { twoPuzzleAttempts } from '../../../src/mining/two-puzzles.ts';
import { coldStartText } from '../../../src/operations/honest-cost.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { findInCatalogue } from '../../../src/runtime/files/catalogue.ts';
import { ratesOf, topId } from '../models.ts';

const model = (...sets: string[]) => applySettings(topId(), sets.map(readSetting));

describe('the attempts of an honest node', () => {
  it('are geometric with the static puzzle', () => {
    const { attempts, repeats } = joinCost(model('network.identity.c1=16'), null);

    expect(attempts).toEqual({ expected: 65_536, p50: 45_426, p95: 196_327 });
    expect(repeats).toBe('once');
  });

  it.each([
    [6, 6, 'concat', 0],
    [9, 5, 'concat', 0],
    [4, 8, 'concat', 0],
    // Half of the keys that meet the static puzzle meet the dynamic one with X = 0.
    [6, 7, 'xor', 1 / 2],
  ])('with %i and %i bits of the form %s are those of drawn searches', (c1, c2, form, spared) => {
    const bits = [`network.identity.c1=${c1}`, `network.identity.c2=${c2}`];
    const { identity } = model(...bits, `network.identity.dynamic=${form}`).network;
    const random = createRandom(parseSeed('7'), 'attempts');
    const draw = (bits: number) =>
      Math.ceil(Math.log1p(-random.unit()) / Math.log1p(-(2 ** -bits)));
    const solving = () => (random.unit() < spared ? 0 : draw(c2));
    const sums = Array.from({ length: 40_000 }, () => draw(c1) + solving()).sort((a, b) => a - b);

    const { expected, p50, p95 } = twoPuzzleAttempts(identity);

    expect(expected).toBe(2 ** c1 + (1 - spared) * 2 ** c2);
    for (const [quantile, attempts] of [
      [0.5, p50],
      [0.95, p95],
    ] as const) {
      const drawn = sums[Math.floor(quantile * sums.length)] ?? 0;
      expect(Math.abs(attempts - drawn) / drawn).toBeLessThan(0.03);
    }
  });

  it('become seconds at the measured rate, or at the stated one, or not at all', () => {
    const hard = 'network.identity.c1=16';

    const own = model(hard, 'adversaries.main.rate=measured');
    const card = model(hard, 'adversaries.main.rate=measured on gpu', 'work=sampled');

    const [measured, stated, unknown, ofCard] = [
      joinCost(own, ratesOf(own, { perSecond: 65_536 })),
      joinCost(model(hard, 'adversaries.main.rate=32768'), null),
      joinCost(model(hard), null),
      // Honest nodes have no card.
      joinCost(card, ratesOf(card, { perSecond: 65_536 })),
    ];

    expect(measured.seconds?.expected).toBe(1);
    expect(measured.rate).toEqual({ candidatesPerSecond: 65_536, source: 'measured' });
    expect(stated.seconds?.expected).toBe(2);
    expect(stated.rate?.source).toBe('stated');
    expect(unknown).toMatchObject({ seconds: null, rate: null });
    expect(ofCard).toMatchObject({ seconds: null, rate: null });
  });

  it('are paid in every epoch if the puzzle is salted', async () => {
    const salted = await findInCatalogue('stockpile-salted-both');

    expect(honestCost(salted, null)).toMatchObject({
      join: { repeats: 'every epoch' },
      elections: [],
    });
  });
});

describe('the cost of a term', () => {
  it('is that of an election among the honest nodes alone', () => {
    const { elections } = honestCost(model('network.honest=8'), null);

    const [bully, ring] = elections;
    expect(bully).toMatchObject({ protocol: 'bully-oneshot', nodes: 8, runs: 5, agreed: 5 });
    expect(bully?.messages).toBeGreaterThan(7);
    expect(ring?.messages).toBeGreaterThan(8);
    expect(bully?.messagesPer100Ticks).toBe(0);
  });

  it('goes on for protocols that are never silent', async () => {
    const partition = await findInCatalogue('partition-raft');
    const { elections } = honestCost(partition, null);

    expect(elections[0]?.protocol).toBe('raft');
    expect(elections[0]?.messagesPer100Ticks).toBeGreaterThan(0);
  });

  it('is measured with at most 64 nodes, and says so', () => {
    const { elections } = honestCost(model('network.honest=100'), null);

    const [cost] = elections;
    expect(cost).toMatchObject({ nodes: 64, honest: 100 });
    expect(cost && coldStartText(cost)).toContain(
      'if all 64 honest nodes instead of 100 start at tick 0',
    );
  });
});

describe('the cost of a defence', () => {
  it('is the difference between elections with and without it', async () => {
    const receipts = await findInCatalogue('swallowed-probe-receipts');
    const { defences, elections } = honestCost(receipts, null);
    const bare = honestCost(
      applySettings(receipts, [readSetting('network.election.defences=[]')]),
      null,
    );

    expect(defences.map(({ defence }) => defence)).toContain('receipts');
    const added = defences.reduce((sum, { messages }) => sum + (messages ?? 0), 0);
    expect(added).toBeGreaterThan(0);
    const total = (elections[0]?.messages ?? 0) - (bare.elections[0]?.messages ?? 0);
    if (defences.length === 1) expect(added).toBeCloseTo(total, 9);
  });

  it('is the same whenever it is measured', async () => {
    const receipts = await findInCatalogue('swallowed-probe-receipts');

    expect(honestCost(receipts, null)).toEqual(honestCost(receipts, null));
  });
});

describe('frozen registration', () => {
  it('costs nothing on a ring, whose nodes it does not change', () => {
    const sets = ['work=sampled', 'network.election.protocols=[cr-join]'];
    const plain = honestCost(model(...sets), null);
    const frozen = honestCost(
      model(...sets, 'network.election.defences=[frozen-membership]'),
      null,
    );

    expect(frozen.elections).toEqual(plain.elections);
    expect(frozen.defences).toMatchObject([{ defence: 'frozen-membership', messages: 0 }]);
  });
});
