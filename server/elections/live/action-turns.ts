/**
 * @module
 * The order of the work on one election: one piece after the other, as requested. While a piece waits for a
 * program outside, the actions of that program are let in before their turn.
 */

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
