/**
 * @module
 * The queue of all long work, whatever its kind: bounded, round-robin by caller. The jobs of a caller that
 * has used up its processor time come after all others. The queue does not know what a job does.
 */

import type { CallerBudgets } from '../callers/caller-budgets.ts';
import { noBudgets } from '../callers/caller-budgets.ts';
import { RoundRobin } from '../callers/round-robin.ts';
import { SERVER_ITSELF } from '../request/principal.ts';
import { OverloadError } from '../request/refusals.ts';

/** Queued jobs of all callers and kinds. */
export const JOBS_QUEUED_MAX = 32;

/** A job as the queue knows it. */
export interface QueuedJob {
  readonly caller: string;
  /** Executes it; never rejects. */
  start(): Promise<void>;
  /** Stops it, whether it is queued or running. Has no effect on a job that is over. */
  stop(): void;
  /** Estimated time until a running job ends, in ms. Infinity if unknown. */
  remainingMs(): number;
}

export interface JobQueueOptions {
  /** Jobs that run at the same time. */
  readonly concurrent: number;
  /** Threads of each job; 1 by default. */
  readonly threads?: number;
  readonly budgets?: CallerBudgets;
}

interface Executing {
  readonly over: Promise<void>;
  /** The time up to which its caller was charged. */
  chargedMs: number;
}

/** Owns the running jobs. Its creator must close it. */
export class JobQueue {
  readonly #concurrent: number;
  readonly #threads: number;
  readonly #budgets: CallerBudgets;
  readonly #waiting = new RoundRobin<QueuedJob>();
  readonly #executing = new Map<QueuedJob, Executing>();
  /** Mean duration of the jobs that are over, weighted towards the last; null before the first. */
  #meanMs: number | null = null;
  #isClosed = false;

  constructor({ concurrent, threads = 1, budgets = noBudgets() }: JobQueueOptions) {
    this.#concurrent = concurrent;
    this.#threads = threads;
    this.#budgets = budgets;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get executing(): number {
    return this.#executing.size;
  }

  /**
   * Adds a job. Throws OverloadError `limit.concurrent` or `limit.cpu` if its caller has reached a limit,
   * `limit.queue` if the queue is full or closed.
   */
  enqueue(job: QueuedJob): void {
    if (this.#isClosed) {
      throw new OverloadError('limit.queue', 'the server is closing', RETRY_UNKNOWN_S);
    }
    if (job.caller !== SERVER_ITSELF) this.#assertBudget(job.caller);
    if (this.#executing.size >= this.#concurrent && this.waiting >= JOBS_QUEUED_MAX) {
      const detail = `${JOBS_QUEUED_MAX} jobs are waiting already; try later or cancel one`;
      throw new OverloadError('limit.queue', detail, this.retryAfterS());
    }
    this.#waiting.push(job.caller, job);
    this.#startWaiting();
  }

  withdraw(job: QueuedJob): void {
    this.#waiting.remove(job.caller, job);
  }

  /** Seconds until the first running job ends, or the first job of a caller. */
  retryAfterS(caller?: string): number {
    return wholeSeconds(caller === undefined ? this.#firstEndMs() : this.#firstEndMsOf(caller));
  }

  /** Refuses new jobs, stops all others, and resolves when none is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of [...this.#waiting.items(), ...this.#executing.keys()]) job.stop();
    await Promise.all([...this.#executing.values()].map(({ over }) => over));
  }

  #assertBudget(caller: string): void {
    const own = [...this.#executing].filter(([job]) => job.caller === caller);
    for (const [, executing] of own) this.#charge(caller, executing);
    const jobs = own.length + this.#waiting.count(caller);
    this.#budgets.assertRoom('jobs', jobs, () => wholeSeconds(this.#firstEndMsOf(caller)));
    this.#budgets.assertCpu(caller, {
      seconds: Math.max(0, ...own.map(([job]) => wholeSeconds(job.remainingMs()))),
      threads: this.#threads,
    });
  }

  #charge(caller: string, executing: Executing): void {
    const nowMs = this.#budgets.nowMs();
    const seconds = (nowMs - executing.chargedMs) / 1000;
    if (caller !== SERVER_ITSELF) this.#budgets.chargeCpu(caller, seconds * this.#threads);
    executing.chargedMs = nowMs;
  }

  #firstEndMs(): number {
    return Math.min(...[...this.#executing.keys()].map((job) => job.remainingMs()));
  }

  /** When the first of a caller's jobs ends. A queued job waits for the callers before it. */
  #firstEndMsOf(caller: string): number {
    const own = [...this.#executing.keys()].filter((job) => job.caller === caller);
    if (own.length > 0) return Math.min(...own.map((job) => job.remainingMs()));
    const turns = this.#waiting.keys().indexOf(caller) + 1;
    const eachMs = this.#meanMs ?? Number.POSITIVE_INFINITY;
    return this.#firstEndMs() + (turns * eachMs) / this.#concurrent;
  }

  #startWaiting(): void {
    while (this.#executing.size < this.#concurrent) {
      const job =
        this.#waiting.take((caller) => !this.#budgets.owesCpu(caller)) ?? this.#waiting.take();
      if (job === undefined) return;
      const executing = { over: this.#execute(job), chargedMs: this.#budgets.nowMs() };
      this.#executing.set(job, executing);
    }
  }

  async #execute(job: QueuedJob): Promise<void> {
    const startedMs = this.#budgets.nowMs();
    if (job.caller !== SERVER_ITSELF) this.#budgets.beginCpu(job.caller);
    await job.start();
    const tookMs = this.#budgets.nowMs() - startedMs;
    this.#meanMs = this.#meanMs === null ? tookMs : (this.#meanMs + tookMs) / 2;
    const executing = this.#executing.get(job);
    if (executing !== undefined) this.#charge(job.caller, executing);
    this.#executing.delete(job);
    this.#startWaiting();
  }
}

/** Adds a margin to an estimate. An unknown time becomes a minute. */
function wholeSeconds(ms: number): number {
  if (!Number.isFinite(ms)) return RETRY_UNKNOWN_S;
  return Math.min(Math.max(Math.ceil((ms * ESTIMATE_PERCENT) / 100_000), RETRY_MIN_S), RETRY_MAX_S);
}

const ESTIMATE_PERCENT = 110;
const RETRY_MIN_S = 1;
const RETRY_UNKNOWN_S = 60;
/** No job runs longer. A caller behind it has to try again. */
const RETRY_MAX_S = 3600;
