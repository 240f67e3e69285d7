/**
 * @module
 * An adversary that saves its budget, to raise the difficulty for honest nodes just before the last window.
 */

import { describe, expect, it } from 'vitest';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { parseSeed } from '../../../src/random.ts';
import { STILL } from '../models.ts';
import { documentOf } from '../oracles/instances.ts';
import { expectAgreement } from './samples.ts';

const RUNS = 400;

function winsWith(unspent: 'lost' | 'saved', plan?: string): number {
  const model = documentOf({
    network: { honest: 20, identity: { c1: 12 } },
    epochs: {
      ...{ count: 10, salt: 'puzzle', lifetime: 1, honestAttempts: 65_536, unspent },
      retargeting: { joins: 20, stepBits: 2 },
    },
    adversaries: [{ budget: { attempts: 2 ** 20 }, ...(plan === undefined ? {} : { plan }) }],
    expect: { property: 'honest-priced-out', probability: 0.5 },
  });
  return executeRuns(model, parseSeed('40'), { from: 0, count: RUNS }, STILL).wins[0] ?? 0;
}

/** 3 000 runs of a program in another language, which draws joins alone, gave 48 % and 99 %. */
describe('the difficulty in the last of ten epochs', () => {
  it.each([
    ['lost', 'fresh'],
    ['lost', 'inflating'],
    ['saved', 'fresh'],
  ] as const)(
    'with unspent %s and plan %s prices honest nodes out in 48 %% of the runs',
    (unspent, plan) => {
      expectAgreement({ wins: winsWith(unspent, plan), runs: RUNS }, 0.48, unspent);
    },
  );

  it('does so in 98 % if the adversary saves its budget for the windows before', () => {
    expect(winsWith('saved') / RUNS).toBeGreaterThan(0.97);
  });
});

interface Game {
  readonly honest: number;
  readonly c1: number;
  readonly epochs: object;
  readonly adversary: object;
}

function frequencyOf({ honest, c1, epochs, adversary }: Game, runs: number): number {
  const model = documentOf({
    network: { honest, identity: { c1 } },
    ...{ epochs: { lifetime: 1, ...epochs }, adversaries: [adversary] },
    expect: { property: 'honest-priced-out' },
  });
  return (executeRuns(model, parseSeed('41'), { from: 0, count: runs }, STILL).wins[0] ?? 0) / runs;
}

/** Optima of a program in another language, over all numbers of joins in each window and all rests of the budget. */
describe.each([
  [3, 2, 4, 8, { joins: 3, stepBits: 2 }, 4, 0.2032],
  [3, 3, 4, 16, { joins: 3, stepBits: 2 }, 8, 0.2065],
  [3, 2, 5, 8, { joins: 1, stepBits: 2 }, 4, 0.7704],
  [4, 2, 4, 8, { joins: 2, stepBits: 3 }, 8, 0.6071],
  [3, 2, 5, 8, { joins: 3, stepBits: 1 }, 4, 0.2245],
] as const)(
  'a saved budget against %d honest nodes, c1 %d, %d epochs',
  (honest, c1, count, honestAttempts, retargeting, attempts, best) => {
    it(`prices them out in ${best} of the runs`, () => {
      const epochs = { count, honestAttempts, retargeting, salt: 'puzzle', unspent: 'saved' };
      const runs = 2000;
      const frequency = frequencyOf(
        { honest, c1, epochs, adversary: { budget: { attempts } } },
        runs,
      );
      expectAgreement({ wins: frequency * runs, runs }, best, 'saved');
    });
  },
);

/** What programs in another language reach: with the best number of joins in each window, and with a begin of the release. */
describe('joins that are held back', () => {
  const puzzle = { salt: 'puzzle', unspent: 'lost' };
  const free = { salt: 'none', honestAttempts: 2048, retargeting: { joins: 20, stepBits: 2 } };
  it.each([
    [
      'of one window',
      { ...puzzle, count: 4, honestAttempts: 128, retargeting: { joins: 1, stepBits: 4 } },
      { honest: 3, c1: 5, adversary: { budget: { attempts: 1024 } } },
      0.9187,
    ],
    [
      'of one window of three',
      { ...puzzle, count: 3, honestAttempts: 16, retargeting: { joins: 2, stepBits: 4 } },
      { honest: 3, c1: 3, adversary: { budget: { attempts: 256 } } },
      0.9611,
    ],
    [
      'of a stockpile without a salt',
      { ...free, count: 6 },
      { honest: 20, c1: 8, adversary: { stockpile: 262_144, budget: { attempts: 0 } } },
      0.752,
    ],
    [
      'of all windows without a salt',
      { ...free, count: 16 },
      { honest: 20, c1: 8, adversary: { budget: { attempts: 16_384 } } },
      0.9675,
    ],
  ] as const)('%s', (_name, epochs, game, least) => {
    expect(frequencyOf({ ...game, epochs }, 400)).toBeGreaterThan(least - 0.03);
  });
});
