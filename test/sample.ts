/**
 * @module
 * Tables of cases of which the edges run a sample that has each kind. The slow suite runs all (`CASES=all`).
 */

import process from 'node:process';

/** Whether all cases run. A recording needs all of them. */
export const IS_WHOLE = process.env.CASES === 'all' || process.env.RECORD !== undefined;

/**
 * Drawn documents of a cell that is compared with an oracle. A fault of each tenth document of a cell shows in 88 % of the cells
 * with 20 documents, and in 99.8 % with the 60 of the slow suite; a fault that several cells share shows in both.
 */
export const DRAWN_DOCUMENTS = IS_WHOLE ? 60 : 20;

/** Each case whose number is a multiple of `step`; all cases in the slow suite. */
export function sampled<T>(all: readonly T[], step: number): readonly T[] {
  return IS_WHOLE ? all : all.filter((_, number) => number % step === 0);
}
