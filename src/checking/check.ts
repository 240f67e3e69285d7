/**
 * @module
 * This folder explores all schedules of a protocol within bounds.
 * A check searches all worlds. If every world was visited, it then searches for lassos. Its result is one of three types,
 * so that a search that reached a limit is never taken for a proof.
 */

import type { Coverage } from './coverage.ts';
import { TooManyValuesError } from './interner.ts';
import { emptyPacked, fitsLinks } from './layout.ts';
import type { Lasso } from './liveness/lasso.ts';
import { findLasso } from './liveness/lasso.ts';
import type { CheckedProperty } from './property.ts';
import type { Assumed } from './reduction.ts';
import { assumeNothing, Reducer } from './reduction.ts';
import type { SearchCounts, SearchOptions } from './search.ts';
import { Search } from './search.ts';
import type { Trace } from './traces/trace.ts';
import { traceOf } from './traces/trace.ts';
import type { Cap, Outcome } from './visited/outcome.ts';
import { capOfMemory } from './visited/outcome.ts';
import type { Walkers } from './walks/batches.ts';
import { batchSize, WalkTotals, walkBatch } from './walks/batches.ts';
import type { WalkedBreach, WalkPlan } from './walks/random-walks.ts';
import { RandomWalks } from './walks/random-walks.ts';

/** What a search has found so far. */
export interface Checked {
  readonly counts: SearchCounts;
  /** Names of the `sometimes` properties that some visited world has. */
  readonly witnessed: readonly string[];
  /** The parts of the protocol that the search has reached so far. */
  readonly coverage: Coverage;
  /**
   * Whether the search was reduced: of executions that differ only in the order of independent actions, it may have
   * visited one. The path to a violation may not be the shortest.
   */
  readonly isReduced: boolean;
  /** Largest number of worlds that count as one because they differ only in which node has which rank. */
  readonly renamings: number;
  /** The random walks that were carried out instead of a search. Null for a search. */
  readonly walks: WalkPlan | null;
}

/** By how much a counter is higher after a cycle than before it. */
export interface Rise {
  readonly counter: string;
  readonly by: number;
}

export type CheckResult =
  /** Every world within the bounds was visited, and no property is violated. */
  | (Checked & { readonly type: 'exhausted' })
  /**
   * A limit was reached first, or the user stopped the search. Nothing is known about the other worlds.
   * `isCrowded`: among the worlds that were found last are some with many messages on a link.
   */
  | (Checked & Cap & { readonly type: 'capped'; readonly isCrowded?: boolean })
  | (Checked & {
      readonly type: 'violated';
      readonly property: CheckedProperty;
      /** What is wrong in the last world, in words that follow a colon. */
      readonly breach: string;
      /** The actions from the first world to the violation, and then those that repeat for ever. */
      readonly trace: Trace;
      /** Index of the first action that repeats; null if the violation is a world, or the execution ends. */
      readonly cycleFrom: number | null;
      /** The counters, such as terms, that are higher after each repetition. All else is the same. */
      readonly rises: readonly Rise[];
      /** Number of steps of the address before those that repeat; null as above. */
      readonly repeatsFrom: number | null;
      /** Whether every world was visited, so that the `always` properties hold. */
      readonly isExhausted: boolean;
    });

/** What was found up to a moment. */
export interface Progress extends Checked {
  /** The search, if it can be saved: while it explores all worlds. */
  readonly search?: Search;
}

export interface CheckOptions extends SearchOptions {
  /** Whether the search may leave out worlds if this changes no verdict. */
  readonly isReduced: boolean;
  /** Random walks instead of a search. */
  readonly walks?: WalkPlan | undefined;
  /** Threads that help with random walks. They change no result. */
  readonly walkers?: Walkers | undefined;
}

/** Number of messages on a link from which a limit on them may help a search that is too large. */
export const CROWDED_FROM = 3;
/** Number of the last worlds that are examined for such links. */
const LAST_WORLDS = 5000;

/** Worlds that are explored before the caller gets a turn. */
const SLICE = 20_000;

/**
 * Checks an instance. Yields what was found after each slice, so that the caller can report and stop. In depth-first
 * order, the path to a violation may not be the shortest.
 *
 * The search is reduced if this is sound (reduction.ts): if no property is an `eventually` property or one of the user. A
 * reduced search may find a path that is not the shortest. So after a violation the search is repeated without
 * reduction. If the repeated search is capped, the longer path is the result.
 *
 * With `walks` it is a check by random walks, which is capped if it finds no violation.
 */
export function* check(options: CheckOptions): Generator<Progress, CheckResult> {
  if (options.walks !== undefined) return yield* checkByWalks(options, options.walks);
  const isReduced = options.isReduced && options.properties.every(isReducible);
  const reduced = isReduced ? yield* checkReduced(options) : null;
  if (reduced !== null && reduced.type !== 'violated') return reduced;
  const search = new Search(options);
  let outcome = search.outcome;
  while (outcome === null) {
    outcome = search.run(SLICE);
    yield { ...checkedBy(search, false), search };
  }
  const result = yield* resultOf(search, outcome, options, false);
  return reduced !== null && result.type === 'capped' ? reduced : result;
}

/** Whether a reduced search gives the same verdict of a property. */
function isReducible({ kind, reads }: CheckedProperty): boolean {
  return kind !== 'eventually' && reads === undefined;
}

/** The result of a reduced search; null if the protocol cannot be reduced. */
function* checkReduced(options: CheckOptions): Generator<Checked, CheckResult | null> {
  for (let assumed = assumeNothing(); !assumed.drawsNames; ) {
    const reducer = new Reducer(options.instance, assumed);
    const search = new Search({ ...options, reduction: reducer.reduce });
    let { outcome } = search;
    let revised: Assumed | null = null;
    for (let slice = FIRST_SLICE; outcome === null && revised === null; slice *= 2) {
      // The turns of the caller must not change when assumptions are revised.
      const end = search.explored + Math.min(slice, SLICE);
      while (outcome === null && search.explored < end) {
        outcome = search.run(end - search.explored);
        yield checkedBy(search, true);
      }
      revised = reducer.revised(search.worlds);
    }
    // A violation is a real execution even if an assumption was wrong.
    if (outcome !== null && (outcome.type === 'violated' || revised === null))
      return yield* resultOf(search, outcome, options, true);
    assumed = revised ?? assumed;
  }
  return null;
}

/** Worlds of the first slice of a reduced search. It is small because most wrong assumptions show at once. */
const FIRST_SLICE = 500;

/** The detail of a search that a caller has stopped. */
export const SEARCH_STOPPED = 'the search was stopped';

/** The result of a check that was stopped when it had found this. */
export function stoppedResult(checked: Checked): CheckResult {
  return { type: 'capped', ...checked, cause: 'stopped', detail: SEARCH_STOPPED };
}

function checkedBy({ counts, witnessed, worlds, orbits }: Search, isReduced: boolean): Checked {
  const coverage = worlds.steps.coverage.of(worlds.instance);
  const renamings = orbits?.size ?? 1;
  return { counts, witnessed, coverage, isReduced, renamings, walks: null };
}

function* resultOf(
  search: Search,
  outcome: Outcome,
  { properties, bytesMax, memoryUsed = () => 0 }: SearchOptions,
  isReduced: boolean,
): Generator<Checked, CheckResult> {
  const checked = checkedBy(search, isReduced);
  const bytesLeft = () => Math.max(0, bytesMax - Math.max(search.store.bytes, memoryUsed()));
  if (outcome.type === 'violated') {
    const { property, path, breach } = outcome;
    const trace = traceOf(search.worlds, path);
    const found = { property, breach, trace, isExhausted: false };
    const none = { cycleFrom: null, repeatsFrom: null, rises: [] };
    return { type: 'violated', ...checked, ...found, ...none };
  }
  if (outcome.type === 'capped') return { ...checked, ...outcome, isCrowded: isCrowded(search) };
  for (const property of properties.filter(({ kind }) => kind === 'eventually')) {
    const steps = findLasso(search, property, bytesLeft());
    let step = steps.next();
    for (; step.done !== true && bytesLeft() > 0; step = steps.next()) yield checked;
    const found = step.done === true ? step.value : OUT_OF_MEMORY;
    if (found.type === 'found') return lassoResult(search, property, found.lasso);
    if (found.type === 'none') continue;
    const what = `the search for executions without ${property.name} takes more than`;
    return { type: 'capped', ...checked, ...capOfMemory(what, bytesMax) };
  }
  return { type: 'exhausted', ...checked };
}

const OUT_OF_MEMORY = { type: 'capped' } as const;

/** Whether one of the worlds that were found last has a link with so many messages. */
function isCrowded({ store, worlds }: Search): boolean {
  const world = emptyPacked();
  const { layout, steps } = worlds;
  for (let number = Math.max(0, store.size - LAST_WORLDS); number < store.size; number += 1) {
    store.read(number, world);
    if (!fitsLinks(world, layout, steps.links, CROWDED_FROM - 1)) return true;
  }
  return false;
}

function lassoResult(
  search: Search,
  property: CheckedProperty,
  { prefix, cycle, world }: Lasso,
): CheckResult {
  const { worlds, store } = search;
  const packed = emptyPacked();
  store.read(world, packed);
  const breach = property.breach(search.viewOf(packed, worlds.isAtRest(packed)));
  const before = traceOf(worlds, prefix);
  const repeated = traceOf(worlds, cycle, before.end);
  const trace = {
    actions: [...before.actions, ...repeated.actions],
    address: [...before.address, ...repeated.address],
    end: repeated.end,
  };
  const cycleFrom = cycle.length === 0 ? null : before.actions.length;
  const rises = (worlds.shift?.counters ?? []).flatMap(({ name }, index) => {
    const by = (trace.end.raised[index] ?? 0) - (before.end.raised[index] ?? 0);
    return by > 0 ? [{ counter: name, by }] : [];
  });
  const repeatsFrom = cycle.length === 0 ? null : prefix.length;
  const found = { property, breach, trace, cycleFrom, repeatsFrom, rises, isExhausted: true };
  return { type: 'violated', ...checkedBy(search, false), ...found };
}

/** Actions that are carried out before the caller gets a turn. */
const ACTIONS_OF_SLICE = 20_000;

/** The check by random walks. It ends at the first walk that violates a property. Otherwise it is capped. */
function* checkByWalks(options: CheckOptions, plan: WalkPlan): Generator<Checked, CheckResult> {
  const { memoryUsed, bytesMax, walkers, isDue } = options;
  const walks = new RandomWalks(options, plan);
  const totals = new WalkTotals(options);
  const { count, depth, seed } = plan;
  const checked = (): Checked => ({
    counts: totals.counts,
    witnessed: totals.witnessed,
    coverage: totals.coverage,
    isReduced: false,
    renamings: 1,
    walks: { count: totals.walked, depth, seed },
  });
  const capped = (detail: string): CheckResult => ({
    type: 'capped',
    ...checked(),
    cause: 'walks',
    detail,
  });
  let yielded = 0;
  for (let own = 0; totals.end === null && totals.walked < count; ) {
    const from = walkers?.next() ?? own;
    own += batchSize(plan);
    if (from < count) totals.add(walkBatch(walks, from, plan));
    for (const batch of walkers?.received(from >= count) ?? []) totals.add(batch);
    const isTurn = isDue?.() === true || walks.counts.transitions - yielded >= ACTIONS_OF_SLICE;
    if (from < count && !isTurn) continue;
    yielded = walks.counts.transitions;
    yield checked();
    if ((memoryUsed?.() ?? 0) >= bytesMax) {
      return capped(capOfMemory('the check takes', bytesMax).detail);
    }
  }
  if (totals.end === null) {
    return capped(`${count} random walks of at most ${depth} actions ended`);
  }
  try {
    // Another thread may have found it, with other numbers for messages and states.
    const found = walks.walk(totals.end === 'found' ? totals.walked - 1 : totals.walked);
    if (found === null) throw new TypeError('a walk has two outcomes');
    const { property, breach, path } = shortened(walks, found);
    const shown = { property, breach, trace: traceOf(walks.worlds, path) };
    const none = { cycleFrom: null, repeatsFrom: null, rises: [], isExhausted: false };
    return { type: 'violated', ...checked(), ...shown, ...none };
  } catch (error) {
    if (error instanceof TooManyValuesError) return capped(`one walk has ${error.message}`);
    throw error;
  }
}

/** Actions that are carried out for this at most. */
const ACTIONS_MAX = 5_000_000;

/**
 * Shortens the execution of a walk as far as this takes a bounded number of actions. A shorter list of actions with
 * the same violation: parts of the list are removed, the largest first, as long as the rest violates the same
 * property (delta debugging: A. Zeller and R. Hildebrandt, 2002). Actions that are not possible without those before
 * them are left out, too. No single action of the result can be removed. It need not be the shortest list.
 */
export function shortened(walks: RandomWalks, found: WalkedBreach): WalkedBreach {
  walks.judgeOnly(found.property);
  let best = found;
  let left = ACTIONS_MAX;
  const without = (from: number, to: number): boolean => {
    const { path } = best;
    left -= path.length;
    const shorter = walks.follow([...path.slice(0, from), ...path.slice(to)]);
    if (shorter === null || shorter.path.length >= path.length) return false;
    best = shorter;
    return true;
  };
  try {
    for (let size = best.path.length; size >= 1 && left > 0; ) {
      let isShorter = false;
      for (let from = 0; from < best.path.length && left > 0; ) {
        if (without(from, from + size)) isShorter = true;
        else from += size;
      }
      size = size === 1 && isShorter ? 1 : Math.floor(size / 2);
    }
  } catch (error) {
    if (!(error instanceof TooManyValuesError)) throw error;
  }
  return best;
}
