/**
 * @module
 * What a report says about epochs: the plan, what the other plans reach, and the work beside that of honest nodes.
 */

import { describe, expect, it } from 'vitest';
import { runPicture } from '../../../src/experiment/charts/run-chart.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { report } from '../../../src/experiment/verdict/report.ts';
import { workRowSchema } from '../../../src/experiment/verdict/work-rows.ts';
import { runBlocks } from '../../../src/operations/run/report.ts';
import { parseSeed } from '../../../src/random.ts';
import { onlyOf, STILL, topId } from '../models.ts';

const SEED = parseSeed('1');
const RUNS = 200;

function answer(...settings: readonly string[]) {
  const model = topId(
    ...['work=sampled', 'confirmRuns=null', 'network.honest=15', 'network.identity.c1=8'],
    ...['epochs={count: 4, salt: puzzle, lifetime: 1}', 'adversaries.main.budget.attempts=700'],
    ...settings,
  );
  const tally = executeRuns(model, SEED, { from: 0, count: RUNS }, STILL);
  return report(model, tally, {
    ...{ id: 'top-id', seed: SEED, runs: RUNS, settings: [], rateMeasured: null },
  });
}

describe('a report on epochs', () => {
  it('has the chosen plan, and what each plan reaches', () => {
    const { plan, found, plans = [] } = onlyOf(answer().response);

    expect({ plan, found }).toEqual({ plan: 'informed', found: 'argued' });
    expect(plans.map((each) => [each.plan, each.probability.toFixed(3), each.interval])).toEqual([
      ['fresh', '0.147', null],
      ['retest', '0.344', null],
      ['informed', '0.397', null],
    ]);
  });

  it('has an interval for a plan without a closed form', () => {
    const { found, plans = [] } = onlyOf(answer('expect.property=adversary-leads-once').response);

    expect(found).toBe('best-found');
    expect(plans.map(({ interval }) => interval === null)).toEqual([true, false, false]);
  });

  it('follows a plan that the document fixes', () => {
    const { plan, found } = onlyOf(answer('adversaries.main.plan=fresh').response);

    expect({ plan, found }).toEqual({ plan: 'fresh', found: 'fixed' });
  });

  it('has the work of each epoch and its sum: n/p attempts of honest nodes, 700 of the adversary', () => {
    const { workByEpoch = [] } = answer();

    expect(workByEpoch.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4]);
    for (const { epoch, inEpoch, sum } of workByEpoch) {
      // Sums of geometric numbers: their deviation is √15 · 2^8 / √runs.
      expect(Math.abs(inEpoch.honest.attempts - 15 * 256)).toBeLessThan(
        5 * 256 * Math.sqrt(15 / RUNS),
      );
      expect(inEpoch.honest.hashes).toBeCloseTo(2 * inEpoch.honest.attempts, 6);
      expect(inEpoch.adversary.attempts).toBe(700);
      expect(sum.adversary.attempts).toBe(700 * epoch);
    }
  });

  it('never calls the share of the runs after an epoch the chance in a shorter game', () => {
    const texts = [
      JSON.stringify(runBlocks(answer())),
      runPicture(answer(), []),
      String(workRowSchema.shape.chance.description),
    ];

    for (const text of texts) {
      expect(text).toMatch(/property holds after (the|this|each) epoch/);
      expect(text).toMatch(/adversary plans for the last/);
      expect(text).not.toMatch(/epochs ended|if they ended|chance so far/);
    }
  });

  it('says that the spend rates are averages over the epochs, with the stock', () => {
    const [, facts] = runBlocks(answer());

    expect(JSON.stringify(facts)).toMatch(
      /"on average over the epochs, .* the adversary with any stock T = 700;/,
    );
  });

  it('refuses a plan without epochs', () => {
    expect(() => topId('adversaries.main.plan=fresh')).toThrow('is about the keys of epochs');
  });
});
