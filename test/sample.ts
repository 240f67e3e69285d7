/**
 * @module
 * Tables of cases of which the edges run a sample that has each kind. The slow suite runs all (`CASES=all`).
 */

import process from 'node:process';

/** Whether all cases run. A recording needs all of them. */
export const IS_WHOLE = process.env.CASES === 'all' || process.env.RECORD !== undefined;

/** Each case whose number is a multiple of `step`; all cases in the slow suite. */
export function sampled<T>(all: readonly T[], step: number): readonly T[] {
  return IS_WHOLE ? all : all.filter((_, number) => number % step === 0);
}
