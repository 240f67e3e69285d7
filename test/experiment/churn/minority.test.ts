/**
 * @module
 * The invariants of the papers under every adversary: less than 1/6 of the IDs under Ergo and ToGCom if the adversary has
 * at most 1/18 of the computing power (Bankrupting Sybil Despite Churn, theorem 1), and less than 1/2 under CCom if it
 * has at most 1/6 (Proof of Work Without All the Work, theorem 1). `CHURN_DAYS` says how long each adversary has.
 */

import { describe, expect, it } from 'vitest';

import { parseSeed } from '../../../src/random.ts';
import { largestShares } from './minority.ts';

const DAYS = Number(process.env.CHURN_DAYS ?? 6);

describe(`in ${DAYS} days`, () => {
  it.each([
    ['ergo', 1 / 18, 1 / 6],
    ['togcom', 1 / 18, 1 / 6],
    ['ccom', 1 / 6, 1 / 2],
  ])('%s keeps the adversary in its minority', (defence, power, bound) => {
    const shares = largestShares(defence, { days: DAYS, power, seed: parseSeed('1') });

    expect(shares.filter(([, share]) => share >= bound)).toEqual([]);
    // The bound is not far: what is kept through a purge, and what an iteration adds.
    const kept = power / (1 - power);
    const most = (kept + (1 + kept) / 11) / (1 + kept + (1 + kept) / 11);
    expect(Math.max(...shares.map(([, share]) => share))).toBeGreaterThan(0.95 * most);
  });

  it('an adversary without purges is no minority', () => {
    const shares = largestShares('fixed', { days: DAYS, power: 0, seed: parseSeed('1') });

    expect(shares.filter(([, share]) => share > 1 / 2)).not.toEqual([]);
  });
});
