/**
 * @module
 * The jobs of one kind: their requests, states and results. The function that executes a job is an
 * argument, and so is what happens to a result that is forgotten. The queue decides when a job runs. Jobs
 * that are over are kept up to a limit, and the oldest are forgotten first. A log restores them after a
 * restart.
 */

import { LabError } from '../../src/errors.ts';
import type { JobKind } from '../contract/members.ts';
import { randomId } from '../contract/members.ts';
import type { Principal } from '../request/principal.ts';
import { isVisibleTo, SERVER_ITSELF } from '../request/principal.ts';
import { OverloadError } from '../request/refusals.ts';
import type { OnFault } from '../request/server-fault.ts';
import { FIRST_EVENT_AFTER_RESTART, JobFeed } from './job-feed.ts';
import type { JobLog } from './job-log.ts';
import { EPHEMERAL_JOBS } from './job-log.ts';
import type { JobQueue, QueuedJob } from './job-queue.ts';
import type { JobRecord, JobState, JobStatus } from './job-state.ts';
import { JOB_STATUSES, recordOf, stateOf } from './job-state.ts';

/** Longest running time of a job, because others wait for it. */
export const JOB_SECONDS_MAX = 3600;

/** A job as it is now. */
export interface JobSnapshot<Request, Progress, Result> {
  readonly id: string;
  readonly caller: string;
  readonly request: Request;
  readonly state: JobState<Result>;
  readonly progress: Progress;
}

/** What an execution receives besides its request. */
export interface Execution<Progress> {
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/**
 * Executes a request. Soon after `signal` aborts it must end: it rejects, or resolves to a partial result,
 * which is kept.
 */
export type Execute<Request, Progress, Result> = (
  request: Request,
  execution: Execution<Progress>,
) => Promise<Result>;

export interface JobKindOptions<Request, Progress, Result> {
  /** First letter of the ids. */
  readonly letter: JobKind;
  /** Name of a job in details: `run`. */
  readonly noun: string;
  /** Path of the collection: `/v1/runs`. */
  readonly path: string;
  /** Number of jobs that are over and kept. */
  readonly keptMax: number;
  /** Weight of a result that takes storage, and the total that is kept. */
  readonly weight?: { readonly of: (result: Result) => number; readonly keptMax: number };
  /** Progress before the first one is reported. */
  readonly begun: Progress;
  readonly execute: Execute<Request, Progress, Result>;
  /** Estimated time until a job ends, in ms, after it has run for this long. */
  readonly remainingMs: (
    job: { readonly request: Request; readonly progress: Progress },
    elapsedMs: number,
  ) => number;
  /** What remains of a result after a restart; all of it by default. */
  readonly restoreResult?: (result: Result) => Result;
  /** Receives each job that is forgotten. */
  readonly onForget?: (job: JobSnapshot<Request, Progress, Result>) => void;
}

export interface JobDependencies {
  readonly queue: JobQueue;
  /** The log of the jobs of a kind, by its noun; by default nothing is stored. */
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

/** Owns the records of its jobs. The queue owns the running jobs. */
export class JobStore<Request, Progress, Result> {
  readonly #options: JobKindOptions<Request, Progress, Result>;
  readonly #dependencies: JobDependencies;
  readonly #jobs = new Map<string, Job<Request, Progress, Result>>();
  /** Jobs that are over, the oldest first. */
  readonly #over: Job<Request, Progress, Result>[] = [];
  readonly #log: JobLog;
  /** Jobs that are over and whose records are not in the log yet. */
  readonly #unsaved = new Set<Job<Request, Progress, Result>>();
  #isClosing = false;

  constructor(options: JobKindOptions<Request, Progress, Result>, dependencies: JobDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#log = dependencies.logOf?.(options.noun) ?? EPHEMERAL_JOBS;
  }

  /** Restores the jobs of the log. Those that were not over are interrupted now. */
  restore(): void {
    for (const { id, caller, request, state } of this.#log.read()) {
      // Both casts: clones of what this class passed to the log.
      const job = this.#newJob(id, caller, request as Request, FIRST_EVENT_AFTER_RESTART);
      this.#jobs.set(id, job);
      if (state === null) {
        this.#finish(job, this.#interrupted(null));
        continue;
      }
      const record = state as JobRecord<Progress, Result>; // See above.
      const { restoreResult = (result) => result } = this.#options;
      const result = record.result && restoreResult(record.result);
      job.progress = record.progress;
      job.state = stateOf({ ...record, result });
      job.feed.end(snapshot(job));
      this.#over.push(job);
    }
    this.#forgetSuperfluous();
  }

  /** Says that the server is stopping: jobs that are stopped now are interrupted, not cancelled. */
  closing(): void {
    this.#isClosing = true;
  }

  /** Adds a job. Throws OverloadError as the queue does, or `storage.unavailable`. */
  submit(
    request: Request,
    { caller, keyed }: Pick<Principal, 'caller' | 'keyed'>,
  ): JobSnapshot<Request, Progress, Result> {
    const job = this.#newJob(randomId(this.#options.letter), caller, request);
    job.feed.push(snapshot(job));
    this.#dependencies.queue.enqueue(job);
    try {
      this.#log.submitted(job, `${this.#options.path}/${job.id}`, keyed);
    } catch (error) {
      this.#stop(job);
      throw error;
    }
    this.#jobs.set(job.id, job);
    this.#save();
    return snapshot(job);
  }

  /** A job. Throws LabError `not_found`, also if it is not visible to the principal. */
  get(id: string, principal: Principal): JobSnapshot<Request, Progress, Result> {
    return snapshot(this.#job(id, principal));
  }

  /** The events of a job. Throws as `get` does. */
  feed(id: string, principal: Principal): JobFeed<JobSnapshot<Request, Progress, Result>> {
    return this.#job(id, principal).feed;
  }

  /** The jobs that the principal submitted, or all for an admin, in the order of submission. */
  list({ caller, access }: Principal): readonly JobSnapshot<Request, Progress, Result>[] {
    return [...this.#jobs.values()]
      .filter((job) => access === 'admin' || job.caller === caller)
      .map(snapshot);
  }

  /** Number of jobs in each state. */
  counts(): Readonly<Record<JobStatus, number>> {
    const states = [...this.#jobs.values()].map(({ state }) => state.status);
    const counts = JOB_STATUSES.map((status) => {
      return [status, states.filter((each) => each === status).length] as const;
    });
    // Object.fromEntries loses the names.
    return Object.fromEntries(counts) as Record<JobStatus, number>;
  }

  /**
   * Cancels a job that is not over. One that was cancelled stays as it is. Throws LabError `not_found`, or
   * `job.finished` for a job that is done, failed or interrupted.
   */
  cancel(id: string, principal: Principal): JobSnapshot<Request, Progress, Result> {
    const job = this.#job(id, principal);
    const { status } = job.state;
    if (status === 'done' || status === 'failed' || status === 'interrupted') {
      throw new LabError('job.finished', `${this.#options.noun} ${id} is ${status} already`);
    }
    this.#stop(job);
    return snapshot(job);
  }

  #newJob(
    id: string,
    caller: string,
    request: Request,
    firstEvent = 0,
  ): Job<Request, Progress, Result> {
    const job: Job<Request, Progress, Result> = {
      ...{ id, caller, request, abort: new AbortController(), feed: new JobFeed(firstEvent) },
      ...{ state: { status: 'queued' }, progress: this.#options.begun },
      ...{ startedMs: 0, isOverdue: false, isInterrupted: false },
      start: () => this.#execute(job),
      stop: () => this.#stop(job),
      remainingMs: () => this.#options.remainingMs(job, this.#dependencies.nowMs() - job.startedMs),
    };
    return job;
  }

  #job(id: string, principal: Principal): Job<Request, Progress, Result> {
    const job = this.#jobs.get(id);
    const owner = job?.caller === SERVER_ITSELF ? undefined : job?.caller;
    if (job === undefined || !isVisibleTo(owner, principal)) {
      throw new LabError('not_found', `there is no ${this.#options.noun} ${id}`);
    }
    return job;
  }

  #stop(job: Job<Request, Progress, Result>): void {
    const { status } = job.state;
    if (status !== 'queued' && status !== 'running') return;
    job.isInterrupted = this.#isClosing;
    if (status === 'queued') {
      this.#dependencies.queue.withdraw(job);
      this.#finish(job, this.#stopped(job, null));
    } else {
      this.#enter(job, { status: 'cancelling' });
      job.abort.abort();
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

  /** The state after an execution; never rejects. */
  async #outcome(job: Job<Request, Progress, Result>): Promise<JobState<Result>> {
    const { signal } = job.abort;
    const onProgress = (progress: Progress) => {
      job.progress = progress;
      job.feed.pushSoon(snapshot(job));
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
    const detail = `it ran for ${JOB_SECONDS_MAX} s, the longest time of any job`;
    return { status: 'failed', error: new LabError('job.deadline', detail), result };
  }

  #interrupted(result: Result | null): JobState<Result> {
    const { noun, path } = this.#options;
    const detail = `the server ended before this ${noun} did; POST it to ${path} again`;
    return { status: 'interrupted', error: new LabError('job.interrupted', detail), result };
  }

  #enter(job: Job<Request, Progress, Result>, state: JobState<Result>): void {
    job.state = state;
    job.feed.push(snapshot(job));
  }

  /** The record is stored before any caller can receive the state. */
  #finish(job: Job<Request, Progress, Result>, state: JobState<Result>): void {
    job.state = state;
    this.#unsaved.add(job);
    this.#save();
    job.feed.end(snapshot(job));
    this.#over.push(job);
    this.#forgetSuperfluous();
  }

  /** What a full disk did not take is tried again with the next record. */
  #save(): void {
    for (const job of this.#unsaved) {
      try {
        this.#log.over(job.id, recordOf(job.state, job.progress));
        this.#unsaved.delete(job);
      } catch (error) {
        // The file has reported it.
        if (error instanceof OverloadError) return;
        this.#unsaved.delete(job);
        this.#dependencies.onFault({ id: job.id, error });
      }
    }
  }

  #forgetSuperfluous(): void {
    for (let job = this.#superfluous(); job !== null; job = this.#superfluous()) {
      this.#over.splice(this.#over.indexOf(job), 1);
      this.#unsaved.delete(job);
      this.#jobs.delete(job.id);
      this.#log.forgotten(job.id);
      this.#options.onForget?.(snapshot(job));
    }
  }

  /** The oldest job of the caller that keeps most, if too much is kept. The newest result stays. */
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
}

/** The first job of the caller with the largest total weight; null if there are no jobs. */
function oldestOfMost<Each extends { readonly caller: string }>(
  jobs: readonly Each[],
  weightOf: (job: Each) => number,
): Each | null {
  const weights = new Map<string, number>();
  for (const job of jobs) weights.set(job.caller, (weights.get(job.caller) ?? 0) + weightOf(job));
  const most = Math.max(...weights.values());
  return jobs.find(({ caller }) => weights.get(caller) === most) ?? null;
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
