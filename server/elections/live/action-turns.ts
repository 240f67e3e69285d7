/**
 * @module
 * Work on one election, one piece after the other in the order in which it was asked for. Where a piece
 * stands still because it waits for somebody, what that somebody says is let in before its turn.
 */

/** One piece of work. */
interface Turn<Task> {
  readonly task: Task;
  readonly run: () => Promise<void>;
}

/** Owns the order of its work. */
export class ActionTurns<Task> {
  /** Not begun yet, in the order in which they were asked for. */
  readonly #queued = new Set<Turn<Task>>();
  #tail: Promise<void> = Promise.resolve();
  #onQueued: (() => void) | null = null;

  /** Does the work when it is its turn, or before if it is let in; settles as it does. */
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
    // The next one waits for this one and does not care how it went.
    this.#tail = this.#tail.then(() => turn.run()).catch(() => undefined);
    this.#onQueued?.();
    return promise.then((done) => done);
  }

  /** Carries out at once those that wait and that `isLetIn`; called by the work whose turn it is. */
  letIn(isLetIn: (task: Task) => boolean): void {
    for (const turn of [...this.#queued]) {
      // Whoever asked for it learns how it went.
      if (isLetIn(turn.task)) void turn.run().catch(() => undefined);
    }
  }

  /** Calls back whenever work is asked for, until it is told otherwise. */
  onQueued(listener: (() => void) | null): void {
    this.#onQueued = listener;
  }

  /** Resolves when all that was asked for so far is over. */
  settled(): Promise<void> {
    return this.#tail;
  }
}
