/**
 * @module
 * One figure over many elections: its least, its mean and its most, as data and as a row of a table.
 */

export interface Spread {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** Of the values added, kept as sums; all three are 0 of none. */
export function createSpread(): { add(value: number): void; spread(): Spread } {
  let count = 0;
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  return {
    add(value) {
      count += 1;
      sum += value;
      min = Math.min(min, value);
      max = Math.max(max, value);
    },
    spread: () => (count === 0 ? { min: 0, mean: 0, max: 0 } : { min, mean: sum / count, max }),
  };
}

/** The row under `SPREAD_HEAD`. */
export function spreadRow(name: string, { min, mean, max }: Spread): string[] {
  return [name, String(min), mean.toFixed(1), String(max)];
}

export const SPREAD_HEAD: readonly string[] = ['', 'min', 'mean', 'max'];
