/**
 * @module
 * The one line that all long work waits in, whatever its kind: bounded, served round-robin by caller,
 * so that who asks for much waits behind who asks for little. It knows nothing of what it starts; a
 * job costs this thread its messages alone.
 */

import { OverloadError } from './problem.ts';

/** Jobs that wait, of all callers and kinds together. */
export const JOBS_QUEUED_MAX = 32;

/** What the queue must know of a job. */
export interface QueuedJob {
  /** Whose turn it takes. */
  readonly caller: string;
  /** Executes it; never rejects. */
  start(): Promise<void>;
  /** Ends it, whether it waits or executes; what has ended stays as it is. */
  stop(): void;
  /** Until it ends, as far as can be told; Infinity where nothing can. */
  remainingMs(): number;
}

/** Owns what executes; whoever makes one closes it. */
export class JobQueue {
  readonly #concurrent: number;
  /** Callers in the order of their turns; nobody is here without a job. */
  readonly #waiting = new Map<string, QueuedJob[]>();
  readonly #executing = new Map<QueuedJob, Promise<void>>();
  #isClosed = false;

  /** So many jobs execute at the same time. */
  constructor({ concurrent }: { readonly concurrent: number }) {
    this.#concurrent = concurrent;
  }

  /** Takes a job; throws OverloadError `limit.queue` when as many wait as may, or when closed. */
  enqueue(job: QueuedJob): void {
    if (this.#isClosed) {
      throw new OverloadError('limit.queue', 'the server is closing', RETRY_AFTER_S_MAX);
    }
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

  /** When the first of those that execute will be done, which frees a place; at most a minute. */
  retryAfterS(): number {
    const soonestMs = Math.min(...[...this.#executing.keys()].map((job) => job.remainingMs()));
    const seconds = Math.ceil(soonestMs / 1000);
    return Math.min(Math.max(seconds, RETRY_AFTER_S_MIN), RETRY_AFTER_S_MAX);
  }

  /** Takes no more, stops everything, and resolves when nothing executes any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of [...this.#waiting.values()].flat()) job.stop();
    for (const job of [...this.#executing.keys()]) job.stop();
    await Promise.all(this.#executing.values());
  }

  #startWaiting(): void {
    while (this.#executing.size < this.#concurrent) {
      const job = this.#next();
      if (job === null) return;
      this.#executing.set(job, this.#execute(job));
    }
  }

  /** The oldest job of the caller whose turn it is, who then goes behind all others. */
  #next(): QueuedJob | null {
    const [turn] = this.#waiting;
    if (turn === undefined) return null;
    const [caller, [first, ...others]] = turn;
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    return first ?? null;
  }

  async #execute(job: QueuedJob): Promise<void> {
    await job.start();
    this.#executing.delete(job);
    this.#startWaiting();
  }
}

const RETRY_AFTER_S_MIN = 1;
const RETRY_AFTER_S_MAX = 60;
