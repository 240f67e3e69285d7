/**
 * @module
 * The jobs of one kind: what was asked, how it stands, what came out. Executing is a function that is
 * handed in, and so is what becomes of results that are forgotten; when a job executes is the queue's
 * to say. Jobs that are over are kept up to a bound, the oldest go first.
 */

import { LabError } from '../src/errors.ts';
import type { JobKind } from './ids.ts';
import { randomId } from './ids.ts';
import type { JobQueue, QueuedJob } from './job-queue.ts';
import type { OnFault } from './server-fault.ts';

/** No job executes longer: others wait behind it. */
export const JOB_SECONDS_MAX = 3600;

export type JobStatus = 'queued' | 'running' | 'cancelling' | 'done' | 'failed' | 'cancelled';

/** Where a job stands. One that was stopped has a result if it had come to one. */
export type JobState<Result> =
  | { readonly status: 'queued' | 'running' | 'cancelling' }
  | { readonly status: 'done'; readonly result: Result }
  | { readonly status: 'failed'; readonly error: LabError; readonly result: Result | null }
  | { readonly status: 'cancelled'; readonly result: Result | null };

/** What is known of one job now. */
export interface JobSnapshot<Request, Progress, Result> {
  readonly id: string;
  readonly caller: string;
  readonly request: Request;
  readonly state: JobState<Result>;
  readonly progress: Progress;
}

/** What an execution is given besides its request. */
export interface Execution<Progress> {
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/**
 * Executes a request. When `signal` aborts it ends soon: by rejecting, or by resolving to what it had
 * come to, which is then kept as a partial result.
 */
export type Execute<Request, Progress, Result> = (
  request: Request,
  execution: Execution<Progress>,
) => Promise<Result>;

export interface JobKindOptions<Request, Progress, Result> {
  /** The first letter of its ids. */
  readonly letter: JobKind;
  /** What details call a job: `run`. */
  readonly noun: string;
  /** Jobs that are over and kept. */
  readonly keptMax: number;
  /** What a result weighs where its keeping is not free, and how much is kept together. */
  readonly weight?: { readonly of: (result: Result) => number; readonly keptMax: number };
  /** Progress before there is any. */
  readonly begun: Progress;
  readonly execute: Execute<Request, Progress, Result>;
  /** Until a job ends, from what is known after so many milliseconds. */
  readonly remainingMs: (
    job: { readonly request: Request; readonly progress: Progress },
    elapsedMs: number,
  ) => number;
  /** Told of each job that is no longer kept. */
  readonly onForget?: (job: JobSnapshot<Request, Progress, Result>) => void;
}

export interface JobDependencies {
  readonly queue: JobQueue;
  readonly onFault: OnFault;
  /** A monotonic clock in milliseconds, for Retry-After. */
  readonly nowMs: () => number;
}

interface Job<Request, Progress, Result> extends QueuedJob {
  readonly id: string;
  readonly request: Request;
  readonly abort: AbortController;
  state: JobState<Result>;
  progress: Progress;
  startedMs: number;
  isOverdue: boolean;
}

/** Owns the records of its jobs; the queue owns those that execute. */
export class JobStore<Request, Progress, Result> {
  readonly #options: JobKindOptions<Request, Progress, Result>;
  readonly #dependencies: JobDependencies;
  readonly #jobs = new Map<string, Job<Request, Progress, Result>>();
  /** Jobs that are over, oldest first. */
  readonly #over: Job<Request, Progress, Result>[] = [];

  constructor(options: JobKindOptions<Request, Progress, Result>, dependencies: JobDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /** Takes a request; throws OverloadError `limit.queue` when the queue does. */
  submit(request: Request, caller: string): JobSnapshot<Request, Progress, Result> {
    const job: Job<Request, Progress, Result> = {
      ...{ id: randomId(this.#options.letter), caller, request, abort: new AbortController() },
      ...{ state: { status: 'queued' }, progress: this.#options.begun },
      ...{ startedMs: 0, isOverdue: false },
      start: () => this.#execute(job),
      stop: () => this.#stop(job),
      remainingMs: () => this.#options.remainingMs(job, this.#dependencies.nowMs() - job.startedMs),
    };
    this.#dependencies.queue.enqueue(job);
    this.#jobs.set(job.id, job);
    return snapshot(job);
  }

  /** What is known of a job; throws LabError `not_found`. */
  get(id: string): JobSnapshot<Request, Progress, Result> {
    return snapshot(this.#job(id));
  }

  /** The jobs of a caller in the order of their ids. */
  list(caller: string): readonly JobSnapshot<Request, Progress, Result>[] {
    return [...this.#jobs.values()]
      .filter((job) => job.caller === caller)
      .toSorted((left, right) => (left.id < right.id ? -1 : 1))
      .map(snapshot);
  }

  /** How many jobs there are of each status, those that are kept included. */
  counts(): Readonly<Record<JobStatus, number>> {
    const counts = { queued: 0, running: 0, cancelling: 0, done: 0, failed: 0, cancelled: 0 };
    for (const { state } of this.#jobs.values()) counts[state.status] += 1;
    return counts;
  }

  /**
   * Cancels a job that is not over; one that was cancelled stays as it is. Throws LabError
   * `not_found`, or `job.finished` for a job that is done or failed.
   */
  cancel(id: string): JobSnapshot<Request, Progress, Result> {
    const job = this.#job(id);
    const { status } = job.state;
    if (status === 'done' || status === 'failed') {
      throw new LabError('job.finished', `${this.#options.noun} ${id} is ${status} already`);
    }
    this.#stop(job);
    return snapshot(job);
  }

  #job(id: string): Job<Request, Progress, Result> {
    const job = this.#jobs.get(id);
    if (job === undefined) {
      throw new LabError('not_found', `there is no ${this.#options.noun} ${id}`);
    }
    return job;
  }

  #stop(job: Job<Request, Progress, Result>): void {
    switch (job.state.status) {
      case 'queued':
        this.#dependencies.queue.withdraw(job);
        this.#finish(job, { status: 'cancelled', result: null });
        break;
      case 'running':
        job.state = { status: 'cancelling' };
        job.abort.abort();
        break;
      case 'cancelling':
      case 'cancelled':
      case 'done':
      case 'failed':
        break;
      default:
        job.state satisfies never;
    }
  }

  async #execute(job: Job<Request, Progress, Result>): Promise<void> {
    job.state = { status: 'running' };
    job.startedMs = this.#dependencies.nowMs();
    const deadline = setTimeout(() => {
      job.isOverdue = !job.abort.signal.aborted;
      job.abort.abort();
    }, 1000 * JOB_SECONDS_MAX);
    const state = await this.#outcome(job);
    clearTimeout(deadline);
    this.#finish(job, state);
  }

  /** Never rejects: whatever happens is a state of the job. */
  async #outcome(job: Job<Request, Progress, Result>): Promise<JobState<Result>> {
    const { signal } = job.abort;
    const onProgress = (progress: Progress) => {
      job.progress = progress;
    };
    try {
      const result = await this.#options.execute(job.request, { onProgress, signal });
      return signal.aborted ? this.#stopped(job, result) : { status: 'done', result };
    } catch (error) {
      if (signal.aborted) return this.#stopped(job, null);
      if (error instanceof LabError) return { status: 'failed', error, result: null };
      this.#dependencies.onFault({ id: job.id, error });
      const { noun } = this.#options;
      const detail = `the ${noun} failed by a fault of the server; its log names this ${noun}`;
      return { status: 'failed', error: new LabError('job.failed', detail), result: null };
    }
  }

  #stopped(job: Job<Request, Progress, Result>, result: Result | null): JobState<Result> {
    if (!job.isOverdue) return { status: 'cancelled', result };
    const detail = `it executed for ${JOB_SECONDS_MAX} s, longer than any job may`;
    return { status: 'failed', error: new LabError('job.deadline', detail), result };
  }

  #finish(job: Job<Request, Progress, Result>, state: JobState<Result>): void {
    job.state = state;
    this.#over.push(job);
    while (this.#isTooMuch()) this.#forgetOldest();
  }

  /** Whether the oldest must go; the newest alone is never too much. */
  #isTooMuch(): boolean {
    const { keptMax, weight } = this.#options;
    if (this.#over.length > keptMax) return true;
    if (weight === undefined || this.#over.length === 1) return false;
    const results = this.#over.flatMap(({ state }) =>
      state.status === 'done' ? [state.result] : [],
    );
    return results.reduce((sum, result) => sum + weight.of(result), 0) > weight.keptMax;
  }

  #forgetOldest(): void {
    const oldest = this.#over.shift();
    if (oldest === undefined) return;
    this.#jobs.delete(oldest.id);
    this.#options.onForget?.(snapshot(oldest));
  }
}

function snapshot<Request, Progress, Result>({
  id,
  caller,
  request,
  state,
  progress,
}: Job<Request, Progress, Result>): JobSnapshot<Request, Progress, Result> {
  return { id, caller, request, state, progress };
}
