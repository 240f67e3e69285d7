/**
 * @module
 * Compares measured counts with exact probabilities.
 */

import { expect } from 'vitest';

export interface Count {
  readonly runs: number;
  readonly wins: number;
  /** The exact probability of a win. */
  readonly exact: number;
}

/** A count this far from its law occurs once in a million, and all together once in 150 000. */
const TAIL_MIN = 1e-6;
const Z_MAX = 4.5;

/** Fails if one of the counts, or all of them together, are too far from their exact laws. */
export function expectCounts(counts: readonly Count[]): void {
  let [excess, variance] = [0, 0];
  for (const { runs, wins, exact } of counts) {
    excess += wins - runs * exact;
    variance += runs * exact * (1 - exact);
    expect(tailOf({ runs, wins, exact }), `${wins} of ${runs} at ${exact}`).toBeGreaterThan(
      TAIL_MIN,
    );
  }
  if (variance < 1e-9) expect(Math.abs(excess)).toBeLessThan(1e-6);
  else expect(Math.abs(excess) / Math.sqrt(variance)).toBeLessThan(Z_MAX);
}

/**
 * Fails if one of the counts, or all of them together, are too far from their exact laws. Among a hundred thousand counts and
 * a thousand sums, correct ones fail with a probability below 1e-6.
 */
export function expectLawful(counts: readonly Count[]): void {
  let [excess, variance] = [0, 0];
  for (const count of counts) {
    const { runs, wins, exact } = count;
    excess += wins - runs * exact;
    variance += runs * exact * (1 - exact);
    expect(tailOf(count), `${wins} of ${runs} at ${exact}`).toBeGreaterThan(TABLE_TAIL_MIN / 1e5);
  }
  // Bernstein's inequality holds for any number of runs.
  const tail = 2 * Math.exp(-(excess ** 2) / (2 * (variance + Math.abs(excess) / 3)));
  expect(excess === 0 ? 1 : tail, `an excess of ${excess}`).toBeGreaterThan(TABLE_TAIL_MIN / 1e3);
}

const TABLE_TAIL_MIN = 2e-7;

/** The probability of a count at least as far from the mean, on its side. */
function tailOf({ runs, wins, exact }: Count): number {
  // The recurrence begins with no win, which must not underflow.
  if (exact > 0.5) return tailOf({ runs, wins: runs - wins, exact: 1 - exact });
  if (exact < 1e-12) return wins === 0 ? 1 : 0;
  const isHigh = wins > runs * exact;
  let term = (1 - exact) ** runs;
  let tail = 0;
  for (let count = 0; count <= runs; count += 1) {
    if (isHigh ? count >= wins : count <= wins) tail += term;
    term *= ((runs - count) / (count + 1)) * (exact / (1 - exact));
  }
  return tail;
}
