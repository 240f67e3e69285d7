/**
 * @module
 * Bits that a policy states and that cost no work: those of the version byte under the rule of Storj, and all of them if
 * the static puzzle is not checked. Every answer follows from the bits that cost work.
 */

import { describe, expect, it } from 'vitest';
import { planComparison } from '../../../src/experiment/compare/outline.ts';
import { readSets } from '../../../src/experiment/compare/sets.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../../src/random.ts';
import { modelFrom, STILL } from '../models.ts';
import { documentOf } from '../oracles/instances.ts';
import { refusedBy } from '../reading/refusals.ts';

const STORJ = { idRule: 'storj', c1: 10 };
const UNCHECKED = { checks: { static: false }, c1: 8 };
const EPOCHS = { count: 4, lifetime: 1 };

function written(identity: object, epochs: object, property = 'adversary-leads') {
  return documentOf({
    network: { honest: 15, identity },
    epochs: { ...EPOCHS, ...epochs },
    adversaries: [{ budget: { attempts: 700 } }],
    expect: { property },
  });
}

describe('over epochs', () => {
  it.each([
    // E[K/(15+K)] with K of Bin(2800, 1/4): Σ C(2800, k) 3^(2800−k) / 4^2800 · k/(15+k).
    [STORJ, 'none', 0.978999],
    [STORJ, 'rank', 0.978999],
    [UNCHECKED, 'both', 700 / 715],
    [UNCHECKED, 'none', 2800 / 2815],
  ])('%j with salt %s is answered by the bits that cost work', (identity, salt, exact) => {
    const model = written(identity, { salt });
    const { wins } = executeRuns(model, parseSeed('1'), { from: 0, count: 200 }, STILL);

    expect(theoryOf(model, EMPTY_TALLY, null).probability).toBeCloseTo(exact, 5);
    expect((wins[0] ?? 0) / 200).toBeGreaterThan(exact - 0.05);
  });

  it.each([STORJ, UNCHECKED])('honest nodes with %j are seldom without an identity', (identity) => {
    const model = written(identity, { salt: 'none', honestAttempts: 40 }, 'honest-priced-out');
    const { wins } = executeRuns(model, parseSeed('1'), { from: 0, count: 200 }, STILL);

    expect(wins[0]).toBe(0);
  });

  it.each([
    [STORJ, { salt: 'both' }, 'epochs.salt must be none or rank'],
    [{ idRule: 'yggdrasil' }, { salt: 'puzzle' }, 'epochs.salt must be none or rank'],
    [STORJ, { salt: 'none', retargeting: { joins: 15 } }, 'epochs.retargeting must be left out'],
    [
      UNCHECKED,
      { salt: 'both', retargeting: { joins: 15 } },
      'epochs.retargeting must be left out',
    ],
  ])('%j is refused with %j, which has another effect on paper', (identity, epochs, reason) => {
    expect(refusedBy(() => written(identity, epochs)).message).toContain(reason);
  });
});

describe('in a comparison', () => {
  const question = { settings: [], machines: null, hardRate: 20, advantages: [1] };
  const compared = (model: Parameters<typeof planComparison>[0], sets: string) =>
    planComparison(model, { ...question, protocols: ['bully-oneshot'], sets: readSets(sets) }, 40);
  const unchecked = () =>
    modelFrom('top-id', 'work=sampled', 'network.identity.checks.static=false');

  it.each([
    [() => modelFrom('storj-like'), 0.483],
    [unchecked, 64 / 72],
  ])('commit-then-beacon reduces the adversary to its share', (modelOf, exact) => {
    const { rows } = compared(modelOf(), 'none,commit-then-beacon');
    const answers = rows.map(({ model }) => theoryOf(model, EMPTY_TALLY, null).probability);

    expect(answers).toHaveLength(2);
    for (const answer of answers) expect(answer).toBeCloseTo(exact, 3);
  });

  it('proof-of-work asks for the bits that honest nodes can afford, beside those that cost nothing', () => {
    const { rows } = compared(modelFrom('storj-like'), 'proof-of-work');

    // 2.52e10 attempts are 33 bits with 95 %, and eight bits are free.
    expect(rows[0]?.model.network.identity.c1).toBe(32 + 8);
  });

  it('refuses puzzles that are not checked', () => {
    const { refused } = compared(unchecked(), 'none,proof-of-work');

    expect(refused.map(({ reason }) => reason)).toEqual([
      'proof-of-work has no effect: network.identity.checks.static is false',
    ]);
  });
});
