/**
 * @module
 * The queue of all long work, whatever its kind: bounded, round-robin by caller. A running job gives way after
 * a turn while another caller waits, and continues in a later turn. The jobs of a caller that has used up its
 * processor time come after all others. The queue does not know what a job does.
 */

import type { CallerBudgets } from '../callers/caller-budgets.ts';
import { noBudgets } from '../callers/caller-budgets.ts';
import { RoundRobin } from '../callers/work-turns.ts';
import { SERVER_ITSELF } from '../request/principal.ts';
import { OverloadError } from '../request/refusals.ts';
import { Stopwatch } from './job-gate.ts';

/** Queued jobs of all callers and kinds: several for each student of a class. */
export const JOBS_QUEUED_MAX = 256;
/** Queued jobs of one caller. */
export const JOBS_QUEUED_PER_CALLER_MAX = 32;
/** Time after which a job gives way to the jobs of other callers. */
export const JOB_TURN_SECONDS = 5;
/**
 * Jobs that have begun and are not over. All but the running ones stand still, and occupy memory. Beyond them, each job
 * has one turn, one job at a time: what ends within a turn never waits for the end of another job.
 */
export const JOBS_BEGUN_MAX = 8;

/** A job as the queue knows it. */
export interface QueuedJob {
  readonly caller: string;
  /** Executes it; never rejects. Resolves to false if it has given up its turn and must be started again. */
  start(): Promise<boolean>;
  /** Stops it, whether it is queued or running. Has no effect on a job that is over. */
  stop(): void;
  /** Estimated time until a job ends that has begun, without the turns of others, in ms. Infinity if unknown. */
  remainingMs(): number;
  /** Whether it uses a device, whose time counts as that of one more thread. */
  readonly usesDevice?: boolean;
  /** Whether it can pause and go on. */
  readonly canPause: boolean;
  /** Lets it stand still soon. */
  pause(): void;
  goOn(): void;
  /** Ends its execution soon, so that it is queued as before. Has no effect on a job that is over. */
  giveUp(): void;
}

export interface JobQueueOptions {
  /** Jobs that run at the same time. */
  readonly concurrent: number;
  /** Threads of each job; 1 by default. */
  readonly threads?: number;
  readonly budgets?: CallerBudgets;
  /** Time after which a job gives way, in ms. */
  readonly turnMs?: number;
}

/** A job that has begun and is not over. */
interface Begun {
  readonly over: Promise<void>;
  readonly watch: Stopwatch;
  /** The time up to which its caller was charged. */
  chargedMs: number;
  /** Whether the job is waiting for its next turn. */
  isPaused: boolean;
  /** Whether the job has given up its turn and is about to end. */
  isGivenUp: boolean;
}

/** A queue that owns the jobs that have begun. The creator of a queue must close it. */
export class JobQueue {
  readonly #concurrent: number;
  readonly #threads: number;
  readonly #budgets: CallerBudgets;
  readonly #turnMs: number;
  /** Jobs that have not begun, and jobs that have paused. */
  readonly #waiting = new RoundRobin<QueuedJob>();
  readonly #begun = new Map<QueuedJob, Begun>();
  /** Jobs that had a turn beyond the others, and jobs that have it. */
  readonly #tried = new WeakSet<QueuedJob>();
  #turnTimer: NodeJS.Timeout | null = null;
  /** Mean duration of the jobs that are over, weighted towards the last; null before the first. */
  #meanMs: number | null = null;
  #isClosed = false;

  constructor({
    concurrent,
    threads = 1,
    budgets = noBudgets(),
    turnMs = 1000 * JOB_TURN_SECONDS,
  }: JobQueueOptions) {
    this.#concurrent = concurrent;
    this.#turnMs = turnMs;
    this.#threads = threads;
    this.#budgets = budgets;
  }

  /** Number of jobs that have not begun. */
  get waiting(): number {
    return this.#waiting.size - this.#paused().length;
  }

  /** Number of jobs that are having their turn. */
  get executing(): number {
    return this.#begun.size - this.#paused().length;
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
    this.#assertRoom(job.caller);
    this.#waiting.push(job.caller, job);
    this.#startWaiting();
    this.#changeTurns();
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
    for (const job of new Set([...this.#waiting.items(), ...this.#begun.keys()])) job.stop();
    await Promise.all([...this.#begun.values()].map(({ over }) => over));
    if (this.#turnTimer !== null) clearTimeout(this.#turnTimer);
  }

  #assertRoom(caller: string): void {
    if (this.executing < this.#concurrent) return;
    const own = this.#waiting.count(caller) - this.#paused(caller).length;
    const isFull = this.waiting >= JOBS_QUEUED_MAX;
    if (!isFull && own < JOBS_QUEUED_PER_CALLER_MAX) return;
    const what = isFull ? `${JOBS_QUEUED_MAX} jobs` : `${own} jobs of yours`;
    const detail = `${what} are waiting already; try later or cancel one`;
    throw new OverloadError('limit.queue', detail, this.retryAfterS());
  }

  /** Jobs that have begun and wait for their next turn, of one caller or of all. */
  #paused(caller?: string): QueuedJob[] {
    return [...this.#begun]
      .filter(([job, { isPaused }]) => isPaused && (caller ?? job.caller) === job.caller)
      .map(([job]) => job);
  }

  #assertBudget(caller: string): void {
    const own = [...this.#begun].filter(([job]) => job.caller === caller);
    for (const [job, begun] of own) this.#charge(job, begun);
    const jobs = own.length + this.#waiting.count(caller) - this.#paused(caller).length;
    this.#budgets.assertRoom('jobs', jobs, () => wholeSeconds(this.#firstEndMsOf(caller)));
    this.#budgets.assertCpu(caller, {
      seconds: Math.max(0, ...own.map(([job]) => wholeSeconds(job.remainingMs()))),
      threads: Math.max(this.#threads, ...own.map(([job]) => this.#threadsOf(job))),
    });
  }

  /** The threads that a job is charged for. */
  #threadsOf({ usesDevice = false }: QueuedJob): number {
    return this.#threads + (usesDevice ? 1 : 0);
  }

  #charge(job: QueuedJob, begun: Begun): void {
    if (begun.isPaused) return;
    const { caller } = job;
    const nowMs = this.#budgets.nowMs();
    const seconds = (nowMs - begun.chargedMs) / 1000;
    if (caller !== SERVER_ITSELF) this.#budgets.chargeCpu(caller, seconds * this.#threadsOf(job));
    begun.chargedMs = nowMs;
  }

  #firstEndMs(): number {
    return Math.min(...[...this.#begun.keys()].map((job) => job.remainingMs()));
  }

  /** When the first of a caller's jobs ends. A queued job waits for the callers before it. */
  #firstEndMsOf(caller: string): number {
    const own = [...this.#begun.keys()].filter((job) => job.caller === caller);
    if (own.length > 0) return Math.min(...own.map((job) => job.remainingMs()));
    const turns = this.#waiting.keys().indexOf(caller) + 1;
    const eachMs = this.#meanMs ?? Number.POSITIVE_INFINITY;
    return this.#firstEndMs() + (turns * eachMs) / this.#concurrent;
  }

  #startWaiting(): void {
    while (this.executing < this.#concurrent) {
      const job =
        this.#waiting.take(
          (caller, next) => !this.#budgets.owesCpu(caller) && this.#mayBegin(next),
        ) ?? this.#waiting.take((_caller, next) => this.#mayBegin(next));
      if (job === undefined) break;
      const begun = this.#begun.get(job);
      if (begun === undefined) this.#begin(job);
      else this.#goOn(job, begun);
    }
    this.#awaitTurn();
  }

  /** Whether it has begun, or may begin beside those that have paused. */
  #mayBegin(job: QueuedJob): boolean {
    const { size } = this.#begun;
    const mayTry = size === JOBS_BEGUN_MAX && !this.#tried.has(job);
    return this.#begun.has(job) || size < JOBS_BEGUN_MAX || mayTry;
  }

  #begin(job: QueuedJob): void {
    if (this.#begun.size >= JOBS_BEGUN_MAX) this.#tried.add(job);
    const watch = new Stopwatch(this.#budgets.nowMs);
    const over = this.#execute(job);
    const chargedMs = this.#budgets.nowMs();
    this.#begun.set(job, { over, watch, chargedMs, isPaused: false, isGivenUp: false });
    watch.start();
  }

  #goOn(job: QueuedJob, begun: Begun): void {
    begun.isPaused = false;
    begun.chargedMs = this.#budgets.nowMs();
    begun.watch.start();
    if (job.caller !== SERVER_ITSELF) this.#budgets.beginCpu(job.caller);
    job.goOn();
  }

  /** Ends the turns that are over and awaited. */
  #changeTurns(): void {
    for (const [job, begun] of this.#begun) {
      const isOver = !begun.isPaused && begun.watch.turnMs >= this.#turnMs;
      if (!isOver || !job.canPause || begun.isGivenUp || !this.#isAwaited(job)) continue;
      if (this.#begun.size > JOBS_BEGUN_MAX && this.#tried.has(job)) {
        begun.isGivenUp = true;
        job.giveUp();
        continue;
      }
      this.#charge(job, begun);
      begun.isPaused = true;
      begun.watch.stop();
      job.pause();
      this.#waiting.putBack(job.caller, job);
    }
    this.#startWaiting();
  }

  /** Whether another caller waits for its end or its pause. */
  #isAwaited({ caller }: QueuedJob): boolean {
    const owes = this.#budgets.owesCpu(caller);
    return this.#waiting.has(
      (other, next) =>
        other !== caller && this.#mayBegin(next) && (owes || !this.#budgets.owesCpu(other)),
    );
  }

  /** Calls `#changeTurns` when the next turn is over, if any job waits. */
  #awaitTurn(): void {
    if (this.#turnTimer !== null || this.#waiting.size === 0 || this.#isClosed) return;
    const turns = [...this.#begun.values()].filter(({ isPaused }) => !isPaused);
    const lefts = turns.map(({ watch }) => this.#turnMs - watch.turnMs).filter((ms) => ms > 0);
    const timer = setTimeout(
      () => {
        this.#turnTimer = null;
        this.#changeTurns();
      },
      Math.min(this.#turnMs, ...lefts),
    );
    this.#turnTimer = timer.unref();
  }

  async #execute(job: QueuedJob): Promise<void> {
    if (job.caller !== SERVER_ITSELF) this.#budgets.beginCpu(job.caller);
    const isOver = await job.start();
    const begun = this.#begun.get(job);
    if (begun !== undefined) {
      const { ms } = begun.watch;
      if (isOver) this.#meanMs = this.#meanMs === null ? ms : (this.#meanMs + ms) / 2;
      this.#charge(job, begun);
    }
    this.#begun.delete(job);
    this.#waiting.remove(job.caller, job);
    if (!isOver) this.#waiting.putBack(job.caller, job);
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
