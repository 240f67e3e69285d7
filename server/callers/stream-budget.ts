/**
 * @module
 * Limits the answers that last: streams, traces and copies. Each replays its election and therefore keeps
 * the nodes of one more election in memory. Requests that wait for something count as streams without
 * nodes, because they hold a connection as long. Each caller has a limit of its own as well, and may open
 * no replay while its elections have used up their time.
 */

import { performance } from 'node:perf_hooks';

import type { Principal } from '../request/principal.ts';
import { OverloadError } from '../request/refusals.ts';
import type { CallerBudgets } from './caller-budgets.ts';
import { noBudgets } from './caller-budgets.ts';

export const STREAMS_MAX = 400;
/** Nodes of all elections that are being replayed, by their weight. */
export const STREAM_NODES_MAX = 40_000;

/** Above this number of nodes, their n² messages take most of the memory: 20 MB for 500 nodes. */
const LIGHT_NODES_MAX = 100;

/** An open stream, and the time at which it ends at the latest. */
interface Open {
  readonly caller: string;
  readonly endMs: number;
}

/** An estimate, because the end of a stream is unknown. */
const RETRY_AFTER_S = 5;

export class StreamBudget {
  readonly #budgets: CallerBudgets;
  readonly #open = new Set<Open>();
  #nodes = 0;

  constructor(budgets: CallerBudgets = noBudgets()) {
    this.#budgets = budgets;
  }

  get open(): number {
    return this.#open.size;
  }

  /**
   * Opens a stream that replays an election with this number of ranks, and that ends after `lastsMs` if
   * that is known. The function that is returned closes it and may be called twice. Throws OverloadError
   * `limit.connections` or `limit.rate` if the caller has reached its limits, `limit.streams` if the
   * server has.
   */
  take(ranks: number, { caller }: Principal, lastsMs?: number): () => void {
    const free = this.#take(weightOf(ranks), caller, lastsMs);
    try {
      this.#budgets.assertElectionTime(caller);
    } catch (error) {
      free();
      throw error;
    }
    return free;
  }

  /** Works like `take`, for a request that waits and computes nothing. */
  wait({ caller }: Principal, lastsMs?: number): () => void {
    return this.#take(0, caller, lastsMs);
  }

  #take(nodes: number, caller: string, lastsMs = Number.POSITIVE_INFINITY): () => void {
    const isOwn = (open: Open) => open.caller === caller;
    const own = [...this.#open].filter(isOwn).length;
    this.#budgets.assertRoom('streams', own, () => this.#freeInS(isOwn));
    const isFull = this.open >= STREAMS_MAX;
    if (isFull || this.#nodes + nodes > STREAM_NODES_MAX) {
      const detail = `${this.open} streams and waits are open, with ${this.#nodes} nodes by weight; the limits are ${STREAMS_MAX} and ${STREAM_NODES_MAX}`;
      const retryAfterS = this.#freeInS(() => isFull);
      throw new OverloadError('limit.streams', detail, retryAfterS);
    }
    const open = { caller, endMs: performance.now() + lastsMs };
    this.#open.add(open);
    this.#nodes += nodes;
    return () => {
      if (this.#open.delete(open)) this.#nodes -= nodes;
    };
  }

  /** Seconds until the first of these ends, if that is known; else an estimate. */
  #freeInS(which: (open: Open) => boolean): number {
    const ends = [...this.#open].filter(which).map(({ endMs }) => endMs);
    const firstMs = Math.min(...ends);
    if (firstMs === Number.POSITIVE_INFINITY) return RETRY_AFTER_S;
    return 1 + Math.floor(Math.max(0, firstMs - performance.now()) / 1000);
  }
}

/** The weight of a replay of an election with this number of nodes. */
function weightOf(nodes: number): number {
  return Math.ceil(nodes * Math.max(1, nodes / LIGHT_NODES_MAX));
}
