/**
 * @module
 * How many answers that go on for long may be open: each folds its election anew and so keeps the
 * nodes of one more. Beyond, the next is refused until one ends. Each is one of its caller's, too,
 * who may have so many, and none while the telling of those before has used up the caller's time.
 */

import { OverloadError } from '../contract/problem.ts';
import { currentAsker } from './asker.ts';
import type { CallerBudgets } from './caller-budgets.ts';
import { noBudgets } from './caller-budgets.ts';

export const STREAMS_MAX = 400;
/** Nodes of the elections that are told, each as often as it is. */
export const STREAM_NODES_MAX = 40_000;

/** A guess: nobody knows when somebody stops listening. */
const RETRY_AFTER_S = 5;

/** Counts what is open. */
export class StreamBudget {
  readonly #budgets: CallerBudgets;
  #open = 0;
  #nodes = 0;
  /** Of each caller who has any. */
  readonly #openOf = new Map<string, number>();

  constructor(budgets: CallerBudgets = noBudgets()) {
    this.#budgets = budgets;
  }

  /** How many are open. */
  get open(): number {
    return this.#open;
  }

  /**
   * Opens one for who asks; the function that closes it may be called twice. Throws OverloadError
   * `limit.connections` or `limit.rate` when the caller has had enough, `limit.streams` when all have.
   */
  take(nodes: number): () => void {
    const caller = currentAsker()?.caller ?? null;
    if (caller !== null) {
      this.#budgets.demandStream(this.#openOf.get(caller) ?? 0);
      this.#budgets.demandElectionTime(caller);
    }
    if (this.#open >= STREAMS_MAX || this.#nodes + nodes > STREAM_NODES_MAX) {
      const detail = `${this.#open} streams are open, of elections with ${this.#nodes} nodes; at most ${STREAMS_MAX} and ${STREAM_NODES_MAX} are`;
      throw new OverloadError('limit.streams', detail, RETRY_AFTER_S);
    }
    this.#add(caller, 1, nodes);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#add(caller, -1, -nodes);
    };
  }

  #add(caller: string | null, streams: 1 | -1, nodes: number): void {
    this.#open += streams;
    this.#nodes += nodes;
    if (caller === null) return;
    const own = (this.#openOf.get(caller) ?? 0) + streams;
    if (own === 0) this.#openOf.delete(caller);
    else this.#openOf.set(caller, own);
  }
}
