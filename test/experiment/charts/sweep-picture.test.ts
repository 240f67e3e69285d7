/**
 * @module
 * What pictures are told of a sweep: words of the document, its bound, and the closed form anywhere on
 * the axes.
 */

import { describe, expect, it } from 'vitest';

import type { PictureInput } from '../../../src/experiment/charts/data.ts';
import { sweepPicture } from '../../../src/experiment/charts/sweep-picture.ts';
import { outlineSweep, planCells } from '../../../src/experiment/sweep/plan.ts';
import { parseSeed } from '../../../src/random.ts';
import { topId } from '../models.ts';

const SEED = parseSeed('5');
const ATTEMPTS = 'adversaries.main.budget.attempts';

function inputOf(...sets: string[]): PictureInput {
  const document = topId();
  const outline = outlineSweep(document, { sets, document: null, runs: 20, seed: SEED });
  const cells = planCells(document, outline, { seed: SEED, rateMeasured: null });
  const measured = { measured: [], rateMeasured: null, seedRule: 'paired' } as const;
  return sweepPicture({ document, outline, cells, ...measured, dataFile: 'f', replay: 'r' });
}

describe('the words', () => {
  it('are those of the document, with the bound that is set', () => {
    const input = inputOf('network.honest=4,8', 'expect.probability=0.01', 'work=sampled');

    expect(input.title).toBe(topId().title);
    expect(input.event).toBe('adversary leads');
    expect(input.sentence).toBe(
      '20 runs of each of 2 cells, sampled work: how often an adversary led; expected: at most 0.01.',
    );
    expect(input.epsilons).toEqual([0.01]);
  });

  it('have all bounds if an axis changes the bound', () => {
    const { epsilons, sentence } = inputOf('expect.probability=0.25,0.01', 'network.honest=4,8');

    expect(epsilons).toEqual([0.25, 0.01]);
    expect(sentence).toContain('expected: at most 0.25, 0.01.');
  });

  it('count the cells that the document refuses', () => {
    const { sentence } = inputOf('network.honest=4,0,-1');

    expect(sentence).toContain('20 runs of each of 3 cells (the document refuses 2), mined work');
  });
});

describe('the closed form', () => {
  it('is that of the document at any values', () => {
    const { theoryAt } = inputOf('network.identity.c1=0,4', `${ATTEMPTS}=64,128`);

    expect(theoryAt?.([0, 64])).toBeCloseTo(64 / 72, 12);
    expect(theoryAt?.([0, 100])).toBeCloseTo(100 / 108, 12);
  });

  it('does not exist between integers', () => {
    const { theoryAt } = inputOf('network.identity.c1=0,4', `${ATTEMPTS}=2,1000`);

    expect(theoryAt?.([0.5, 2])).toBeNull();
    expect(theoryAt?.([0, 2.5])).toBeNull();
  });

  it('is null where the document allows nothing, or has none', () => {
    const { theoryAt } = inputOf('network.honest=4,8', 'adversaries.main.goal=top,spread');

    expect(theoryAt?.([-3, 'top'])).toBeNull();
    expect(theoryAt?.([4, 'nothing'])).toBeNull();
  });

  it('is computed at a limited number of points', () => {
    const { theoryAt } = inputOf('expect.probability=0.25,0.75');
    const at = (index: number) => theoryAt?.([index / 4096]);

    const known = Array.from({ length: 2100 }, (_, index) => at(index)).filter((p) => p !== null);

    expect(known).toHaveLength(2048);
    expect(at(0)).toBe(known[0]);
  });
});
