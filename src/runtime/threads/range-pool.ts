/**
 * @module
 * This folder runs work on threads. This file is the pool that all of it uses: threads take ranges of
 * numbers from one counter. Ranges are handed out in rising order and come back whole, so that the user
 * of the pool can say "everything below k is done" with any number of threads.
 */

import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { ErrorCode } from '../../errors.ts';
import { LabError } from '../../errors.ts';
import { threadArguments, threadScript } from '../load/load-definitions.ts';
import type { StepWatch } from '../load/step-watch.ts';
import { beginWatch, leaveSlot, takeSlot } from '../load/step-watch.ts';

export interface Range {
  readonly from: number;
  readonly count: number;
}

/** What one pull hands out. All members are called again before each range. */
export interface RangePlan<Report> {
  /** The first number that is not handed out. May fall while the pull runs. */
  end(): number;
  /** Numbers in the next range, at least 1. 1 if it is absent. */
  rangeCount?(): number;
  /** Whether no further range is handed out. */
  isStopped?(): boolean;
  /** The message that orders a range from a thread. */
  order(range: Range): object;
  /** Takes a thread's report of a range. An exception fails the pull. */
  accept(report: Report, range: Range): void;
}

/** The first message of every thread: it is ready to take ranges. */
const READY = 'ready';

/** What the pool gives to a thread. */
interface WorkerData<Data> {
  readonly data: Data;
  /** Where its calls of code of the user are written. */
  readonly watch: StepWatch | null;
}

/** The answer of a thread to input that it refuses. An error would arrive without its class. */
interface Refusal {
  readonly refusal: { readonly code: ErrorCode; readonly message: string };
}

/**
 * Makes the calling thread take ranges. `prepare` receives the data that the thread was started with, and
 * returns the function that answers an order with its report. `handedOver` names the buffers that go with a report
 * without a copy.
 */
export function serveRanges<Data, Order, Report extends object>(
  prepare: (data: Data) => (order: Order) => Report | Promise<Report>,
  handedOver: (report: Report) => ArrayBuffer[] = () => [],
): void {
  if (parentPort === null) throw new TypeError('this file runs as a worker thread only');
  const port = parentPort;
  // The pool is the only sender of this thread's data and messages.
  const { data, watch } = workerData as WorkerData<Data>;
  beginWatch(watch);
  const answer = prepare(data);
  port.on('message', async (order: Order) => {
    try {
      const report = await answer(order);
      port.postMessage(report, handedOver(report));
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      const refusal: Refusal = { refusal: { code: error.code, message: error.message } };
      port.postMessage(refusal);
    }
  });
  port.postMessage(READY);
}

export const THREADS_MAX = 256;

interface PoolOptions {
  readonly threads: number;
  /** What each thread is started with. */
  readonly workerData: object;
}

/** Works with a new pool, and closes it. */
export async function withPool<T>(
  script: URL,
  options: PoolOptions,
  work: (pool: RangePool) => Promise<T>,
): Promise<T> {
  const pool = new RangePool(script, options);
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}

/** Resolves when the work is done or the signal aborts. Does not begin after an abort. */
export async function untilAborted(
  signal: AbortSignal | undefined,
  work: () => Promise<unknown>,
): Promise<void> {
  if (signal?.aborted) return;
  const finished = new AbortController();
  const aborted = new Promise((resolve) => {
    signal?.addEventListener('abort', resolve, { signal: finished.signal });
  });
  await Promise.race([work(), aborted]).finally(() => finished.abort());
}

/** Puts the reports of a pull into the order of their ranges. */
export class ReportsInOrder<Report> {
  readonly #held = new Map<number, { readonly report: Report; readonly end: number }>();
  #next = 0;

  /** Takes a report, and returns those that have no gap below them and were not returned before. */
  *take(report: Report, { from, count }: Range): Generator<Report, void> {
    this.#held.set(from, { report, end: from + count });
    for (;;) {
      const lowest = this.#held.get(this.#next);
      if (lowest === undefined) return;
      this.#held.delete(this.#next);
      this.#next = lowest.end;
      yield lowest.report;
    }
  }
}

/** A pool that owns its threads. The creator of a pool must close it. */
export class RangePool {
  readonly threads: number;
  /** Threads that are ready. The others are still being loaded. */
  readonly #ready = new Set<Worker>();
  #onReady: ((worker: Worker) => void) | null = null;
  readonly #workers: readonly Worker[];
  readonly #watches: (StepWatch | null)[] = [];
  /** Rejects with the first thread's death, whether or not a pull runs at that moment. */
  readonly #death = Promise.withResolvers<never>();

  constructor(script: URL, { threads, workerData: data }: PoolOptions) {
    if (!Number.isInteger(threads) || threads < 1 || threads > THREADS_MAX) {
      throw new RangeError(`"threads" expected 1..${THREADS_MAX}, got ${threads}`);
    }
    this.threads = threads;
    this.#workers = Array.from({ length: threads }, () => this.#startWorker(script, data));
    // Threads often die together of one cause. Only the first death fails a pull.
    this.#death.promise.catch(() => {});
  }

  /**
   * Hands out ranges from `first` on until the plan ends or stops and all have come back. Resolves to
   * the number after the last one handed out. Rejects if a thread dies. Only one pull may run at a time.
   * Threads join when they are ready, so that a short search does not wait until all are loaded.
   */
  async pull<Report>(plan: RangePlan<Report>, first = 0): Promise<number> {
    const deferred = Promise.withResolvers<number>();
    const release: (() => void)[] = [];
    let next = first;
    let outstanding = 0;
    const assign = (worker: Worker, pending: { range: Range | null }) => {
      const end = plan.end();
      pending.range = null;
      if (next >= end || plan.isStopped?.()) {
        // The plan may have stopped before the first thread was ready.
        if (outstanding === 0) deferred.resolve(next);
        return;
      }
      pending.range = { from: next, count: Math.min(plan.rangeCount?.() ?? 1, end - next) };
      next += pending.range.count;
      outstanding += 1;
      worker.postMessage(plan.order(pending.range));
    };
    const enlist = (worker: Worker) => {
      const pending: { range: Range | null } = { range: null };
      const onMessage = (report: Report | Refusal) => {
        if (pending.range === null) return;
        outstanding -= 1;
        try {
          if (isRefusal(report)) throw new LabError(report.refusal.code, report.refusal.message);
          plan.accept(report, pending.range);
          assign(worker, pending);
        } catch (cause) {
          deferred.reject(cause);
        }
        if (outstanding === 0) deferred.resolve(next);
      };
      worker.on('message', onMessage);
      release.push(() => worker.off('message', onMessage));
      assign(worker, pending);
    };
    for (const worker of this.#ready) enlist(worker);
    const isWaiting = this.#ready.size === 0 && plan.end() > first && !plan.isStopped?.();
    if (outstanding === 0 && !isWaiting) deferred.resolve(next);
    this.#onReady = enlist;
    return Promise.race([deferred.promise, this.#death.promise]).finally(() => {
      this.#onReady = null;
      for (const each of release) each();
    });
  }

  /** Stops every thread at once. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
    for (const watch of this.#watches.splice(0)) leaveSlot(watch);
  }

  #startWorker(script: URL, data: object): Worker {
    const given: WorkerData<object> = { data, watch: takeSlot() };
    this.#watches.push(given.watch);
    const die = (code: number) => new Error(`a worker thread ended by itself with code ${code}`);
    const worker = new Worker(threadScript(script), {
      workerData: given,
      execArgv: [...process.execArgv, ...threadArguments()],
    });
    worker
      .on('error', this.#death.reject)
      .on('exit', (code) => this.#death.reject(die(code)))
      .once('message', () => {
        this.#ready.add(worker);
        this.#onReady?.(worker);
      });
    return worker;
  }
}

function isRefusal(message: unknown): message is Refusal {
  return typeof message === 'object' && message !== null && 'refusal' in message;
}
