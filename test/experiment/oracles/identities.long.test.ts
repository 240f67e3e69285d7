/**
 * @module
 * Identities and ranks against an oracle that counts: for each property, response, budget and choice of the
 * judged adversaries, drawn networks. The closed form is exact to 1e-9, and the measured frequency agrees.
 * `ORACLE_RUNS` makes it more runs of each.
 */

import { describe, expect, it } from 'vitest';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../../src/random.ts';
import { DRAWN_DOCUMENTS } from '../../sample.ts';
import { STILL } from '../models.ts';
import { filteredOracle } from './filtered.ts';
import type { Count } from './frequency.ts';
import { expectCounts } from './frequency.ts';
import type { BudgetKind, Draw, Who } from './instances.ts';
import { BUDGETS, budgeted, documentOf, drawer, sidesOf, WHO } from './instances.ts';
import type { CountedProperty, Instance } from './orders.ts';
import { oracleOf } from './orders.ts';

const RUNS = Number(process.env.ORACLE_RUNS ?? 20);

/** Each response, and the most identities that an adversary registers. */
const RANKING = [
  ['top', 'after', Number.POSITIVE_INFINITY],
  ['top', 'before', Number.POSITIVE_INFINITY],
  ['any', 'after', 1],
  ['count:2', 'after', 2],
  ['all', 'after', Number.POSITIVE_INFINITY],
] as const;
const CAPTURE = RANKING.slice(2);

const CELLS = [
  ...RANKING.map((response) => ['adversary-leads', ...response] as const),
  ...CAPTURE.map((response) => ['top-captured', ...response] as const),
  ...CAPTURE.map((response) => ['successors-captured', ...response] as const),
  ...CAPTURE.map((response) => ['majority-captured', ...response] as const),
  ...CAPTURE.map((response) => ['majority-denied', ...response] as const),
];

interface Cell {
  readonly property: CountedProperty;
  readonly goal: string;
  readonly registers: string;
  readonly most: number;
  readonly by: Who;
  readonly budget: BudgetKind;
}

/** A drawn network of the cell, and the document of it. */
function drawn(
  draw: Draw,
  cell: Cell,
): { readonly instance: Instance; readonly model: ThreatModel } {
  const { property, goal, registers, most, by, budget } = cell;
  const c1 = draw(3);
  const honest = 1 + draw(3);
  const isCounted = property === 'top-captured' || property === 'successors-captured';
  const number = by === 'together' ? 1 + draw(3) : 2 + draw(2);
  const adversaries = Array.from({ length: number }, () => ({
    attempts: draw(number === 3 ? 3 : 4),
    ordinary: property === 'adversary-leads' ? 0 : Math.max(0, draw(4) - 2),
    most,
  }));
  const instance: Instance = {
    ...{ honest, c1, adversaries, property, sides: sidesOf(by, adversaries.length) },
    count: isCounted ? 1 + draw(3) : 1,
  };
  // The ID, and the puzzle if there is one.
  const hashes = c1 > 0 ? 2 : 1;
  const model = documentOf({
    network: { honest, identity: { c1 }, election: { protocols: ['cr-join'] } },
    adversaries: adversaries.map(({ attempts, ordinary }) => ({
      ...{ ...budgeted(budget, attempts, hashes), identities: ordinary, goal, registers },
      behaviours: [],
    })),
    expect: { property, count: instance.count, by },
  });
  return { instance, model };
}

/**
 * With hashes or seconds, an adversary that wants one ID above all others hashes the IDs first. If it knows the honest
 * ones, it evaluates the puzzles of those above them alone. That is also the upper bound for one that does not. In time, half of a group operation for each key is one hash.
 */
function exactOf(instance: Instance, { goal, budget }: Cell): number {
  const { adversaries, c1 } = instance;
  if (goal !== 'top' || budget === 'attempts' || c1 === 0) return oracleOf(instance);
  const perKey = budget === 'hashes' ? 1 : 2;
  const budgets = adversaries.map(({ attempts }) =>
    budget === 'hashes' ? 2 * attempts + 1 : 3 * attempts,
  );
  return filteredOracle({ ...instance, budgets, perKey });
}

describe.each(CELLS)('%s with the goal %s, registered %s,', (property, goal, registers, most) => {
  it.each(WHO.flatMap((by) => BUDGETS.map((budget) => [by, budget] as const)))(
    'judged by %s, with a budget in %s',
    (by, budget) => {
      const cell = { property, goal, registers, most, by, budget };
      const draw = drawer(
        [...JSON.stringify(cell)].reduce((sum, c) => (31 * sum + c.charCodeAt(0)) & 0xffffff, 7),
      );
      const counts: Count[] = [];
      for (let index = 0; index < DRAWN_DOCUMENTS; index += 1) {
        const { instance, model } = drawn(draw, cell);
        const exact = exactOf(instance, cell);
        const { probability } = theoryOf(model, EMPTY_TALLY, null);
        if (probability !== null) expect(probability).toBeCloseTo(exact, 9);
        const { wins } = executeRuns(
          model,
          parseSeed(String(index)),
          { from: 0, count: RUNS },
          STILL,
        );
        counts.push({ runs: RUNS, wins: wins[0] ?? 0, exact });
      }
      expectCounts(counts);
    },
  );
});
