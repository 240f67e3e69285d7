/**
 * @module
 * An adversary that wants to lead more epochs than its share of the identities, if ranks are drawn: it registers as many
 * keys as make that most likely, after what has happened so far.
 */

import { describe, expect, it } from 'vitest';
import { choosePlan } from '../../../src/experiment/response/epoch-plans.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { parseSeed } from '../../../src/random.ts';
import { onlyOf, STILL } from '../models.ts';
import { documentOf } from '../oracles/instances.ts';
import { bettorOf } from '../oracles/sparing.ts';
import { expectAgreement } from './samples.ts';

const COSTS = { key: 1, kept: 1, fresh: 0 };

/**
 * The best numbers of claims for 5 honest nodes without a puzzle, as a program in another language found them: 0.8958 with
 * 20 keys in each window, at least 0.952 with 20 more in each.
 */
describe.each([
  ['both', 0.8958, 0.8],
  ['rank', 0.9523, 0.95],
] as const)('20 attempts in each of five windows, salt %s', (salt, best, least) => {
  const model = documentOf({
    network: { honest: 5, identity: { c1: 0 } },
    epochs: { count: 5, salt, lifetime: 1 },
    adversaries: [{ budget: { attempts: 20 } }],
    expect: { property: 'leads-more-than-share' },
  });

  it(`lead more epochs than the share in ${best} of the runs`, () => {
    const small = { honest: 5, c1: 0, epochs: 5, lifetime: 1, salt, stock: 0, budget: 20 } as const;
    const runs = 4000;

    const { wins } = executeRuns(model, parseSeed('40'), { from: 0, count: runs }, STILL);

    if (salt === 'both') {
      const exact = bettorOf({ ...small, costs: COSTS, beacons: 1 }).value();
      expect(exact).toBeCloseTo(best, 4);
    }
    expectAgreement({ wins: wins[0] ?? 0, runs }, best, salt);
    expect((wins[0] ?? 0) / runs).toBeGreaterThan(least - 0.01);
  });

  it('is called the best plan that is known', () => {
    const choice = choosePlan(model, onlyOf(Object.values(model.adversaries)));

    expect(choice).toMatchObject({ plan: 'sparing', origin: 'best-found' });
  });
});

/** Optima of programs in another language, which try every number of claims in every window with exact fractions. */
describe.each([
  [
    'saved, one attempt in each of four windows',
    1,
    { count: 4, lifetime: 1, unspent: 'saved' },
    1,
    0,
    0.8,
  ],
  [
    'saved, two attempts in each of three windows',
    2,
    { count: 3, lifetime: 1, unspent: 'saved' },
    2,
    0,
    0.75,
  ],
  ['lifetime 2, twenty windows', 20, { count: 20, lifetime: 2 }, 1, 0, 0.6886],
  ['fifteen windows of 256 attempts with c1 6', 20, { count: 15, lifetime: 1 }, 256, 6, 0.7565],
] as const)('%s', (_name, honest, epochs, attempts, c1, best) => {
  it(`lead more than the share in ${best} of the runs`, () => {
    const model = documentOf({
      network: { honest, identity: { c1 } },
      epochs: { ...epochs, salt: 'both' },
      adversaries: [{ budget: { attempts } }],
      expect: { property: 'leads-more-than-share' },
    });
    const runs = 2000;
    const { wins } = executeRuns(model, parseSeed('40'), { from: 0, count: runs }, STILL);
    expectAgreement({ wins: wins[0] ?? 0, runs }, best, 'best');
  });
});
