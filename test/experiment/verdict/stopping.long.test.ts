/**
 * @module
 * Runs until the verdict is decided: the error rate over all looks, measured by simulation, the same stop for
 * any number of threads, and which numbers of runs cannot confirm an expectation.
 */

import { describe, expect, it } from 'vitest';
import { drawBinomial } from '../../../src/experiment/theory/binomial-odds.ts';
import {
  confirmingRuns,
  isDecided,
  looksUpTo,
  runsStillNeeded,
} from '../../../src/experiment/verdict/stopping.ts';
import { sharedAmong } from '../../../src/experiment/verdict/verdict.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { runExperiment } from '../../../src/runtime/threads/experiment-pool.ts';
import { topId } from '../models.ts';

describe('looks', () => {
  it('grow by half up to the maximum, whatever the runs show', () => {
    expect(looksUpTo(40)).toEqual([10, 15, 23, 35, 40]);
    expect(looksUpTo(5)).toEqual([5]);
    expect(looksUpTo(1_000_000)).toHaveLength(30);
  });

  it('share the error probability', () => {
    const model = topId();

    expect(sharedAmong(model, 1)).toBe(model);
    expect(sharedAmong(model, 5).expect.confidence).toBeCloseTo(0.99, 9);
    expect(sharedAmong(model, 30).expect.confidence).toBeGreaterThanOrEqual(1 - 0.05 / 30);
  });

  it.each([0.01, 0.1, 0.5])('decide wrongly in at most 5 % of experiments at p = %d', (bound) => {
    // The probability is the bound itself, so each decision would be a wrong one of one of two claims.
    const model = topId(`expect.probability=${bound}`);
    const looks = looksUpTo(5000);
    const strict = sharedAmong(model, looks.length);
    const repetitions = 2000;
    const random = createRandom(parseSeed('16'), 'looks', bound);
    const isEverDecided = () => {
      let [runs, wins] = [0, 0];
      return looks.some((look) => {
        wins += drawBinomial(random, look - runs, bound);
        runs = look;
        return isDecided(strict, { runs, wins: [wins] });
      });
    };

    const decided = Array.from({ length: repetitions }, isEverDecided).filter(Boolean).length;

    const standardError = Math.sqrt((0.05 * 0.95) / repetitions);
    expect(decided / repetitions).toBeLessThanOrEqual(0.05 + 3 * standardError);
    expect(isDecided(strict, { runs: 5000, wins: [4000] })).toBe(true);
  });

  it('stop at the same run for any number of threads', async () => {
    const model = topId('work=sampled', 'expect.probability=0.35');
    const experiment = { model, seed: parseSeed('4'), runs: 20_000, untilDecided: true };

    const results = await Promise.all(
      [1, 2, 3].map((threads) => runExperiment(experiment, { threads })),
    );

    const runs = results.map(({ tally }) => tally.runs);
    expect(new Set(runs).size).toBe(1);
    expect(looksUpTo(20_000)).toContain(runs[0]);
    expect(runs[0]).toBeLessThan(20_000);
    expect(results.map(({ isComplete }) => isComplete)).toEqual([true, true, true]);
    expect(new Set(results.map(({ tally }) => JSON.stringify(tally))).size).toBe(1);
  });
});

describe('an expectation', () => {
  it.each([
    [['expect.probability=0.01'], 368],
    [['expect.probability=0.5'], 6],
    [['expect.comparison=at-least', 'expect.probability=0.9'], 36],
    [['expect.probability=0'], Number.POSITIVE_INFINITY],
    [['expect.comparison=at-least', 'expect.probability=1'], Number.POSITIVE_INFINITY],
    [['expect.comparison=at-least', 'expect.probability=0'], 1],
    [['expect.probability=1'], 1],
  ])('%o is confirmed by no fewer than %d runs', (settings, least) => {
    const model = topId(...settings);

    expect(confirmingRuns(model)).toBe(least);
    if (!Number.isFinite(least)) return;
    const wins = (runs: number) => [settings[0]?.includes('at-least') ? runs : 0];
    expect(isDecided(model, { runs: least, wins: wins(least) })).toBe(true);
  });

  it('is decided by one false protocol, or by all true ones', () => {
    const model = topId('expect.probability=0.5');

    expect(isDecided(model, { runs: 100, wins: [50, 90] })).toBe(true);
    expect(isDecided(model, { runs: 100, wins: [50, 10] })).toBe(false);
    expect(isDecided(model, { runs: 100, wins: [20, 10] })).toBe(true);
  });

  it('needs more runs, as many as its distance from the bound requires', () => {
    const model = topId('expect.probability=0.5');

    expect(runsStillNeeded(model, { runs: 100, wins: [20, 10] })).toBe(0);
    // 1.96² · 0.24 / 0.1² = 92 runs in all.
    expect(runsStillNeeded(model, { runs: 40, wins: [16] })).toBeGreaterThan(40);
    expect(runsStillNeeded(model, { runs: 40, wins: [16] })).toBeLessThan(100);
    expect(runsStillNeeded(model, { runs: 40, wins: [20] })).toBe(Number.POSITIVE_INFINITY);
  });
});
