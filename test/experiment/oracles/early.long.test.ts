/**
 * @module
 * An adversary that registers before the honest IDs are known, with a budget in hashes: it makes keys, and tests them from
 * the highest ID down. The odds of every split of its budget come from every course of the tests. Nothing is imported from
 * the product for them.
 */

import { describe, expect, it } from 'vitest';
import { minedPopulation } from '../../../src/experiment/runs/mined-population.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { deriveSeed, parseSeed } from '../../../src/random.ts';
import { expectAgreement } from '../epochs/samples.ts';
import { STILL } from '../models.ts';
import { documentOf } from './instances.ts';

/** The probability that the best valid one of these keys is above all honest IDs, with this number of tests. */
function leads(keys: number, tests: number, honest: number, valid: number): number {
  if (keys === 0 || tests === 0) return 0;
  // The highest of all remaining IDs is honest, or a key that is valid, or one that is not.
  const isOwn = keys / (keys + honest);
  return isOwn * (valid + (1 - valid) * leads(keys - 1, tests - 1, honest, valid));
}

function bestSplit(hashes: number, honest: number, c1: number): number {
  const splits = Array.from({ length: hashes + 1 }, (_, keys) =>
    leads(keys, Math.min(keys, hashes - keys), honest, 2 ** -c1),
  );
  return Math.max(...splits);
}

describe.each([
  [100, 8, 4],
  [60, 8, 4],
  [7, 2, 1],
] as const)('%d hashes against %d honest nodes with c1 %d', (hashes, honest, c1) => {
  const best = bestSplit(hashes, honest, c1);
  const model = documentOf({
    network: {
      ...{ honest, identity: { c1 } },
      election: { protocols: ['cr-join'], defences: ['frozen-membership'] },
    },
    adversaries: [{ budget: { hashes }, goal: 'top', behaviours: [], registers: 'before' }],
    expect: { property: 'adversary-leads' },
    work: 'mined',
  });

  it('win as often as the best split of the hashes', () => {
    expect(theoryOf(model, EMPTY_TALLY, null).probability).toBeCloseTo(best, 10);
  });

  it('are never overspent in a mined run, which wins as often', () => {
    const [runs, populate] = [40, minedPopulation(model, STILL)];
    let wins = 0;
    for (let run = 0; run < runs; run += 1) {
      const { owners, forges } = populate(deriveSeed(parseSeed('40'), run));
      if (owners.at(-1) !== null) wins += 1;
      expect(forges[0]?.ledger?.hashes).toBeLessThanOrEqual(hashes);
    }
    expectAgreement({ wins, runs }, best, 'mined');
  });
});
