/**
 * @module
 * How the actions of an election wait: for their turn, and for the programs that play nodes. An advance waits
 * for each program as long as its node requested when it joined, in real time, and for all of them no longer
 * than one answer may take. Virtual time does not pass.
 */

import { performance } from 'node:perf_hooks';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import type { StreamBudget } from '../../callers/stream-budget.ts';
import { Tallies } from '../../callers/tallies.ts';
import type { Principal } from '../../request/principal.ts';

/** Longest wait for one answer of one node, in ms. */
export const OUTSIDE_WAIT_MS_MAX = 30_000;
/** Longest wait of one advance, in ms. The caller receives an answer by then, and can continue. */
export const ADVANCE_WAIT_MS_MAX = 60_000;

/** The waiting of one advance. */
export class OutsideWait {
  readonly #endsAt = performance.now() + ADVANCE_WAIT_MS_MAX;
  readonly #waitMsOf: (rank: number) => number;
  /** The deadline of each node that has not answered. */
  #deadlines: ReadonlyMap<number, number> = new Map();
  #isAwake = false;
  #wakeUp: () => void = () => undefined;

  constructor(waitMsOf: (rank: number) => number) {
    this.#waitMsOf = waitMsOf;
  }

  /** Ends a pause. */
  readonly wake = (): void => {
    this.#isAwake = true;
    this.#wakeUp();
  };

  /** Begins a new wait, in which each node has its whole time. */
  begin(): void {
    this.#deadlines = new Map();
  }

  /** The awaited nodes whose time is over. */
  late(awaiting: readonly number[]): number[] {
    const now = performance.now();
    const deadlineOf = (rank: number) => this.#deadlines.get(rank) ?? now + this.#waitMsOf(rank);
    this.#deadlines = new Map(awaiting.map((rank) => [rank, deadlineOf(rank)]));
    return awaiting.filter((rank) => deadlineOf(rank) <= now);
  }

  /** Whether the time of the advance is over. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Seconds until the last deadline. Answers may end the wait earlier. */
  get leftS(): number {
    const lastAt = Math.max(0, ...this.#deadlines.values());
    const endsAt = lastAt > 0 ? Math.min(lastAt, this.#endsAt) : this.#endsAt;
    return 1 + Math.floor(Math.max(0, endsAt - performance.now()) / 1000);
  }

  /** Resolves when `wake` is called, or at the next deadline. */
  async pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const at = Math.min(this.#endsAt, ...this.#deadlines.values());
    // Timers may fire a millisecond early.
    const timer = setTimeout(resolve, Math.max(0, at - performance.now()) + 1);
    this.#wakeUp = resolve;
    if (this.#isAwake) resolve();
    await promise;
    this.#isAwake = false;
    this.#wakeUp = () => undefined;
    clearTimeout(timer);
  }
}

type Outside = Pick<Simulation['plan'], 'outside' | 'openings'>;

/** Whether an advance may wait for a program, or a node that joins may make it wait. */
export function mayWait({ outside, openings }: Outside): boolean {
  return openings.length > 0 || outside.some(({ waits }) => waits);
}

/** Seconds until the current wait is over, or a possible one; 1 if no advance may wait. */
export function continuesAfterS(outside: Outside, wait: OutsideWait | null): number {
  if (wait !== null) return wait.leftS;
  return mayWait(outside) ? ADVANCE_WAIT_MS_MAX / 1000 : 1;
}

/** Owns the order of the work on one election: one piece after the other, as requested. */
export class ActionTurns<Task, Result> {
  /** What starts each piece that has not begun, in order. */
  readonly #queued = new Map<() => Promise<unknown>, Task>();
  #tail: Promise<unknown> = Promise.resolve();
  #onQueued: (() => void) | null = null;

  /** Does the work in its turn, or earlier if it is let in. Settles as the work does. */
  queue(task: Task, work: () => Promise<Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<Result>();
    // The promise that is returned reports a failure. The next piece waits for this one in both cases.
    const run = () => {
      if (this.#queued.delete(run)) resolve(work());
      return promise.catch(() => undefined);
    };
    this.#queued.set(run, task);
    this.#tail = this.#tail.then(run);
    this.#onQueued?.();
    return promise;
  }

  /** Does at once all queued work with `isLetIn`. Called by the piece whose turn it is. */
  letIn(isLetIn: (task: Task) => boolean): void {
    for (const [run, task] of [...this.#queued]) if (isLetIn(task)) void run();
  }

  /** Calls back whenever work is queued; null ends that. */
  onQueued(listener: (() => void) | null): void {
    this.#onQueued = listener;
  }

  /** Resolves when all work queued so far is over. */
  settled(): Promise<unknown> {
    return this.#tail;
  }
}

/**
 * The requests of one server that may wait for a program outside: an advance of an election with such programs,
 * and every request behind it. Each counts as a stream, so that connections remain for other requests.
 */
export class ElectionWaits {
  readonly #streams: Pick<StreamBudget, 'wait'>;
  readonly #waiting = new Tallies<object>();

  constructor(streams: Pick<StreamBudget, 'wait'>) {
    this.#streams = streams;
  }

  /** Does work on an election that includes this number of advances. Throws as `StreamBudget.wait`. */
  async hold<Result>(
    election: object,
    principal: Principal,
    advances: 0 | 1,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const waits = this.#waiting.of(election) + advances;
    if (waits === 0) return work();
    // Each of them is at most one advance, and no advance waits longer.
    const free = this.#streams.wait(principal, waits * ADVANCE_WAIT_MS_MAX);
    const close = this.#waiting.open(election);
    try {
      return await work();
    } finally {
      free();
      close();
    }
  }
}
