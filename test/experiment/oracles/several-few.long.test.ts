/**
 * @module
 * Several adversaries whose budgets pay for few evaluations of the puzzle: the closed form against the dynamic program.
 */

import { describe, expect, it } from 'vitest';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { filteredOracle } from './filtered.ts';
import { documentOf, drawer, sidesOf, WHO } from './instances.ts';

describe.each(WHO)('judged by %s', (by) => {
  it.each([
    ['adversary-leads', 'top', 1, 30],
    ['top-captured', 'top:all', 2, 10],
    ['successors-captured', 'successors:all', 2, 10],
  ] as const)(
    '%s as often as a dynamic program says, in drawn documents',
    (property, goal, count, documents) => {
      const draw = drawer(40);
      for (let drawn = 0; drawn < documents; drawn += 1) {
        const [honest, c1] = [2 + draw(11), 1 + draw(4)];
        const budgets = Array.from({ length: 2 + draw(2) }, () => 2 + draw(60));
        const model = documentOf({
          network: { honest, identity: { c1 } },
          adversaries: budgets.map((hashes) => ({ budget: { hashes }, goal })),
          expect: { property, by, ...(count > 1 ? { count } : {}) },
        });

        const { probability } = theoryOf(model, EMPTY_TALLY, null);

        const limiting = property === 'successors-captured' ? honest - 1 : honest;
        const sides = sidesOf(by, budgets.length);
        const oracle = { honest: limiting, count, c1, budgets, perKey: 1, sides };
        expect(probability).toBeCloseTo(filteredOracle(oracle), 9);
      }
    },
  );
});
