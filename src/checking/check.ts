/**
 * @module
 * This folder explores all schedules of a protocol within bounds.
 * One check: the search over all worlds, then the search for lassos if every world was visited. Its result is a union
 * of three, so that a search that reached a limit is never read as a proof.
 */

import type { Lasso } from './liveness/lasso.ts';
import { findLasso } from './liveness/lasso.ts';
import type { CheckedProperty } from './property.ts';
import type { Outcome, SearchCounts, SearchOptions } from './search.ts';
import { Search } from './search.ts';
import type { Trace } from './trace.ts';
import { traceOf } from './trace.ts';
import { emptyPacked } from './worlds.ts';

interface Checked {
  readonly counts: SearchCounts;
  /** Names of the `sometimes` properties that some visited world has. */
  readonly witnessed: readonly string[];
}

export type CheckResult =
  /** Every world within the bounds was visited, and no property is violated. */
  | (Checked & { readonly type: 'exhausted' })
  /** A limit was reached first, or the user stopped the search. Nothing is known of the worlds that are left. */
  | (Checked & { readonly type: 'capped'; readonly detail: string })
  | (Checked & {
      readonly type: 'violated';
      readonly property: CheckedProperty;
      /** What is wrong in the last world, in words that follow a colon. */
      readonly breach: string;
      /** The actions from the first world to the violation, and then those that repeat for ever. */
      readonly trace: Trace;
      /** Index of the first action that repeats; null if the violation is a world, or the execution ends. */
      readonly cycleFrom: number | null;
      /** Whether every world was visited, so that the `always` properties hold. */
      readonly isExhausted: boolean;
    });

/** Worlds that are explored before the caller gets a turn. */
const SLICE = 20_000;

/**
 * Checks an instance. Yields the counts after each slice, so that the caller can report and stop. Depth-first, the
 * path to a violation is not the shortest.
 */
export function* check(options: SearchOptions): Generator<SearchCounts, CheckResult> {
  const search = new Search(options);
  let outcome = search.outcome;
  while (outcome === null) {
    outcome = search.run(SLICE);
    yield search.counts;
  }
  return yield* resultOf(search, outcome, options);
}

/** The result of a check that was stopped after these counts. */
export function stoppedResult(counts: SearchCounts): CheckResult {
  return { type: 'capped', counts, witnessed: [], detail: 'the search was stopped' };
}

function* resultOf(
  search: Search,
  outcome: Outcome,
  { properties, bytesMax }: SearchOptions,
): Generator<SearchCounts, CheckResult> {
  const { counts } = search;
  if (outcome.type === 'violated') {
    const { property, path, view } = outcome;
    const trace = traceOf(search.worlds, path);
    const breach = property.breach(view);
    const found = { property, breach, trace, cycleFrom: null, isExhausted: false };
    return { type: 'violated', counts, witnessed: [], ...found };
  }
  const { witnessed } = outcome;
  if (outcome.type === 'capped')
    return { type: 'capped', counts, witnessed, detail: outcome.detail };
  for (const property of properties.filter(({ kind }) => kind === 'eventually')) {
    const steps = findLasso(search, property, bytesMax);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield counts;
    const found = step.value;
    if (found.type === 'found') return lassoResult(search, property, found.lasso, witnessed);
    if (found.type === 'none') continue;
    const detail = `the search for executions without ${property.name} takes more than ${bytesMax} bytes`;
    return { type: 'capped', counts, witnessed, detail };
  }
  return { type: 'exhausted', counts, witnessed };
}

function lassoResult(
  search: Search,
  property: CheckedProperty,
  { prefix, cycle, world }: Lasso,
  witnessed: readonly string[],
): CheckResult {
  const { worlds, store, counts } = search;
  const packed = emptyPacked();
  store.read(world, packed);
  const breach = property.breach(search.viewOf(packed, worlds.isAtRest(packed)));
  const trace = traceOf(worlds, [...prefix, ...cycle]);
  const cycleFrom = cycle.length === 0 ? null : traceOf(worlds, prefix).actions.length;
  const found = { property, breach, trace, cycleFrom, isExhausted: true };
  return { type: 'violated', counts, witnessed, ...found };
}
