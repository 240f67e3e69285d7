/**
 * @module
 * The threads of one sweep. They start when they are first needed, and stay for all of its phases, because a thread
 * takes longer to start than to compute a hundred thousand sampled rows.
 */

import type { RangePlan } from '../threads/range-pool.ts';
import { RangePool, untilAborted } from '../threads/range-pool.ts';
import type { SweepOrder, SweepWork } from './worker.ts';

const SWEEP_WORKER = new URL('./worker.ts', import.meta.url);

/** A plan whose orders a thread of a sweep understands. */
export interface SweepPlan<Report> extends RangePlan<Report> {
  order(range: { readonly from: number; readonly count: number }): SweepOrder;
}

export class SweepThreads {
  readonly count: number;
  readonly #work: SweepWork;
  #pool: RangePool | null = null;

  constructor({ threads, work }: { readonly threads: number; readonly work: SweepWork }) {
    this.count = threads;
    this.#work = work;
  }

  /** Starts the threads, if there are none. */
  start(): RangePool {
    this.#pool ??= new RangePool(SWEEP_WORKER, { threads: this.count, workerData: this.#work });
    return this.#pool;
  }

  /** Resolves when the plan is done, or at an abort, which ends the threads. */
  async pull<Report>(plan: SweepPlan<Report>, signal: AbortSignal): Promise<void> {
    await untilAborted(signal, () => this.start().pull(plan));
    // Their reports of this plan would be taken for reports of the next one.
    if (signal.aborted) await this.close();
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.close();
  }
}
