/**
 * @module
 * Crashes as people name them, by rank or as the highest, before the run or at a tick of it, made
 * into the options of a simulation.
 */

import type { Fault } from './schedule.ts';

export interface NamedCrash {
  readonly rank: number | 'highest';
  /** Absent or null: it died before the run. */
  readonly at?: number | null | undefined;
}

/** `highest` is node n before the run, and the highest that is alive then during it. */
export function resolveCrashes(
  nodes: number,
  crashes: readonly NamedCrash[],
): { readonly crashedBefore: readonly number[]; readonly faults: readonly Fault[] } {
  const crashedBefore: number[] = [];
  for (const { rank, at } of crashes) {
    if (at === undefined || at === null) crashedBefore.push(rank === 'highest' ? nodes : rank);
  }
  let highest = nodes;
  while (crashedBefore.includes(highest)) highest -= 1;
  if (highest === 0) highest = nodes;
  const faults: Fault[] = [];
  for (const { rank, at } of crashes) {
    if (at === undefined || at === null) continue;
    faults.push({ type: 'crash', rank: rank === 'highest' ? highest : rank, at });
  }
  return { crashedBefore, faults };
}
