/**
 * @module
 * The progress of a job of any kind in few words.
 */

import { count, counted, decimal } from '../parts/numbers.ts';
import { wordsOf } from '../parts/values.tsx';

/** Counts that are shown at most. */
const COUNTS_MAX = 3;

/** For example "12 of 50" or "states 1 234, depth 7". Each kind has counts of its own. */
export function progressText(progress: object | null | undefined): string {
  if (progress === null || progress === undefined) return '';
  const values: Readonly<Record<string, unknown>> = { ...progress };
  const { done, total, runs, runsTotal } = values;
  if (typeof done === 'number' && typeof total === 'number') {
    return `${count(done)} of ${count(total)}`;
  }
  if (typeof runs === 'number' && typeof runsTotal === 'number') {
    return `${count(runs)} of ${counted(runsTotal, 'run')}`;
  }
  return Object.entries(values)
    .flatMap(([name, value]) => {
      if (typeof value === 'string') return [`${wordsOf(name)} ${value}`];
      return typeof value === 'number' ? [`${wordsOf(name)} ${decimal(value)}`] : [];
    })
    .slice(0, COUNTS_MAX)
    .join(', ');
}
