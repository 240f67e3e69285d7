/**
 * @module
 * Crashes as users name them: by rank or as the highest node, before the run or at a tick of it.
 */

import type { Fault } from './schedule.ts';

export interface NamedCrash {
  readonly rank: number | 'highest';
  /** Null or absent: the node crashed before the run. */
  readonly at?: number | null | undefined;
}

/**
 * The options of a simulation for these crashes. Before the run, `highest` is node n; during the run, it is
 * the highest node that did not crash before.
 */
export function resolveCrashes(
  nodes: number,
  crashes: readonly NamedCrash[],
): { readonly crashedBefore: readonly number[]; readonly faults: readonly Fault[] } {
  const crashedBefore = crashes
    .filter(({ at }) => at === undefined || at === null)
    .map(({ rank }) => (rank === 'highest' ? nodes : rank));
  let highest = nodes;
  while (crashedBefore.includes(highest)) highest -= 1;
  if (highest === 0) highest = nodes;
  const faults = crashes.flatMap(({ rank, at }): Fault[] => {
    if (at === undefined || at === null) return [];
    return [{ type: 'crash', rank: rank === 'highest' ? highest : rank, at }];
  });
  return { crashedBefore, faults };
}
