/**
 * @module
 * Random walks in batches, so that threads can share them. A walk is a function of the seed and its number alone. So the
 * totals, and the first walk that violates a property, are the same with any number of threads: batches are added in
 * the order of their walks, up to that one.
 */

import type { Coverage, NotedCoverage } from '../coverage.ts';
import { CoverageNotes } from '../coverage.ts';
import type { SearchCounts } from '../search.ts';
import type { Judged } from '../visited/judge.ts';
import type { RandomWalks, WalkPlan } from './random-walks.ts';

/** Actions of a batch at most, unless one walk has more. */
const ACTIONS_OF_BATCH = 10_000;

/** Consecutive walks of one thread. It can be posted to another thread. */
export interface WalkBatch {
  /** Number of the first walk, and the one after the last that was carried out. */
  readonly from: number;
  readonly to: number;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** What the thread has seen up to this batch. */
  readonly witnessed: readonly string[];
  readonly coverage: NotedCoverage;
  /** found: the last walk violates a property. failed: the walk after the last threw an error. Null if all were carried out. */
  readonly end: 'found' | 'failed' | null;
}

/** Threads that carry out walks, too. */
export interface Walkers {
  /** Number of the first walk of the next batch, for any thread. */
  readonly next: () => number;
  /** The batches that the others have carried out. Waits a moment for one if the caller has nothing else to do. */
  readonly received: (mayWait: boolean) => readonly WalkBatch[];
}

/** Walks of a batch. */
export function batchSize({ depth }: WalkPlan): number {
  return Math.max(1, Math.floor(ACTIONS_OF_BATCH / depth));
}

/** Carries out the batch that begins with this walk. */
export function walkBatch(walks: RandomWalks, from: number, plan: WalkPlan): WalkBatch {
  const end = Math.min(from + batchSize(plan), plan.count);
  const before = walks.counts;
  let to = from;
  let ended: WalkBatch['end'] = null;
  while (to < end && ended === null) {
    try {
      if (walks.walk(to) !== null) ended = 'found';
      to += 1;
    } catch {
      // The thread that leads carries out this walk again, and meets the same error.
      ended = 'failed';
    }
  }
  const { states, transitions, depth } = walks.counts;
  return {
    from,
    to,
    depth,
    end: ended,
    states: states - before.states,
    transitions: transitions - before.transitions,
    witnessed: walks.witnessed,
    coverage: walks.noted(),
  };
}

/** What walks have found, from the first on. */
export class WalkTotals {
  readonly #waiting = new Map<number, WalkBatch>();
  readonly #coverage = new CoverageNotes();
  readonly #witnessed = new Set<string>();
  readonly #judged: Judged;
  /** Number of walks that were carried out. */
  walked = 0;
  end: WalkBatch['end'] = null;
  #states = 0;
  #transitions = 0;
  #depth = 0;

  constructor(judged: Judged) {
    this.#judged = judged;
  }

  /** A world counts as often as it was visited. Threads compute the same steps, so that steps are not counted. */
  get counts(): SearchCounts {
    return {
      states: this.#states,
      transitions: this.#transitions,
      depth: this.#depth,
      queue: 0,
      steps: 0,
      bytes: 0,
    };
  }

  /** Names of the `sometimes` properties that a visited world has, in the order of the properties. */
  get witnessed(): readonly string[] {
    const names = this.#judged.properties.map(({ name }) => name);
    return names.filter((name) => this.#witnessed.has(name));
  }

  get coverage(): Coverage {
    return this.#coverage.of(this.#judged.instance);
  }

  /** Adds a batch, as soon as all walks before it are added, and unless one of these has ended the check. */
  add(batch: WalkBatch): void {
    this.#waiting.set(batch.from, batch);
    for (;;) {
      const next = this.#waiting.get(this.walked);
      if (next === undefined || this.end !== null) return;
      this.#waiting.delete(this.walked);
      this.walked = next.to;
      this.end = next.end;
      this.#states += next.states;
      this.#transitions += next.transitions;
      this.#depth = Math.max(this.#depth, next.depth);
      for (const name of next.witnessed) this.#witnessed.add(name);
      this.#coverage.add(next.coverage);
      if (next.to === next.from) return;
    }
  }
}
