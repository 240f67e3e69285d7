/**
 * @module
 * The jobs of one kind: what was asked, how it stands, what came out. Executing is a function that is
 * handed in, and so is what becomes of results that are forgotten; when a job executes is the queue's
 * to say. Jobs that are over are kept up to a bound, the oldest go first; a log tells what they were
 * after a restart.
 */

import { LabError } from '../../src/errors.ts';
import { sees } from '../callers/principal.ts';
import type { JobKind } from '../contract/ids.ts';
import { randomId } from '../contract/ids.ts';
import { OverloadError } from '../request/refusals.ts';
import type { OnFault } from '../request/server-fault.ts';
import { JobFeed, NEWS_AFTER_RESTART } from './job-feed.ts';
import type { JobLog } from './job-log.ts';
import { EPHEMERAL_JOBS } from './job-log.ts';
import type { JobQueue, QueuedJob } from './job-queue.ts';
import { SERVER_ITSELF } from './job-queue.ts';
import type { JobRecord, JobState, JobStatus } from './job-state.ts';
import { recordOf, stateOf } from './job-state.ts';

/** No job executes longer: others wait behind it. */
export const JOB_SECONDS_MAX = 3600;

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
  /** Where they are looked at: `/v1/runs`. */
  readonly path: string;
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
  /** What is left of a result after a restart; all of it, unless told. */
  readonly restoreResult?: (result: Result) => Result;
  /** Told of each job that is no longer kept. */
  readonly onForget?: (job: JobSnapshot<Request, Progress, Result>) => void;
}

export interface JobDependencies {
  readonly queue: JobQueue;
  /** Where the jobs of a kind, by its noun, survive a restart; left out, nowhere. */
  readonly logOf?: (noun: string) => JobLog;
  readonly onFault: OnFault;
  /** A monotonic clock in milliseconds, for Retry-After. */
  readonly nowMs: () => number;
}

interface Job<Request, Progress, Result> extends QueuedJob {
  readonly id: string;
  readonly request: Request;
  readonly abort: AbortController;
  readonly feed: JobFeed<JobSnapshot<Request, Progress, Result>>;
  state: JobState<Result>;
  progress: Progress;
  startedMs: number;
  isOverdue: boolean;
  isInterrupted: boolean;
}

/** Owns the records of its jobs; the queue owns those that execute. */
export class JobStore<Request, Progress, Result> {
  readonly #options: JobKindOptions<Request, Progress, Result>;
  readonly #dependencies: JobDependencies;
  readonly #jobs = new Map<string, Job<Request, Progress, Result>>();
  /** Jobs that are over, oldest first. */
  readonly #over: Job<Request, Progress, Result>[] = [];
  readonly #log: JobLog;
  /** Over, and their ends are not in the log. */
  readonly #unsaved = new Set<Job<Request, Progress, Result>>();
  #isClosing = false;

  constructor(options: JobKindOptions<Request, Progress, Result>, dependencies: JobDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#log = dependencies.logOf?.(options.noun) ?? EPHEMERAL_JOBS;
  }

  /** Brings back what the log holds; what was not over then is interrupted now. */
  restore(): void {
    for (const { id, caller, request, state } of this.#log.read()) {
      // Both are clones of what this class gave to the log.
      const job = this.#newJob(id, caller, request as Request, NEWS_AFTER_RESTART);
      this.#jobs.set(id, job);
      if (state === null) {
        this.#finish(job, this.#interrupted(null));
        continue;
      }
      const record = state as JobRecord<Progress, Result>; // As above.
      const { restoreResult = (result) => result } = this.#options;
      const result = record.result && restoreResult(record.result);
      job.progress = record.progress;
      job.state = stateOf({ ...record, result });
      job.feed.end(snapshot(job));
      this.#over.push(job);
    }
    this.#forgetSuperfluous();
  }

  /** From now on jobs are stopped because the server ends, which is not what cancelling is. */
  closing(): void {
    this.#isClosing = true;
  }

  /** Takes a request; throws OverloadError when the queue does, or `storage.unavailable`. */
  submit(request: Request, caller: string): JobSnapshot<Request, Progress, Result> {
    const job = this.#newJob(randomId(this.#options.letter), caller, request);
    job.feed.say(snapshot(job));
    this.#dependencies.queue.enqueue(job);
    try {
      this.#log.submitted(job, `${this.#options.path}/${job.id}`);
    } catch (error) {
      this.#stop(job);
      throw error;
    }
    this.#jobs.set(job.id, job);
    this.#save();
    return snapshot(job);
  }

  #newJob(
    id: string,
    caller: string,
    request: Request,
    firstNews = 0,
  ): Job<Request, Progress, Result> {
    const job: Job<Request, Progress, Result> = {
      ...{ id, caller, request, abort: new AbortController(), feed: new JobFeed(firstNews) },
      ...{ state: { status: 'queued' }, progress: this.#options.begun },
      ...{ startedMs: 0, isOverdue: false, isInterrupted: false },
      start: () => this.#execute(job),
      stop: () => this.#stop(job),
      remainingMs: () => this.#options.remainingMs(job, this.#dependencies.nowMs() - job.startedMs),
    };
    return job;
  }

  /** What is known of a job; throws LabError `not_found`, also for one that who asks may not see. */
  get(id: string): JobSnapshot<Request, Progress, Result> {
    return snapshot(this.#job(id));
  }

  /** What is told of a job; throws as `get` does. */
  feed(id: string): JobFeed<JobSnapshot<Request, Progress, Result>> {
    return this.#job(id).feed;
  }

  /** The jobs of a caller in the order of their ids; null is all that who asks may see. */
  list(caller: string | null): readonly JobSnapshot<Request, Progress, Result>[] {
    return [...this.#jobs.values()]
      .filter((job) => (caller === null ? isSeen(job) : job.caller === caller))
      .toSorted((left, right) => (left.id < right.id ? -1 : 1))
      .map(snapshot);
  }

  /** All jobs, whoever asks. */
  all(): readonly JobSnapshot<Request, Progress, Result>[] {
    return [...this.#jobs.values()].map(snapshot);
  }

  /** How many jobs there are of each status, those that are kept included. */
  counts(): Readonly<Record<JobStatus, number>> {
    const counts = {
      ...{ queued: 0, running: 0, cancelling: 0 },
      ...{ done: 0, failed: 0, cancelled: 0, interrupted: 0 },
    };
    for (const { state } of this.#jobs.values()) counts[state.status] += 1;
    return counts;
  }

  /**
   * Cancels a job that is not over; one that was cancelled stays as it is. Throws LabError
   * `not_found`, or `job.finished` for a job that is done, failed or interrupted.
   */
  cancel(id: string): JobSnapshot<Request, Progress, Result> {
    const job = this.#job(id);
    const { status } = job.state;
    if (status === 'done' || status === 'failed' || status === 'interrupted') {
      throw new LabError('job.finished', `${this.#options.noun} ${id} is ${status} already`);
    }
    this.#stop(job);
    return snapshot(job);
  }

  #job(id: string): Job<Request, Progress, Result> {
    const job = this.#jobs.get(id);
    if (job === undefined || !isSeen(job)) {
      throw new LabError('not_found', `there is no ${this.#options.noun} ${id}`);
    }
    return job;
  }

  #stop(job: Job<Request, Progress, Result>): void {
    switch (job.state.status) {
      case 'queued':
        this.#dependencies.queue.withdraw(job);
        job.isInterrupted = this.#isClosing;
        this.#finish(job, this.#stopped(job, null));
        break;
      case 'running':
        job.isInterrupted = this.#isClosing;
        this.#enter(job, { status: 'cancelling' });
        job.abort.abort();
        break;
      case 'cancelling':
      case 'cancelled':
      case 'done':
      case 'failed':
      case 'interrupted':
        break;
      default:
        job.state satisfies never;
    }
  }

  async #execute(job: Job<Request, Progress, Result>): Promise<void> {
    this.#enter(job, { status: 'running' });
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
      job.feed.note(snapshot(job));
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
    if (job.isInterrupted) return this.#interrupted(result);
    if (!job.isOverdue) return { status: 'cancelled', result };
    const detail = `it executed for ${JOB_SECONDS_MAX} s, longer than any job may`;
    return { status: 'failed', error: new LabError('job.deadline', detail), result };
  }

  #interrupted(result: Result | null): JobState<Result> {
    const { noun, path } = this.#options;
    const detail = `the server ended before this ${noun} did; POST it to ${path} again`;
    return { status: 'interrupted', error: new LabError('job.interrupted', detail), result };
  }

  #enter(job: Job<Request, Progress, Result>, state: JobState<Result>): void {
    job.state = state;
    job.feed.say(snapshot(job));
  }

  /** How it ended is stored in the same turn, before anybody can be told. */
  #finish(job: Job<Request, Progress, Result>, state: JobState<Result>): void {
    job.state = state;
    this.#unsaved.add(job);
    this.#save();
    job.feed.end(snapshot(job));
    this.#over.push(job);
    this.#forgetSuperfluous();
  }

  /** What a full disk did not take is tried again with what comes next. */
  #save(): void {
    for (const job of this.#unsaved) {
      try {
        this.#log.over(job.id, recordOf(job.state, job.progress));
        this.#unsaved.delete(job);
      } catch (error) {
        // The file tells of itself, once.
        if (error instanceof OverloadError) return;
        this.#unsaved.delete(job);
        this.#dependencies.onFault({ id: job.id, error });
      }
    }
  }

  #forgetSuperfluous(): void {
    for (;;) {
      const superfluous = this.#superfluous();
      if (superfluous === null) return;
      this.#forget(superfluous);
    }
  }

  /** The oldest of whoever keeps most, where that is too much; the newest of a caller never is. */
  #superfluous(): Job<Request, Progress, Result> | null {
    const { keptMax, weight } = this.#options;
    if (this.#over.length > keptMax) return oldestOfMost(this.#over, () => 1);
    if (weight === undefined) return null;
    const weightOf = ({ state }: Job<Request, Progress, Result>) =>
      state.status === 'done' ? weight.of(state.result) : 0;
    const candidates = this.#over.filter((job) => weightOf(job) > 0);
    const whole = candidates.reduce((sum, job) => sum + weightOf(job), 0);
    if (candidates.length < 2 || whole <= weight.keptMax) return null;
    return oldestOfMost(candidates, weightOf);
  }

  #forget(job: Job<Request, Progress, Result>): void {
    this.#over.splice(this.#over.indexOf(job), 1);
    this.#unsaved.delete(job);
    this.#jobs.delete(job.id);
    this.#log.forgotten(job.id);
    this.#options.onForget?.(snapshot(job));
  }
}

/** The first of those whose caller has the most by weight; null of none. */
function oldestOfMost<Each extends { readonly caller: string }>(
  jobs: readonly Each[],
  weightOf: (job: Each) => number,
): Each | null {
  const weights = new Map<string, number>();
  for (const job of jobs) weights.set(job.caller, (weights.get(job.caller) ?? 0) + weightOf(job));
  const most = Math.max(...weights.values());
  return jobs.find(({ caller }) => weights.get(caller) === most) ?? null;
}

function isSeen({ caller }: { readonly caller: string }): boolean {
  return sees(caller === SERVER_ITSELF ? undefined : caller);
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
