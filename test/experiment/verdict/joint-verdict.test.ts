/**
 * @module
 * The verdict on a document with several protocols: how often it is wrong, measured by simulated binomials, and
 * which confidence belongs to which verdict.
 */

import { describe, expect, it } from 'vitest';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { drawBinomial } from '../../../src/experiment/theory/binomial-odds.ts';
import { report } from '../../../src/experiment/verdict/report.ts';
import {
  isDecided,
  looksUpTo,
  measuredGroups,
  runsStillNeeded,
} from '../../../src/experiment/verdict/stopping.ts';
import {
  compare,
  documentValue,
  measureOne,
  sharedAmong,
} from '../../../src/experiment/verdict/verdict.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { topId } from '../models.ts';

const REPETITIONS = 600;
/** Three standard errors above the error probability of the document. */
const WRONG_MAX = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / REPETITIONS);

/** The share of repetitions in which a condition holds. */
function shareOf(
  isSo: (random: ReturnType<typeof createRandom>) => boolean,
  label: string,
): number {
  const random = createRandom(parseSeed('17'), 'joint', label);
  return (
    Array.from({ length: REPETITIONS }, () => isSo(random)).filter(Boolean).length / REPETITIONS
  );
}

describe('the verdict on a document with k protocols', () => {
  it.each([
    [1, 0.1, 'at-most'],
    [5, 0.1, 'at-most'],
    [20, 0.1, 'at-most'],
    [20, 0.5, 'at-least'],
    [28, 0.9, 'at-least'],
  ] as const)(
    'of %d whose probabilities are the bound %d, %s, is false in at most 5 %%',
    (k, bound, side) => {
      const model = topId(`expect.probability=${bound}`, `expect.comparison=${side}`);
      const wrongs = { document: 0, uncorrected: 0 };
      const random = createRandom(parseSeed('17'), 'joint', `${k} ${bound} ${side}`);

      for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
        const wins = Array.from({ length: k }, () => drawBinomial(random, 200, bound));
        const groups = measuredGroups(model, { runs: 200, wins });
        if (documentValue(model, groups) === 'false') wrongs.document += 1;
        if (groups.some((each) => compare(model.expect, each) === 'false')) wrongs.uncorrected += 1;
      }

      expect(wrongs.document / REPETITIONS).toBeLessThanOrEqual(WRONG_MAX);
      // The worst of the verdicts at 95 % each, for comparison.
      if (k >= 20) expect(wrongs.uncorrected / REPETITIONS).toBeGreaterThan(2 * WRONG_MAX);
    },
  );

  it.each([1, 5, 20])('is true in at most 5 %% if one of %d is at the bound', (k) => {
    const model = topId('expect.probability=0.2');

    const wrong = shareOf((random) => {
      const others = Array.from({ length: k - 1 }, () => drawBinomial(random, 200, 0.01));
      const wins = [...others, drawBinomial(random, 200, 0.2)];
      return documentValue(model, measuredGroups(model, { runs: 200, wins })) === 'true';
    }, `true ${k}`);

    expect(wrong).toBeLessThanOrEqual(WRONG_MAX);
    const wins = Array.from({ length: k }, () => 2);
    expect(documentValue(model, measuredGroups(model, { runs: 200, wins }))).toBe('true');
  });

  it('is false in at most 5 % of experiments that look until it is decided', () => {
    const model = topId('expect.probability=0.1');
    const looks = looksUpTo(2000);
    const strict = sharedAmong(model, looks.length);

    const wrong = shareOf((random) => {
      let runs = 0;
      let wins: readonly number[] = Array.from({ length: 10 }, () => 0);
      return looks.some((look) => {
        wins = wins.map((each) => each + drawBinomial(random, look - runs, 0.1));
        runs = look;
        return isDecided(strict, { runs, wins });
      });
    }, 'looks');

    expect(wrong).toBeLessThanOrEqual(WRONG_MAX);
    expect(isDecided(strict, { runs: 2000, wins: [400, ...Array(9).fill(0)] })).toBe(true);
  });

  it('is unknown if a protocol is false alone, but not at the confidence that all share', () => {
    // 61 of 100 has 50.7–70.6 % at 95 %, and 49.3–71.8 % at 97.5 %.
    const model = topId();
    const tally = { ...EMPTY_TALLY, runs: 100, wins: [61, 38] };
    const request = {
      id: 'top-id',
      seed: parseSeed('1'),
      runs: 100,
      settings: [],
      rateMeasured: null,
    };

    const { verdict, results } = report(model, tally, request);

    expect(results.map((each) => [each.verdict.value, each.verdict.confidence])).toEqual([
      ['false', 0.95],
      ['true', 0.95],
    ]);
    expect(verdict).toMatchObject({ value: 'unknown', confidence: 0.975 });
    expect(verdict.protocols).toEqual(['bully-oneshot']);
    expect(verdict.sentence).toContain('97.5 % interval 49.3–71.8 %');
    expect(verdict.sentence).toContain(
      'The level is that of one of 2 protocols, which together have 95 %.',
    );
    expect(isDecided(model, tally)).toBe(false);
    // One false protocol decides, so the other one needs no further run.
    expect(runsStillNeeded(model, tally)).toBeLessThan(60);
  });

  it('shares nothing with protocols whose runs are all the same', () => {
    const model = topId('expect.probability=0.5');
    const constant = [true, true, true, false];

    const groups = measuredGroups(model, { runs: 100, wins: [0, 0, 0, 61], constant });

    expect(groups[0]).toEqual(measureOne({ runs: 100, wins: 0 }));
    expect(documentValue(model, groups)).toBe('false');
    expect(isDecided(model, { runs: 100, wins: [0, 0, 0, 61], constant })).toBe(true);
    expect(isDecided(model, { runs: 100, wins: [100, 0, 0, 50], constant })).toBe(true);
  });
});
