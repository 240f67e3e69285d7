/**
 * @module
 * Every published result of papers/. It takes minutes.
 */

import { expect, it } from 'vitest';
import { parsed, usurp } from '../cli/shell.ts';

interface Row {
  readonly at: string;
  readonly agreement: string;
  readonly why: string | null;
}

it('agrees in every number, or the document explains the difference', async () => {
  const printed = await usurp(['reproduce', '--all', '--json']);
  const { results } = parsed(printed);
  const rows: Row[] = results.flatMap((result: { readonly rows: readonly Row[] }) => result.rows);
  const unexplained = rows.filter(
    ({ agreement, why }) => agreement === 'differs' || (agreement !== 'agrees' && why === null),
  );

  expect(rows.length).toBeGreaterThanOrEqual(125);
  expect(printed.code).toBe(0);
  expect(unexplained).toEqual([]);
  // GoodJEst under adversaries that replace their IDs at each purge.
  // The longest of 1 000 trials with time-outs as short as a broadcast, and two time-outs one tick apart.
  expect(rows.filter(({ agreement }) => agreement === 'explained').map(({ at }) => at)).toEqual([
    'newest IDs are kept, exponential sessions',
    'newest IDs are kept, Weibull sessions',
    'an iteration is filled and held, exponential sessions',
    '12 to 24 ms, longest',
    '150 to 151 ms, p50',
  ]);
});
