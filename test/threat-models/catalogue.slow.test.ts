/**
 * @module
 * Every document of the catalogue at its own number of runs and five seeds: its verdict does not hang on
 * the luck of one. Drawn documents are held to their closed forms with ten times the runs.
 */

import { describe, expect, it } from 'vitest';

import { IDS, isDrawn, judged, modelOf, verdictOf, wideInterval } from './catalogue-judged.ts';

const SEEDS = ['1', '2', '3', '4', '5'];
const CLOSE_RUNS = 20_000;

describe.each(IDS)('%s', (id) => {
  const model = modelOf(id);

  it.each(SEEDS)('holds what it expects under seed %s', (seed) => {
    const { verdict } = judged(model, model.runs, seed);

    expect(verdict.value, verdict.sentence).toBe(verdictOf(id));
  });

  it.runIf(isDrawn(model))('comes close to its closed form', () => {
    const answer = judged(model, CLOSE_RUNS);

    for (const result of answer.results) {
      const [low, high] = wideInterval(result);
      const probability = result.theory.probability ?? result.measured.frequency;
      expect(probability).toBeGreaterThanOrEqual(low);
      expect(probability).toBeLessThanOrEqual(high);
    }
  });
});
