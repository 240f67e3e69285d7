/**
 * @module
 * The one line that all long work waits in, whatever its kind: bounded, served round-robin by caller,
 * so that who asks for much waits behind who asks for little, and who has used up its processor time
 * behind everybody. It knows nothing of what it starts; a job costs this thread its messages alone.
 */

import type { CallerBudgets } from '../callers/caller-budgets.ts';
import { noBudgets } from '../callers/caller-budgets.ts';
import { OverloadError } from '../request/refusals.ts';

/** Jobs that wait, of all callers and kinds together. */
export const JOBS_QUEUED_MAX = 32;

/** Who asks for what serves all: it has no budget, and what it has is everybody's. */
export const SERVER_ITSELF = '';

/** What the queue must know of a job. */
export interface QueuedJob {
  /** Whose turn it takes. */
  readonly caller: string;
  /** Executes it; never rejects. */
  start(): Promise<void>;
  /** Ends it, whether it waits or executes; what has ended stays as it is. */
  stop(): void;
  /** Until it ends once it executes, as far as can be told; Infinity where nothing can. */
  remainingMs(): number;
}

export interface JobQueueOptions {
  /** Jobs that execute at the same time. */
  readonly concurrent: number;
  /** Threads that each of them has; one unless told. */
  readonly threads?: number;
  /** What callers may take; anything unless told. */
  readonly budgets?: CallerBudgets;
}

interface Executing {
  readonly over: Promise<void>;
  /** Up to when its caller was charged. */
  chargedMs: number;
}

/** Owns what executes; whoever makes one closes it. */
export class JobQueue {
  readonly #concurrent: number;
  readonly #threads: number;
  readonly #budgets: CallerBudgets;
  /** Callers in the order of their turns; nobody is here without a job. */
  readonly #waiting = new Map<string, QueuedJob[]>();
  readonly #executing = new Map<QueuedJob, Executing>();
  /** Of the jobs that have ended, the later the more; null before the first. */
  #meanMs: number | null = null;
  #isClosed = false;

  constructor({ concurrent, threads = 1, budgets = noBudgets() }: JobQueueOptions) {
    this.#concurrent = concurrent;
    this.#threads = threads;
    this.#budgets = budgets;
  }

  /**
   * Takes a job. Throws OverloadError `limit.concurrent` or `limit.cpu` when its caller has had enough,
   * `limit.queue` when as many wait as may, or when closed.
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
    const line = this.#waiting.get(job.caller);
    if (line === undefined) this.#waiting.set(job.caller, [job]);
    else line.push(job);
    this.#startWaiting();
  }

  /** Takes a job that waits out of the line. */
  withdraw(job: QueuedJob): void {
    const line = this.#waiting.get(job.caller) ?? [];
    const rest = line.filter((each) => each !== job);
    if (rest.length === 0) this.#waiting.delete(job.caller);
    else this.#waiting.set(job.caller, rest);
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, line) => sum + line.length, 0);
  }

  get executing(): number {
    return this.#executing.size;
  }

  /** When the first of those that execute will be done, or the first of a caller's, which frees a place. */
  retryAfterS(caller?: string): number {
    return wholeSeconds(caller === undefined ? this.#firstEndMs() : this.#firstEndMsOf(caller));
  }

  /** Takes no more, stops everything, and resolves when nothing executes any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of [...this.#waiting.values()].flat()) job.stop();
    for (const job of this.#executing.keys()) job.stop();
    await Promise.all([...this.#executing.values()].map(({ over }) => over));
  }

  #assertBudget(caller: string): void {
    const own = [...this.#executing].filter(([job]) => job.caller === caller);
    for (const [, executing] of own) this.#charge(caller, executing);
    const jobs = own.length + (this.#waiting.get(caller)?.length ?? 0);
    this.#budgets.assertJob(jobs, () => wholeSeconds(this.#firstEndMsOf(caller)));
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

  /** When the first of a caller's jobs ends: of those that wait, after all whose turn comes before. */
  #firstEndMsOf(caller: string): number {
    const own = [...this.#executing.keys()].filter((job) => job.caller === caller);
    if (own.length > 0) return Math.min(...own.map((job) => job.remainingMs()));
    const turns = [...this.#waiting.keys()].indexOf(caller) + 1;
    const eachMs = this.#meanMs ?? Number.POSITIVE_INFINITY;
    return this.#firstEndMs() + (turns * eachMs) / this.#concurrent;
  }

  #startWaiting(): void {
    while (this.#executing.size < this.#concurrent) {
      const job = this.#next();
      if (job === null) return;
      const executing = { over: this.#execute(job), chargedMs: this.#budgets.nowMs() };
      this.#executing.set(job, executing);
    }
  }

  /** The oldest job of the caller whose turn it is, who then goes behind all others. */
  #next(): QueuedJob | null {
    const turns = [...this.#waiting];
    const turn = turns.find(([caller]) => !this.#budgets.owesCpu(caller)) ?? turns[0];
    if (turn === undefined) return null;
    const [caller, [first, ...others]] = turn;
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    return first ?? null;
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

/** Estimates miss by some; what nothing is known of is asked about again in a while. */
function wholeSeconds(ms: number): number {
  if (!Number.isFinite(ms)) return RETRY_UNKNOWN_S;
  return Math.min(Math.max(Math.ceil((ms * ESTIMATE_PERCENT) / 100_000), RETRY_MIN_S), RETRY_MAX_S);
}

const ESTIMATE_PERCENT = 110;
const RETRY_MIN_S = 1;
const RETRY_UNKNOWN_S = 60;
/** No job executes longer, and those who wait behind it ask again. */
const RETRY_MAX_S = 3600;
