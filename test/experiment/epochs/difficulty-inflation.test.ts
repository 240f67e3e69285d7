/**
 * @module
 * Mass joins against a difficulty that follows them: the nodes that they price out, the bounds, and what they
 * cost.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSeed } from '../../../src/random.ts';
import type { InflationPlan } from './inflation.ts';
import { inflateDifficulty } from './inflation.ts';
import { CONDUCT, STILL_THERE } from './samples.ts';

const SEED = parseSeed('6');

/** Twenty nodes that can pay 16 times the first difficulty, and an adversary of a thousand times that. */
const PLAN: InflationPlan = {
  epochs: 10,
  salt: 'both',
  honest: { ...STILL_THERE, nodes: 20, testsPerWindow: 2 ** 8 },
  adversary: { stockKeys: 0, testsPerWindow: 2 ** 14, revealChoices: 0 },
  conduct: CONDUCT,
  difficultyBits: 4,
  retargeting: { targetJoins: 20, stepBitsMax: 1 },
  lifetimeEpochs: 1,
};

function without(plan: InflationPlan): InflationPlan {
  return { ...plan, adversary: { stockKeys: 0, testsPerWindow: 0, revealChoices: 0 } };
}

describe('mass joins', () => {
  it('price honest nodes out, a step an epoch', () => {
    const { epochs, pricedOut, inflatedBitsMax, attempts } = inflateDifficulty(PLAN, SEED);

    expect(epochs.map(({ difficultyBits }) => difficultyBits)).toEqual([
      ...[4, 5, 6, 7, 8, 9, 10, 10, 10, 10],
    ]);
    expect(epochs.map(({ difficultyBitsOtherwise: bits }) => bits)).toEqual(Array(10).fill(4));
    expect(epochs[0]?.pricedOut).toEqual([]);
    expect(epochs.at(-1)?.pricedOut.length).toBeGreaterThan(10);
    expect(pricedOut).toHaveLength(20);
    expect({ inflatedBitsMax, attempts }).toEqual({ inflatedBitsMax: 6, attempts: 10 * 2 ** 14 });
  });

  it('price no node out without mass joins', () => {
    const { pricedOut, inflatedBitsMax, attempts } = inflateDifficulty(without(PLAN), SEED);

    expect({ pricedOut, inflatedBitsMax, attempts }).toEqual({
      ...{ pricedOut: [], inflatedBitsMax: 0, attempts: 0 },
    });
  });

  it('price no node out whose claim counts for ever', () => {
    const { pricedOut, inflatedBitsMax } = inflateDifficulty(
      { ...PLAN, salt: 'none', lifetimeEpochs: null },
      SEED,
    );

    expect(inflatedBitsMax).toBeGreaterThan(0);
    expect(pricedOut).toEqual([]);
  });

  it('price fewer out in as many epochs where they have less to spend than the honest', () => {
    const adversary = { ...PLAN.adversary, testsPerWindow: 2 ** 6 };

    const { epochs, pricedOut } = inflateDifficulty({ ...PLAN, adversary }, SEED);

    expect(epochs.every(({ difficultyBits }) => difficultyBits <= 5)).toBe(true);
    expect(pricedOut.length).toBeLessThan(3);
  });

  it('are as good as their step: a larger one prices out sooner', () => {
    const firstOut = (stepBitsMax: number) => {
      const plan = { ...PLAN, retargeting: { targetJoins: 20, stepBitsMax } };
      return inflateDifficulty(plan, SEED).epochs.findIndex(
        ({ pricedOut }) => pricedOut.length > 5,
      );
    };

    expect(firstOut(4)).toBeLessThan(firstOut(1));
  });

  it('raise the bits by no more than a step an epoch, and take claims only from those named', () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(1_000_000),
          salt: fc.constantFrom('none', 'both', 'puzzle', 'rank'),
          stepBitsMax: fc.integer({ min: 1, max: 3 }),
          tests: fc.integer({ min: 0, max: 4000 }),
          lifetimeEpochs: fc.constantFrom(null, 1, 2),
        }),
        ({ seed, salt, stepBitsMax, tests, lifetimeEpochs }) => {
          const plan = {
            ...{ ...PLAN, salt, lifetimeEpochs, epochs: 6 },
            adversary: { ...PLAN.adversary, testsPerWindow: tests },
            retargeting: { targetJoins: 20, stepBitsMax },
          } as InflationPlan; // The names of salts are literals above.

          const { epochs } = inflateDifficulty(plan, parseSeed(String(seed)));

          for (const [index, { difficultyBits, admitted, pricedOut }] of epochs.entries()) {
            const before = epochs[index - 1]?.difficultyBits ?? plan.difficultyBits;
            expect(Math.abs(difficultyBits - before)).toBeLessThanOrEqual(stepBitsMax);
            expect(admitted + pricedOut.length).toBeLessThanOrEqual(20);
          }
        },
      ),
      { seed: 6, numRuns: 100 },
    );
  });
});
