/**
 * @module
 * Worker threads that pull ranges of numbers from one counter: the shape that mining and experiments
 * share. Ranges are handed out in rising order and each comes back whole, so that whoever uses the
 * pool can speak of "everything below k" whatever the number of threads.
 */

import type { MessagePort } from 'node:worker_threads';
import { Worker } from 'node:worker_threads';
import type { ErrorCode } from '../../errors.ts';
import { LabError } from '../../errors.ts';
import { threadArguments } from '../load/load-definitions.ts';

export interface Range {
  readonly from: number;
  readonly count: number;
}

/** What one pull wants of the pool. Every member is asked again before each range. */
export interface RangePlan<Report> {
  /** The first number that is not to be handed out; may fall while the pull runs. */
  end(): number;
  /** How many numbers the next range should hold, at least 1. */
  rangeCount(): number;
  /** True once no further range is to be handed out. */
  isStopped(): boolean;
  /** The message that orders a range from a thread. */
  order(range: Range): object;
  /** Takes a thread's report of a range; what it throws fails the pull. */
  accept(report: Report, range: Range): void;
}

/** The first message of every thread: from now on it takes ranges. */
const READY = 'ready';

/** What a thread says of input that it refuses; an error of ours would arrive without its class. */
interface Refusal {
  readonly refusal: { readonly code: ErrorCode; readonly message: string };
}

/** Lets a thread take ranges: each order's answer is its report, or why it is refused. */
export function takeRanges<Order>(port: MessagePort, answer: (order: Order) => object): void {
  port.on('message', (order: Order) => {
    try {
      port.postMessage(answer(order));
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      const refusal: Refusal = { refusal: { code: error.code, message: error.message } };
      port.postMessage(refusal);
    }
  });
  port.postMessage(READY);
}

export const THREADS_MAX = 256;

/** Owns its threads: whoever makes one closes it. */
export class RangePool {
  readonly threads: number;
  /** Threads that have said they are ready; the others are still being loaded. */
  readonly #ready = new Set<Worker>();
  #onReady: ((worker: Worker) => void) | null = null;
  readonly #workers: readonly Worker[];
  /** Rejects with the first thread's death, whether or not a pull runs at that moment. */
  readonly #death = Promise.withResolvers<never>();

  constructor(script: URL, options: { readonly threads: number; readonly workerData: object }) {
    const { threads, workerData } = options;
    if (!Number.isInteger(threads) || threads < 1 || threads > THREADS_MAX) {
      throw new RangeError(`"threads" expected 1..${THREADS_MAX}, got ${threads}`);
    }
    this.threads = threads;
    this.#workers = Array.from({ length: threads }, () => this.#startWorker(script, workerData));
    // Threads die of one cause together; the deaths after the one that failed a pull are no news.
    this.#death.promise.catch(() => {});
  }

  /**
   * Hands out ranges from `first` on until the plan ends or stops and all have come back. Resolves to
   * the number after the last one handed out; rejects if a thread dies. One pull at a time. Threads
   * join when they are ready, so that a search that is soon over does not wait for all to be loaded.
   */
  async pull<Report>(plan: RangePlan<Report>, first = 0): Promise<number> {
    const deferred = Promise.withResolvers<number>();
    const release: (() => void)[] = [];
    let next = first;
    let outstanding = 0;
    const assign = (worker: Worker, pending: { range: Range | null }) => {
      const end = plan.end();
      pending.range = null;
      if (next >= end || plan.isStopped()) {
        // Also where it was stopped before the first thread was ready.
        if (outstanding === 0) deferred.resolve(next);
        return;
      }
      pending.range = { from: next, count: Math.min(plan.rangeCount(), end - next) };
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
    const isWaiting = this.#ready.size === 0 && plan.end() > first && !plan.isStopped();
    if (outstanding === 0 && !isWaiting) deferred.resolve(next);
    this.#onReady = enlist;
    return Promise.race([deferred.promise, this.#death.promise]).finally(() => {
      this.#onReady = null;
      for (const each of release) each();
    });
  }

  /** Stops every thread at once, whatever it is doing. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #startWorker(script: URL, workerData: object): Worker {
    const die = (code: number) => new Error(`a worker thread ended by itself with code ${code}`);
    const worker = new Worker(script, {
      workerData,
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
