/**
 * @module
 * What one caller may take of the server, so that others have the rest: requests, jobs and their
 * processor time, the time that elections take on the thread that answers, streams, storage. Where
 * no token is demanded all callers are one person's programs, and only the server's own limits hold.
 */

import { LabError } from '../../src/errors.ts';
import { OverloadError } from '../request/refusals.ts';
import { TokenBuckets } from './token-buckets.ts';

/** Of one caller; 0 is no limit. */
export interface CallerLimits {
  /** On average, and so many at once. Health and readiness are not counted. */
  readonly requestsPerSecond: number;
  /** Waiting and executing together. */
  readonly jobs: number;
  /** Threads that its jobs had, times how long. */
  readonly cpuSecondsPerHour: number;
  /** Of the thread that answers: elections that advance, are copied or told. */
  readonly electionMsPerSecond: number;
  /** Open at the same time. */
  readonly streams: number;
  /** Of its elections with their actions. */
  readonly storedBytes: number;
}

export const NO_LIMITS: CallerLimits = {
  ...{ requestsPerSecond: 0, jobs: 0, cpuSecondsPerHour: 0 },
  ...{ electionMsPerSecond: 0, streams: 0, storedBytes: 0 },
};

/** Where tokens tell callers apart. */
export const SHARED_LIMITS: CallerLimits = {
  ...{ requestsPerSecond: 250, jobs: 4, cpuSecondsPerHour: 3600 },
  ...{ electionMsPerSecond: 200, streams: 8, storedBytes: 16 * 1024 * 1024 },
};

/** So many seconds' worth may be taken at once: what is taken at once, others wait for. */
export const BURST_SECONDS = { requests: 1, elections: 5 } as const;

/** Of one caller, where tokens tell callers apart; streams are among them. */
export const REQUESTS_AT_ONCE_MAX = 64;

const BUDGETS = ['requests', 'jobs', 'cpu', 'elections', 'streams', 'storage'] as const;

export type BudgetName = (typeof BUDGETS)[number];

/** One server's budgets. */
export class CallerBudgets {
  readonly limits: CallerLimits;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  /** How many callers are known to come, by their tokens; 0 where anybody may. */
  readonly callers: number;
  readonly #requests: TokenBuckets;
  readonly #cpu: TokenBuckets;
  readonly #elections: TokenBuckets;
  readonly #refusals = new Map<BudgetName, number>(BUDGETS.map((name) => [name, 0]));

  constructor(limits: CallerLimits, nowMs: () => number, callers = 0) {
    this.limits = limits;
    this.nowMs = nowMs;
    this.callers = callers;
    const { requestsPerSecond, cpuSecondsPerHour, electionMsPerSecond } = limits;
    const bucketsOf = (perSecond: number, burst: number) =>
      new TokenBuckets({ perSecond, burst }, nowMs);
    this.#requests = bucketsOf(requestsPerSecond, requestsPerSecond * BURST_SECONDS.requests);
    this.#cpu = bucketsOf(cpuSecondsPerHour / 3600, cpuSecondsPerHour);
    this.#elections = bucketsOf(electionMsPerSecond, electionMsPerSecond * BURST_SECONDS.elections);
  }

  /** How often each budget has refused something. */
  get refusals(): ReadonlyMap<BudgetName, number> {
    return this.#refusals;
  }

  /** Counts a request; throws OverloadError `limit.rate`. */
  takeRequest(caller: string): void {
    const waitS = this.#requests.waitS(caller);
    if (waitS > 0) {
      const { requestsPerSecond } = this.limits;
      throw this.#spent(
        'requests',
        'limit.rate',
        `${requestsPerSecond} requests a second`,
        after(waitS),
      );
    }
    this.#requests.take(caller, 1);
  }

  /** Throws OverloadError `limit.rate` when the elections of the caller have used up their time. */
  assertElectionTime(caller: string): void {
    const waitS = this.#elections.waitS(caller);
    if (waitS === 0) return;
    const { electionMsPerSecond } = this.limits;
    const what = `${electionMsPerSecond} ms a second of computing elections`;
    throw this.#spent('elections', 'limit.rate', what, after(waitS));
  }

  /** Milliseconds until the elections of the caller have time again; 0 when they have some. */
  electionWaitMs(caller: string): number {
    return 1000 * this.#elections.waitS(caller);
  }

  chargeElectionTime(caller: string, ms: number): void {
    this.#elections.take(caller, ms);
  }

  /** From now on processor time is used. */
  beginCpu(caller: string): void {
    this.#cpu.take(caller, 0);
  }

  /** Charges what was used since it began or was charged last. */
  chargeCpu(caller: string, seconds: number): void {
    this.#cpu.takeSince(caller, seconds);
  }

  /** Whether the jobs of the caller have used more than they may. */
  owesCpu(caller: string): boolean {
    return this.#cpu.waitS(caller) > 0;
  }

  /** Throws OverloadError `limit.cpu` when they have; the jobs that execute end after so many seconds. */
  assertCpu(
    caller: string,
    executing: { readonly seconds: number; readonly threads: number },
  ): void {
    const waitS = this.#cpu.waitS(caller);
    if (waitS === 0) return;
    const { cpuSecondsPerHour } = this.limits;
    // Meanwhile they take more: what they take beyond what comes back is waited for, too.
    const moreS = executing.seconds * ((3600 * executing.threads) / cpuSecondsPerHour);
    const what = `${cpuSecondsPerHour} s an hour of processor time for jobs`;
    throw this.#spent('cpu', 'limit.cpu', what, after(waitS + moreS));
  }

  /** Throws OverloadError `limit.concurrent` when the caller has so many jobs already. */
  assertJob(jobs: number, freeInS: () => number): void {
    const { jobs: most } = this.limits;
    if (most === 0 || jobs < most) return;
    throw this.#spent('jobs', 'limit.concurrent', `${most} jobs at a time`, freeInS());
  }

  /** Throws OverloadError `limit.connections` when the caller has so many streams already. */
  assertStream(streams: number, freeInS: () => number): void {
    const { streams: most } = this.limits;
    if (most === 0 || streams < most) return;
    const what = `${most} streams, polls and waits at a time`;
    throw this.#spent('streams', 'limit.connections', what, freeInS());
  }

  /** Throws OverloadError `limit.connections` when so many requests of the caller are being answered. */
  assertAnswer(requests: number): void {
    if (requests < REQUESTS_AT_ONCE_MAX) return;
    const what = `${REQUESTS_AT_ONCE_MAX} requests at a time`;
    throw this.#spent('requests', 'limit.connections', what, ANSWER_RETRY_S);
  }

  /** Throws LabError `limit.storage` when the caller would keep so much. */
  assertStorage(bytes: number): void {
    const { storedBytes } = this.limits;
    if (storedBytes === 0 || bytes <= storedBytes) return;
    this.#count('storage');
    const detail = `a caller keeps at most ${storedBytes} bytes of elections, this would make it ${bytes}; DELETE one that is not needed`;
    throw new LabError('limit.storage', detail);
  }

  #spent(
    budget: BudgetName,
    code: 'limit.rate' | 'limit.cpu' | 'limit.concurrent' | 'limit.connections',
    what: string,
    retryAfterS: number,
  ): OverloadError {
    this.#count(budget);
    return new OverloadError(code, `a caller has ${what} here, and yours are used up`, retryAfterS);
  }

  #count(budget: BudgetName): void {
    this.#refusals.set(budget, (this.#refusals.get(budget) ?? 0) + 1);
  }
}

/** A moment later than a budget is back to nothing, from which nothing can be taken. */
function after(waitS: number): number {
  return Math.floor(waitS) + 1;
}

/** Most of them end sooner: streams and whatever else lasts are fewer. */
const ANSWER_RETRY_S = 1;

/** Budgets that refuse nothing. */
export function noBudgets(): CallerBudgets {
  return new CallerBudgets(NO_LIMITS, () => 0);
}
