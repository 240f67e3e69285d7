/**
 * @module
 * How long an election waits for the programs that play nodes: in real time, for each as long as it requested
 * when it joined, and for all of them no longer than one answer may take. Virtual time does not pass.
 */

import { performance } from 'node:perf_hooks';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';

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

interface Turn<Task> {
  readonly task: Task;
  readonly run: () => Promise<void>;
}

/** Owns the order. */
export class ActionTurns<Task> {
  /** Pieces that have not begun, in order. */
  readonly #queued = new Set<Turn<Task>>();
  #tail: Promise<void> = Promise.resolve();
  #onQueued: (() => void) | null = null;

  /** Does the work in its turn, or earlier if it is let in. Settles as the work does. */
  queue(task: Task, work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<Promise<void>>();
    const turn: Turn<Task> = {
      task,
      run: () => {
        const done = this.#queued.delete(turn) ? work() : Promise.resolve();
        resolve(done);
        return done;
      },
    };
    this.#queued.add(turn);
    // The next piece waits for this one, whether it fails or not.
    this.#tail = this.#tail.then(() => turn.run()).catch(() => undefined);
    this.#onQueued?.();
    return promise.then((done) => done);
  }

  /** Does at once all queued work with `isLetIn`. Called by the piece whose turn it is. */
  letIn(isLetIn: (task: Task) => boolean): void {
    for (const turn of [...this.#queued]) {
      // The promise that `queue` returned reports a failure.
      if (isLetIn(turn.task)) void turn.run().catch(() => undefined);
    }
  }

  /** Calls back whenever work is queued; null ends that. */
  onQueued(listener: (() => void) | null): void {
    this.#onQueued = listener;
  }

  /** Resolves when all work queued so far is over. */
  settled(): Promise<void> {
    return this.#tail;
  }
}
