/**
 * @module
 * How many answers that go on for long may be open: each folds its election anew and so keeps the
 * nodes of one more. Beyond, the next is refused until one ends.
 */

import { OverloadError } from './problem.ts';

export const STREAMS_MAX = 400;
/** Nodes of the elections that are told, each as often as it is. */
export const STREAM_NODES_MAX = 40_000;

/** A guess: nobody knows when somebody stops listening. */
const RETRY_AFTER_S = 5;

/** Counts what is open. */
export class StreamBudget {
  #open = 0;
  #nodes = 0;

  /** How many are open. */
  get open(): number {
    return this.#open;
  }

  /** Opens one; the function that closes it may be called twice. Throws OverloadError `limit.streams`. */
  take(nodes: number): () => void {
    if (this.#open >= STREAMS_MAX || this.#nodes + nodes > STREAM_NODES_MAX) {
      const detail = `${this.#open} streams are open, of elections with ${this.#nodes} nodes; at most ${STREAMS_MAX} and ${STREAM_NODES_MAX} are`;
      throw new OverloadError('limit.streams', detail, RETRY_AFTER_S);
    }
    this.#open += 1;
    this.#nodes += nodes;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#open -= 1;
      this.#nodes -= nodes;
    };
  }
}
