/**
 * @module
 * The jobs of one kind: their requests, states and results. The queue decides when a job runs. Jobs that are
 * over are kept up to a limit, and the oldest are forgotten first. A log restores them after a restart.
 */

import { LabError } from '../../src/errors.ts';
import { randomId } from '../contract/members.ts';
import type { Principal } from '../request/principal.ts';
import { isVisibleTo, SERVER_ITSELF } from '../request/principal.ts';
import type { OnFault } from '../request/refusals.ts';
import { OverloadError } from '../request/refusals.ts';
import { fullDiskOf } from './full-disk.ts';
import { FIRST_EVENT_AFTER_RESTART, JobFeed } from './job-feed.ts';
import { JobGate, Stopwatch } from './job-gate.ts';
import type { Execute, JobHooks, JobSnapshot, JobState, JobTypes, StoredKind } from './job-kind.ts';
import {
  interruptedState,
  isUnfinished,
  JOB_STATUSES,
  jobPath,
  noJob,
  partsOf,
  SERVER_CLOSES,
  TURN_LOST,
} from './job-kind.ts';
import type { JobLog } from './job-log.ts';
import type { JobQueue, QueuedJob } from './job-queue.ts';

/** Longest running time of a job, because others wait for it. */
export const JOB_SECONDS_MAX = 3600;

export interface JobDependencies {
  readonly queue: JobQueue;
  /** The log of the jobs of a kind, by its name; null stores nothing. */
  readonly logOf?: (kind: string) => JobLog | null;
  readonly onFault: OnFault;
  /** A monotonic clock in milliseconds, for Retry-After. */
  readonly nowMs: () => number;
  /** The time on the wall in ms since 1970; the system's by default. */
  readonly wallMs?: () => number;
}

interface Job<T extends JobTypes> extends QueuedJob {
  abort: AbortController;
  readonly feed: JobFeed<JobSnapshot<T>>;
  readonly gate: JobGate;
  /** The running time of the job, without the turns of others. */
  watch: Stopwatch;
  deadline?: NodeJS.Timeout;
  now: JobSnapshot<T>;
  isOverdue: boolean;
  isInterrupted: boolean;
}

/** Owns the records of its jobs. The queue owns the running jobs. */
export class JobStore<T extends JobTypes> {
  readonly #kind: StoredKind<T>;
  readonly #execute: Execute<T>;
  readonly #dependencies: JobDependencies;
  readonly #hooks: JobHooks<T>;
  readonly #jobs = new Map<string, Job<T>>();
  /** Jobs that are over, the oldest first. */
  readonly #over: Job<T>[] = [];
  readonly #log: JobLog | null;
  /** Jobs that are over and whose records are not in the log yet. */
  readonly #unsaved = new Set<Job<T>>();
  #isClosing = false;

  constructor(
    kind: StoredKind<T>,
    execute: Execute<T>,
    dependencies: JobDependencies,
    hooks: JobHooks<T> = {},
  ) {
    this.#kind = kind;
    this.#execute = execute;
    this.#dependencies = dependencies;
    this.#hooks = hooks;
    this.#log = dependencies.logOf?.(kind.name) ?? null;
    this.#log?.onRecovered(() => this.#save());
  }

  get name(): string {
    return this.#kind.name;
  }

  /** Whether the id is that of a job of this kind, which may not exist. */
  isOfKind(id: string): boolean {
    return id.startsWith(`${this.#kind.letter}_`);
  }

  /** Restores the jobs of the log. Those that were not over are interrupted now. */
  restore(): void {
    for (const { record, ...stored } of this.#log?.read() ?? []) {
      const job = this.#newJob(stored, FIRST_EVENT_AFTER_RESTART);
      this.#jobs.set(stored.id, job);
      if (record === null) {
        this.#finish(job, interruptedState(this.#kind, null));
        continue;
      }
      // The log returns clones of what `#save` passed to it.
      const { progress, ...state } = record as JobState<T['result']> &
        Pick<JobSnapshot<T>, 'progress'>;
      const { restoreResult } = this.#hooks;
      if (state.result && restoreResult) {
        Object.assign(state, { result: restoreResult(state.result) });
      }
      job.now = { ...job.now, progress, state };
      job.feed.end(job.now);
      this.#hooks.onOver?.(job.now);
      this.#over.push(job);
    }
    this.#forgetSuperfluous();
  }

  /** Says that the server is stopping: jobs that are stopped now are interrupted, not cancelled. */
  closing(): void {
    this.#isClosing = true;
  }

  /**
   * Adds a job, which is done already if its result takes milliseconds. Throws OverloadError as the queue
   * does, or `storage.unavailable`.
   */
  submit(asked: T['request'], principal: Pick<Principal, 'caller' | 'keyed'>): JobSnapshot<T> {
    const { request, undo } = this.#hooks.onSubmit?.(asked) ?? { request: asked, undo: () => {} };
    try {
      return this.#accept(request, principal);
    } catch (error) {
      undo();
      throw error;
    }
  }

  #accept(
    request: T['request'],
    { caller, keyed }: Pick<Principal, 'caller' | 'keyed'>,
  ): JobSnapshot<T> {
    const id = randomId(this.#kind.letter);
    const createdMs = (this.#dependencies.wallMs ?? Date.now)();
    const job = this.#newJob({ id, caller, createdMs, request });
    const result = this.#kind.resultAtOnce?.(request) ?? null;
    job.feed.push(job.now);
    if (result === null) this.#dependencies.queue.enqueue(job);
    try {
      this.#log?.submitted(job.now, jobPath(id), keyed);
    } catch (error) {
      this.#stop(job);
      throw error;
    }
    this.#jobs.set(id, job);
    if (result === null) this.#save();
    else this.#finish(job, { status: 'done', result });
    return job.now;
  }

  /** A job. Throws LabError `not_found`, also if it is not visible to the principal. */
  get(id: string, principal: Principal): JobSnapshot<T> {
    return this.#job(id, principal).now;
  }

  /** The events of a job. Throws as `get` does. */
  feed(id: string, principal: Principal): JobFeed<JobSnapshot<T>> {
    return this.#job(id, principal).feed;
  }

  /** The jobs that the principal submitted, or all for an instructor, in the order of submission. */
  list({ caller, access }: Principal): readonly JobSnapshot<T>[] {
    const jobs = [...this.#jobs.values()].map(({ now }) => now);
    return access === 'all' ? jobs : jobs.filter((job) => job.caller === caller);
  }

  /** Number of jobs in each state. */
  counts(): Readonly<Record<string, number>> {
    const statuses = [...this.#jobs.values()].map(({ now }) => now.state.status);
    return Object.fromEntries(
      JOB_STATUSES.map((status) => [status, statuses.filter((each) => each === status).length]),
    );
  }

  /**
   * Cancels a job that is not over. One that was cancelled stays as it is. Throws LabError `not_found`, or
   * `job.finished` for a job that is done, failed or interrupted.
   */
  cancel(id: string, principal: Principal): JobSnapshot<T> {
    const job = this.#job(id, principal);
    const { status } = job.now.state;
    if (status === 'done' || status === 'failed' || status === 'interrupted') {
      throw new LabError('job.finished', `job ${id} is ${status} already`);
    }
    this.#stop(job);
    return job.now;
  }

  /**
   * Removes a job that is over, with its files. Throws LabError `not_found`, or `job.unfinished` for a job
   * that is not over, or OverloadError `storage.unavailable`.
   */
  async remove(id: string, principal: Principal): Promise<void> {
    const job = this.#job(id, principal);
    const { status } = job.now.state;
    if (isUnfinished(status)) {
      const detail = `job ${id} is ${status}; POST ${jobPath(id)}/cancel, and DELETE it when it is over`;
      throw new LabError('job.unfinished', detail);
    }
    this.#log?.removed(id);
    await this.#forget(job);
  }

  #newJob(
    submitted: Pick<JobSnapshot<T>, 'id' | 'caller' | 'createdMs' | 'request'>,
    firstEvent = 0,
  ): Job<T> {
    const progress = this.#kind.begun;
    const { caller } = submitted;
    const job: Job<T> = {
      now: { ...submitted, state: { status: 'queued' }, progress },
      caller,
      abort: new AbortController(),
      feed: new JobFeed(firstEvent),
      gate: new JobGate(),
      watch: new Stopwatch(this.#dependencies.nowMs),
      isOverdue: false,
      isInterrupted: false,
      canPause: this.#kind.givesNoWay !== true,
      usesDevice: (this.#kind.deviceMember?.(submitted.request) ?? null) !== null,
      start: () => this.#run(job),
      stop: () => this.#stop(job),
      pause: () => this.#pause(job),
      giveUp: () => job.abort.abort(TURN_LOST),
      goOn: () => this.#goOn(job),
      remainingMs: () => this.#kind.remainingMs(job.now, job.watch.ms),
    };
    return job;
  }

  #job(id: string, principal: Principal): Job<T> {
    const job = this.#jobs.get(id);
    const owner = job?.caller === SERVER_ITSELF ? undefined : job?.caller;
    if (job === undefined || !isVisibleTo(owner, principal)) {
      throw noJob(id);
    }
    return job;
  }

  #stop(job: Job<T>): void {
    const { status } = job.now.state;
    if (status !== 'queued' && status !== 'running') return;
    job.isInterrupted = this.#isClosing;
    if (status === 'queued') {
      this.#dependencies.queue.withdraw(job);
      this.#finish(job, this.#stopped(job, null));
    } else {
      this.#enter(job, { status: 'cancelling' });
      job.abort.abort(this.#isClosing ? SERVER_CLOSES : undefined);
    }
  }

  async #run(job: Job<T>): Promise<boolean> {
    this.#enter(job, { status: 'running' });
    this.#goOn(job);
    const state = await this.#outcome(job);
    this.#halt(job);
    const isLost = job.abort.signal.reason === TURN_LOST && state.status === 'cancelled';
    // It may have been cancelled since then.
    if (isLost && job.now.state.status === 'running') {
      this.#beginAgain(job);
      return false;
    }
    this.#finish(job, state);
    return true;
  }

  #beginAgain(job: Job<T>): void {
    job.abort = new AbortController();
    job.watch = new Stopwatch(this.#dependencies.nowMs);
    job.now = { ...job.now, progress: this.#kind.begun };
    this.#enter(job, { status: 'queued' });
  }

  /** Begins a job, or continues it after the turn of another. */
  #goOn(job: Job<T>): void {
    job.watch.start();
    job.deadline = setTimeout(
      () => {
        job.isOverdue = !job.abort.signal.aborted;
        job.abort.abort();
      },
      1000 * JOB_SECONDS_MAX - job.watch.ms,
    );
    job.gate.open();
  }

  #pause(job: Job<T>): void {
    this.#halt(job);
    job.gate.close();
  }

  #halt(job: Job<T>): void {
    clearTimeout(job.deadline);
    job.watch.stop();
  }

  /** The state after an execution; never rejects. */
  async #outcome(job: Job<T>): Promise<JobState<T['result']>> {
    const { signal } = job.abort;
    const onProgress = (progress: T['progress']) => {
      job.now = { ...job.now, progress };
      job.feed.pushSoon(job.now);
    };
    try {
      const { gate } = job;
      const result = await this.#execute(job.now.request, { onProgress, signal, gate });
      // It was over before it could be stopped.
      const isWhole = this.#kind.isWhole?.(result) === true;
      if (signal.aborted && !isWhole) return this.#stopped(job, result);
      return { status: 'done', result };
    } catch (error) {
      if (signal.aborted) return this.#stopped(job, null);
      const refusal = fullDiskOf(error) ?? error;
      if (refusal instanceof LabError) {
        return { status: 'failed', error: partsOf(refusal), result: null };
      }
      this.#dependencies.onFault({ id: job.now.id, error });
      const detail = 'the job failed by a fault of the server; its log names this job';
      return { status: 'failed', error: { code: 'job.failed', detail, faults: [] }, result: null };
    }
  }

  #stopped(job: Job<T>, result: T['result'] | null): JobState<T['result']> {
    if (job.isInterrupted) return interruptedState(this.#kind, result);
    if (!job.isOverdue) return { status: 'cancelled', result };
    const detail = `it ran for ${JOB_SECONDS_MAX} s, the longest time of any job`;
    return { status: 'failed', error: { code: 'job.deadline', detail, faults: [] }, result };
  }

  #enter(job: Job<T>, state: JobState<T['result']>): void {
    job.now = { ...job.now, state };
    job.feed.push(job.now);
  }

  /** The record is stored before any caller can receive the state. */
  #finish(job: Job<T>, state: JobState<T['result']>): void {
    job.now = { ...job.now, state };
    this.#unsaved.add(job);
    this.#save();
    this.#hooks.onOver?.(job.now);
    job.feed.end(job.now);
    this.#over.push(job);
    this.#forgetSuperfluous();
  }

  /** What a full disk did not take is tried again when the disk recovers, and with the next record. */
  #save(): void {
    for (const job of this.#unsaved) {
      const { id, state, progress } = job.now;
      try {
        this.#log?.over(id, { ...state, progress });
        this.#unsaved.delete(job);
      } catch (error) {
        // The file has reported it.
        if (error instanceof OverloadError) return;
        this.#unsaved.delete(job);
        this.#dependencies.onFault({ id, error });
      }
    }
  }

  #forgetSuperfluous(): void {
    for (let job = this.#superfluous(); job !== null; job = this.#superfluous()) {
      this.#log?.forgotten(job.now.id);
      void this.#forget(job);
    }
  }

  /** Resolves when its files are removed. Never rejects. */
  async #forget(job: Job<T>): Promise<void> {
    const { id } = job.now;
    this.#over.splice(this.#over.indexOf(job), 1);
    this.#unsaved.delete(job);
    this.#jobs.delete(id);
    try {
      await this.#hooks.onForget?.(job.now);
    } catch (error) {
      this.#dependencies.onFault({ id, error });
    }
  }

  #superfluous(): Job<T> | null {
    const { keptMax, weight } = this.#kind;
    const weightOf = ({ now }: Job<T>) => (now.state.result && weight?.of(now.state.result)) || 0;
    return superfluousOf(this.#over, keptMax, { weightOf, keptMax: weight?.keptMax ?? 0 });
  }
}

/**
 * The oldest job of the caller that keeps most, if there are too many jobs (the oldest first) or they weigh too much; else
 * null. The newest result stays.
 */
function superfluousOf<Each extends { readonly caller: string }>(
  jobs: readonly Each[],
  keptMax: number,
  weight: { readonly weightOf: (job: Each) => number; readonly keptMax: number },
): Each | null {
  if (jobs.length > keptMax) return oldestOfMost(jobs, () => 1);
  const { weightOf } = weight;
  const candidates = jobs.filter((job) => weightOf(job) > 0);
  const whole = candidates.reduce((sum, job) => sum + weightOf(job), 0);
  if (candidates.length < 2 || whole <= weight.keptMax) return null;
  return oldestOfMost(candidates, weightOf);
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
