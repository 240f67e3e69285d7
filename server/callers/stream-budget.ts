/**
 * @module
 * How many answers that go on for long may be open, streams, traces and copies that are being made:
 * each folds its election anew and so keeps the nodes of one more. Beyond, the next is refused until one
 * ends. Each is one of its caller's, too, who may have so many, and none while the telling of those
 * before has used up the caller's time.
 * What waits for something to happen counts like a stream of no nodes: it holds a connection as long.
 */

import { performance } from 'node:perf_hooks';
import { OverloadError } from '../request/refusals.ts';
import type { CallerBudgets } from './caller-budgets.ts';
import { noBudgets } from './caller-budgets.ts';
import { currentAsker } from './principal.ts';

export const STREAMS_MAX = 400;
/** Nodes of the elections that are told, each as often as it is, by their weight. */
export const STREAM_NODES_MAX = 40_000;

/** Beyond so many nodes it is their messages that take the memory: n² of them, 20 MB for 500. */
const LIGHT_NODES_MAX = 100;

/** When one is over at the latest. */
interface End {
  readonly caller: string | null;
  readonly atMs: number;
}

/** A guess: nobody knows when somebody stops listening. */
const RETRY_AFTER_S = 5;

/** Counts what is open. */
export class StreamBudget {
  readonly #budgets: CallerBudgets;
  #open = 0;
  #nodes = 0;
  /** Of each caller who has any. */
  readonly #openOf = new Map<string, number>();
  /** One for each that is open. */
  readonly #ends = new Set<End>();

  constructor(budgets: CallerBudgets = noBudgets()) {
    this.#budgets = budgets;
  }

  /** How many are open. */
  get open(): number {
    return this.#open;
  }

  /**
   * Opens one for who asks, over after so many milliseconds where that is known; the function that closes
   * it may be called twice. Throws OverloadError `limit.connections` or `limit.rate` when the caller has
   * had enough, `limit.streams` when all have.
   */
  take(places: number, lastsMs?: number): () => void {
    const free = this.#take(weightOf(places), lastsMs);
    const caller = currentAsker()?.caller;
    try {
      if (caller !== undefined) this.#budgets.assertElectionTime(caller);
    } catch (error) {
      free();
      throw error;
    }
    return free;
  }

  /** As `take`, for who waits for something that costs nothing. */
  wait(lastsMs?: number): () => void {
    return this.#take(0, lastsMs);
  }

  #take(nodes: number, lastsMs = Number.POSITIVE_INFINITY): () => void {
    const caller = currentAsker()?.caller ?? null;
    if (caller !== null) {
      const isOwn = (end: End) => end.caller === caller;
      this.#budgets.assertStream(this.#openOf.get(caller) ?? 0, () => this.#freeInS(isOwn));
    }
    const isFull = this.#open >= STREAMS_MAX;
    if (isFull || this.#nodes + nodes > STREAM_NODES_MAX) {
      const detail = `${this.#open} elections are being told or waited for, with ${this.#nodes} nodes by weight; at most ${STREAMS_MAX} and ${STREAM_NODES_MAX} are`;
      throw new OverloadError(
        'limit.streams',
        detail,
        this.#freeInS(() => isFull),
      );
    }
    const end = { caller, atMs: performance.now() + lastsMs };
    this.#add(caller, 1, nodes);
    this.#ends.add(end);
    return () => {
      if (this.#ends.delete(end)) this.#add(caller, -1, -nodes);
    };
  }

  /** Seconds until the first of those ends, whose end is known; else a guess. */
  #freeInS(which: (end: End) => boolean): number {
    let firstMs = Number.POSITIVE_INFINITY;
    for (const end of this.#ends) if (which(end)) firstMs = Math.min(firstMs, end.atMs);
    if (firstMs === Number.POSITIVE_INFINITY) return RETRY_AFTER_S;
    return 1 + Math.floor(Math.max(0, firstMs - performance.now()) / 1000);
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

/** What a telling of an election with so many nodes counts for. */
function weightOf(nodes: number): number {
  return Math.ceil(nodes * Math.max(1, nodes / LIGHT_NODES_MAX));
}
