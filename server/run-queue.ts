/**
 * @module
 * Runs as jobs: a bounded queue in front of a bounded number of executions, cancelling, and the last
 * results. The queue decides and remembers; executing (worker threads, in the product) is a function
 * that is handed in. Nothing here blocks: a run costs this thread its messages alone.
 */

import { LabError } from '../src/errors.ts';
import type { RunReport } from '../src/experiment/report.ts';
import { randomId } from './ids.ts';
import { OverloadError } from './problem.ts';
import type { RunRequest } from './run-request.ts';
import type { OnFault } from './server-fault.ts';

/** Runs that wait, and finished runs whose results are kept; the oldest goes when a new one ends. */
export const RUNS_QUEUED_MAX = 32;
export const RUNS_KEPT_MAX = 200;

/**
 * Executes a request. When `signal` aborts it ends soon: by rejecting, or by resolving to the report
 * of the runs that were finished, which is then kept as a partial one.
 */
export type ExecuteExperiment = (
  request: RunRequest,
  options: {
    /** Takes the number of runs finished so far. */
    readonly onProgress: (done: number) => void;
    readonly signal: AbortSignal;
  },
) => Promise<RunReport>;

/** Where a run stands. A cancelled run has a report if some of its runs were finished. */
export type RunState =
  | { readonly status: 'queued' | 'running' | 'cancelling' }
  | { readonly status: 'done'; readonly report: RunReport }
  | { readonly status: 'failed'; readonly error: LabError }
  | { readonly status: 'cancelled'; readonly report: RunReport | null };

/** What is known of one run now. */
export interface RunSnapshot {
  readonly id: string;
  readonly request: RunRequest;
  readonly state: RunState;
  readonly done: number;
}

export interface RunQueueOptions {
  /** Requests executed at the same time. */
  readonly concurrent: number;
}

export interface RunQueueDependencies {
  readonly execute: ExecuteExperiment;
  readonly onFault: OnFault;
  /** A monotonic clock in milliseconds, for Retry-After. */
  readonly nowMs: () => number;
}

interface Job {
  readonly id: string;
  readonly request: RunRequest;
  readonly abort: AbortController;
  state: RunState;
  done: number;
  startedMs: number;
}

/** Owns its jobs; whoever makes one closes it. */
export class RunQueue {
  readonly #concurrent: number;
  readonly #dependencies: RunQueueDependencies;
  readonly #jobs = new Map<string, Job>();
  readonly #waiting: Job[] = [];
  readonly #running = new Map<Job, Promise<void>>();
  /** Ids of finished jobs, oldest first. */
  readonly #finished: string[] = [];
  #isClosed = false;

  constructor({ concurrent }: RunQueueOptions, dependencies: RunQueueDependencies) {
    this.#concurrent = concurrent;
    this.#dependencies = dependencies;
  }

  /** Takes a request; throws OverloadError `limit.queue` when as many wait as may, or when closed. */
  submit(request: RunRequest): RunSnapshot {
    if (this.#isClosed) {
      throw new OverloadError('limit.queue', 'the server is closing', RETRY_AFTER_S_MAX);
    }
    if (this.#running.size >= this.#concurrent && this.#waiting.length >= RUNS_QUEUED_MAX) {
      const detail = `${RUNS_QUEUED_MAX} runs are waiting already; try later or cancel one`;
      throw new OverloadError('limit.queue', detail, this.#retryAfterS());
    }
    const job: Job = {
      id: randomId('r'),
      request,
      abort: new AbortController(),
      state: { status: 'queued' },
      done: 0,
      startedMs: 0,
    };
    this.#jobs.set(job.id, job);
    this.#waiting.push(job);
    this.#startWaiting();
    return snapshot(job);
  }

  /** What is known of a run; throws LabError `not_found`. */
  get(id: string): RunSnapshot {
    return snapshot(this.#job(id));
  }

  /**
   * Cancels a run that is not finished; one that was cancelled stays as it is. Throws LabError
   * `not_found`, or `job.finished` for a run that is done or failed.
   */
  cancel(id: string): RunSnapshot {
    const job = this.#job(id);
    switch (job.state.status) {
      case 'queued':
        this.#waiting.splice(this.#waiting.indexOf(job), 1);
        this.#finish(job, { status: 'cancelled', report: null });
        break;
      case 'running':
        job.state = { status: 'cancelling' };
        job.abort.abort();
        break;
      case 'cancelling':
      case 'cancelled':
        break;
      case 'done':
      case 'failed':
        throw new LabError('job.finished', `run ${id} is ${job.state.status} already`);
      default:
        job.state satisfies never;
    }
    return snapshot(job);
  }

  /** Takes no more, cancels everything, and resolves when nothing executes any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of [...this.#waiting, ...this.#running.keys()]) this.cancel(job.id);
    await Promise.all(this.#running.values());
  }

  #job(id: string): Job {
    const job = this.#jobs.get(id);
    if (job === undefined) throw new LabError('not_found', `there is no run ${id}`);
    return job;
  }

  #startWaiting(): void {
    while (this.#running.size < this.#concurrent) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      job.state = { status: 'running' };
      job.startedMs = this.#dependencies.nowMs();
      this.#running.set(job, this.#execute(job));
    }
  }

  async #execute(job: Job): Promise<void> {
    const state = await this.#outcome(job);
    this.#running.delete(job);
    this.#finish(job, state);
    this.#startWaiting();
  }

  /** Never rejects: whatever happens is a state of the job. */
  async #outcome(job: Job): Promise<RunState> {
    const { signal } = job.abort;
    const onProgress = (done: number) => {
      job.done = done;
    };
    try {
      const report = await this.#dependencies.execute(job.request, { onProgress, signal });
      if (signal.aborted) return { status: 'cancelled', report };
      job.done = job.request.runs;
      return { status: 'done', report };
    } catch (error) {
      if (signal.aborted) return { status: 'cancelled', report: null };
      if (error instanceof LabError) return { status: 'failed', error };
      this.#dependencies.onFault({ id: job.id, error });
      const detail = 'the run failed by a fault of the server; its log names this run';
      return { status: 'failed', error: new LabError('job.failed', detail) };
    }
  }

  #finish(job: Job, state: RunState): void {
    job.state = state;
    this.#finished.push(job.id);
    const oldest = this.#finished.length > RUNS_KEPT_MAX ? this.#finished.shift() : undefined;
    if (oldest !== undefined) this.#jobs.delete(oldest);
  }

  /** When the first of those that run will be done at its present rate, which frees a place. */
  #retryAfterS(): number {
    const now = this.#dependencies.nowMs();
    const remainingMs = [...this.#running.keys()].map(({ startedMs, done, request }) =>
      done === 0 ? Number.POSITIVE_INFINITY : ((now - startedMs) * (request.runs - done)) / done,
    );
    const seconds = Math.ceil(Math.min(...remainingMs) / 1000);
    return Math.min(Math.max(seconds, RETRY_AFTER_S_MIN), RETRY_AFTER_S_MAX);
  }
}

function snapshot({ id, request, state, done }: Job): RunSnapshot {
  return { id, request, state, done };
}

const RETRY_AFTER_S_MIN = 1;
const RETRY_AFTER_S_MAX = 60;
