/**
 * @module
 * Checks of input from outside, shared by the plan and by the functions that change a run. Each throws
 * LabError `arguments`.
 */

import { LabError } from '../../errors.ts';

export function assertThat(holds: boolean, detail: () => string): void {
  if (!holds) throw new LabError('arguments', detail());
}

/** Refuses a value that is not a whole number within the bounds. */
export function assertInteger(
  name: string,
  value: number,
  bounds: { readonly min: number; readonly max: number },
): void {
  assertThat(
    Number.isSafeInteger(value) && value >= bounds.min && value <= bounds.max,
    () => `${name} must be a whole number in ${bounds.min}..${bounds.max}, not ${value}`,
  );
}

/** Refuses ranks that no node has, and a rank that is named twice. */
export function assertRanks(name: string, ranks: readonly number[], nodes: number): void {
  const named = new Set<number>();
  for (const rank of ranks) {
    assertInteger(`${name}: rank`, rank, { min: 1, max: nodes });
    assertThat(!named.has(rank), () => `${name} names rank ${rank} twice`);
    named.add(rank);
  }
}

/** Refuses ranks that are also among the others, which are `what`. */
export function assertDisjoint(
  name: string,
  ranks: readonly number[],
  others: readonly number[],
  what: string,
): void {
  const both = ranks.filter((rank) => others.includes(rank));
  assertThat(both.length === 0, () => `${name}: ${both} is ${what}`);
}
