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
