/**
 * @module
 * Several adversaries whose budgets pay for few evaluations of the puzzle: the closed form against the dynamic program.
 */

import { expect, it } from 'vitest';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { filteredOracle } from './filtered.ts';
import { documentOf, drawer } from './instances.ts';

it('lead as often as a dynamic program says, in 60 drawn documents', () => {
  const draw = drawer(40);
  for (let drawn = 0; drawn < 60; drawn += 1) {
    const [honest, c1] = [1 + draw(12), 1 + draw(4)];
    const budgets = Array.from({ length: 2 + draw(2) }, () => 2 + draw(60));
    const model = documentOf({
      network: { honest, identity: { c1 } },
      adversaries: budgets.map((hashes) => ({ budget: { hashes }, goal: 'top' })),
      expect: { property: 'adversary-leads' },
    });

    const { probability, formula } = theoryOf(model, EMPTY_TALLY, null);

    const sides = [budgets.map((_, index) => index)];
    const exact = filteredOracle({ honest, count: 1, c1, budgets, perKey: 1, sides });
    expect([formula, probability]).toEqual([
      expect.stringContaining('1-E['),
      expect.closeTo(exact, 9),
    ]);
  }
});
