/**
 * @module
 * A saved budget against a lost one, and against independent programs that keep a share of the budget
 * for keys. With a saved budget an adversary can do all that it can with a lost one.
 */

import { describe, expect, it } from 'vitest';
import { simulateEpochs } from '../../../src/experiment/epochs/epochs.ts';
import { parseThreatModel } from '../../../src/experiment/reading/document.ts';
import { epochPlanOf } from '../../../src/experiment/runs/epochs-run.ts';
import { createRandom, deriveSeed, parseSeed } from '../../../src/random.ts';

const SEED = parseSeed('17');

interface Cell {
  readonly honest: number;
  readonly c1: number;
  readonly count: number;
  readonly lifetime: number;
  readonly churn?: number;
  readonly budget: { readonly attempts: number } | { readonly hashes: number };
}

/** Runs in which the adversary leads the last epoch. */
function wins({ honest, c1, budget, ...epochs }: Cell, unspent: string, runs: number): number {
  const model = parseThreatModel(
    JSON.stringify({
      ...{ id: 'division', title: 't', assumes: 'a', can: 'a', cannot: 'a', wants: 'a' },
      ...{ outcome: 'a', work: 'sampled', runs, network: { honest, identity: { c1 } } },
      adversaries: { m: { budget } },
      expect: { property: 'adversary-leads', comparison: 'at-most', probability: 0.2 },
      epochs: { ...epochs, salt: 'puzzle', unspent },
    }),
    'f.yaml',
  );
  const plan = epochPlanOf(model, null);
  return Array.from({ length: runs }, (_, run) => {
    return simulateEpochs(plan, deriveSeed(SEED, 'run', run)).at(-1)?.leader;
  }).filter((leader) => leader === 'adversary').length;
}

/** Four standard deviations of a share of runs. */
function reach(runs: number): number {
  return 4 * Math.sqrt(0.25 / runs);
}

describe('an adversary with a saved budget', () => {
  // Each program keeps keys in the windows that do not count, and tests them above the honest IDs in those that do.
  it.each([
    [{ honest: 100, c1: 4, count: 40, lifetime: 8, churn: 0.02, budget: { hashes: 10 } }, 0.589],
    [{ honest: 15, c1: 8, count: 10, lifetime: 5, churn: 0.01, budget: { hashes: 100 } }, 0.447],
    [{ honest: 100, c1: 4, count: 40, lifetime: 8, budget: { hashes: 10 } }, 0.589],
    [{ honest: 60, c1: 8, count: 40, lifetime: 8, budget: { hashes: 60 } }, 0.506],
    [{ honest: 15, c1: 8, count: 10, lifetime: 5, budget: { hashes: 200 } }, 0.636],
    [{ honest: 15, c1: 8, count: 100, lifetime: 10, budget: { hashes: 15 } }, 0.679],
  ] as const)('leads about as often as a program does: %j, %d', (cell, share) => {
    const runs = 400;

    expect(wins(cell, 'saved', runs) / runs).toBeGreaterThan(share - reach(runs));
  });

  it.each(Array.from({ length: 16 }, (_, index) => index))(
    'leads at least as often as one with a lost budget (drawn %i)',
    (index) => {
      const random = createRandom(SEED, 'cell', index);
      const lifetime = 1 + random.below(8);
      const amount = 5 + random.below(100);
      const cell: Cell = {
        ...{ honest: 5 + random.below(60), c1: 3 + random.below(5), lifetime },
        count: lifetime + random.below(25),
        churn: random.below(2) === 0 ? 0 : random.below(10) / 100,
        budget: random.below(2) === 0 ? { attempts: amount } : { hashes: amount },
      };
      const runs = 200;
      const lost = wins(cell, 'lost', runs) / runs;

      expect(wins(cell, 'saved', runs) / runs, JSON.stringify(cell)).toBeGreaterThan(
        lost - Math.SQRT2 * reach(runs),
      );
    },
  );
});
