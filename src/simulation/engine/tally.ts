/**
 * @module
 * The number of messages sent of each type. A protocol has few types, so that a linear search is faster than
 * a map.
 */

export interface Tally {
  readonly names: string[];
  readonly counts: number[];
}

/** A tally in which these types come first, with 0 each. */
export function createTally(types: readonly string[]): Tally {
  return { names: [...types], counts: types.map(() => 0) };
}

export function countType({ names, counts }: Tally, type: string): void {
  let index = 0;
  while (index < names.length && names[index] !== type) index += 1;
  if (index === names.length) {
    names.push(type);
    counts.push(0);
  }
  counts[index] = (counts[index] ?? 0) + 1;
}

/** The counts by type. */
export function tallied({ names, counts }: Tally): Record<string, number> {
  return Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0]));
}
