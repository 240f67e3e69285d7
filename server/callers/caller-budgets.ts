/**
 * @module
 * This folder identifies the caller of a request and limits what each caller may use. This file contains
 * the budgets of the callers: requests, jobs and their processor time, the time of their elections on the
 * thread that answers, the slow puzzles of their claims, streams, storage. A server without tokens has one
 * user, so it sets no budgets.
 */

import { performance } from 'node:perf_hooks';

import { LabError } from '../../src/errors.ts';
import { payingAddress } from '../../src/live/transport/work-budget.ts';
import { OverloadError } from '../request/refusals.ts';

/** The limits of one caller. 0 means no limit. */
export interface CallerLimits {
  /** Average rate, and size of a burst. Health checks are not counted. */
  readonly requestsPerSecond: number;
  /** Number of queued and running jobs together. */
  readonly jobs: number;
  /** Threads of its jobs, times their running time. A device of a job counts as one more thread. */
  readonly cpuSecondsPerHour: number;
  /** Time of its elections (advances, copies, replays) on the thread that answers. */
  readonly electionMsPerSecond: number;
  /** Time of a thread that evaluates slow puzzles for its claims. */
  readonly slowCheckMsPerSecond: number;
  readonly streams: number;
  /** Size of its elections with their actions. */
  readonly storedBytes: number;
}

export const NO_LIMITS: CallerLimits = {
  requestsPerSecond: 0,
  jobs: 0,
  cpuSecondsPerHour: 0,
  electionMsPerSecond: 0,
  slowCheckMsPerSecond: 0,
  streams: 0,
  storedBytes: 0,
};

/** Default limits of a server with tokens. */
export const SHARED_LIMITS: CallerLimits = {
  requestsPerSecond: 250,
  jobs: 4,
  cpuSecondsPerHour: 3600,
  electionMsPerSecond: 200,
  slowCheckMsPerSecond: 100,
  streams: 8,
  storedBytes: 16 * 1024 * 1024,
};

/** Size of a burst, in seconds of the average rate. A burst delays the other callers. */
export const BURST_SECONDS = { requests: 1, elections: 5, checks: 10 } as const;

/** Unanswered requests of one caller, streams included, on a server with tokens. */
export const REQUESTS_AT_ONCE_MAX = 64;

/**
 * Wrong codes and tokens from one address. A class may share an address, so the time to wait is short. Only further
 * failures wait: a right code or token has at least 80 random bits, which no rate of guesses finds.
 */
export const FAILED_SIGN_INS = { burst: 20, perSecond: 1 } as const;

const BUDGETS = [
  ...(['requests', 'jobs', 'cpu', 'elections', 'checks', 'streams', 'storage'] as const),
  'failedSignIns',
] as const;

type BudgetName = (typeof BUDGETS)[number];

/** The budgets of one server's callers. */
export class CallerBudgets {
  readonly limits: CallerLimits;
  readonly nowMs: () => number;
  /** Number of callers that the tokens define; 0 if no tokens are required. */
  readonly callers: number;
  readonly #requests: TokenBuckets;
  readonly #cpu: TokenBuckets;
  readonly #elections: TokenBuckets;
  readonly #checks: TokenBuckets;
  readonly #failures: TokenBuckets;
  readonly #refusals = new Map<BudgetName, number>(BUDGETS.map((name) => [name, 0]));

  constructor(limits: CallerLimits, nowMs: () => number, callers = 0) {
    this.limits = limits;
    this.nowMs = nowMs;
    this.callers = callers;
    const { requestsPerSecond, cpuSecondsPerHour, electionMsPerSecond } = limits;
    const { slowCheckMsPerSecond } = limits;
    const bucketsOf = (perSecond: number, burstSeconds: number) =>
      new TokenBuckets({ perSecond, burst: perSecond * burstSeconds }, nowMs);
    this.#requests = bucketsOf(requestsPerSecond, BURST_SECONDS.requests);
    this.#cpu = bucketsOf(cpuSecondsPerHour / 3600, 3600);
    this.#elections = bucketsOf(electionMsPerSecond, BURST_SECONDS.elections);
    this.#checks = bucketsOf(slowCheckMsPerSecond, BURST_SECONDS.checks);
    this.#failures = new TokenBuckets(FAILED_SIGN_INS, nowMs);
  }

  /** Number of refusals by each budget. */
  get refusals(): ReadonlyMap<BudgetName, number> {
    return this.#refusals;
  }

  /** Counts a request; throws OverloadError `limit.rate`. */
  takeRequest(caller: string): void {
    const waitS = this.#requests.waitS(caller);
    if (waitS > 0) {
      const what = `${this.limits.requestsPerSecond} requests a second`;
      throw this.#spent('requests', 'limit.rate', { what, retryAfterS: after(waitS) });
    }
    this.#requests.take(caller, 1);
  }

  /**
   * The refusal of a wrong code or token from an address: `refusal`, or OverloadError `limit.rate` after too many
   * of them.
   */
  failedSignIn(address: string, refusal: LabError): LabError {
    const payer = payingAddress(address);
    const waitS = this.#failures.waitS(payer);
    if (waitS === 0) {
      this.#failures.take(payer, 1);
      return refusal;
    }
    this.#count('failedSignIns');
    const detail =
      'too many codes or tokens from your address were wrong; a right one is accepted at once';
    return new OverloadError('limit.rate', detail, after(waitS));
  }

  /** Throws OverloadError `limit.rate` if the elections of the caller have used up their time. */
  assertElectionTime(caller: string): void {
    const waitS = this.#elections.waitS(caller);
    if (waitS === 0) return;
    const what = `${this.limits.electionMsPerSecond} ms a second of computing elections`;
    throw this.#spent('elections', 'limit.rate', { what, retryAfterS: after(waitS) });
  }

  /** Time until the elections of the caller have time again, in ms. */
  electionWaitMs(caller: string): number {
    return 1000 * this.#elections.waitS(caller);
  }

  chargeElectionTime(caller: string, ms: number): void {
    this.#elections.take(caller, ms);
  }

  /** Throws OverloadError `limit.rate` if slow puzzles of the caller's claims have used up their time. */
  assertSlowChecks(caller: string): void {
    const waitS = this.#checks.waitS(caller);
    if (waitS === 0) return;
    const what = `${this.limits.slowCheckMsPerSecond} ms a second for the slow puzzles of claims`;
    throw this.#spent('checks', 'limit.rate', { what, retryAfterS: after(waitS) });
  }

  chargeSlowChecks(caller: string, ms: number): void {
    this.#checks.take(caller, ms);
  }

  /** Says that the caller begins to use processor time. */
  beginCpu(caller: string): void {
    this.#cpu.take(caller, 0);
  }

  /** Charges the processor time that was used since it began or was last charged. */
  chargeCpu(caller: string, seconds: number): void {
    this.#cpu.takeSince(caller, seconds);
  }

  /** Whether the jobs of the caller have used more than their budget. */
  owesCpu(caller: string): boolean {
    return this.#cpu.waitS(caller) > 0;
  }

  /** Throws OverloadError `limit.cpu` if they have. `executing` are the jobs that still use more. */
  assertCpu(
    caller: string,
    executing: { readonly seconds: number; readonly threads: number },
  ): void {
    const waitS = this.#cpu.waitS(caller);
    if (waitS === 0) return;
    const { cpuSecondsPerHour } = this.limits;
    // They use more than comes back in the meantime. The difference has to come back as well.
    const moreS = executing.seconds * ((3600 * executing.threads) / cpuSecondsPerHour);
    const what = `${cpuSecondsPerHour} s an hour of processor time for jobs`;
    throw this.#spent('cpu', 'limit.cpu', { what, retryAfterS: after(waitS + moreS) });
  }

  /** Throws OverloadError if the caller has the maximum number of jobs or streams; `freeInS` estimates the wait. */
  assertRoom(budget: keyof typeof AT_A_TIME, taken: number, freeInS: () => number): void {
    const most = this.limits[budget];
    if (most === 0 || taken < most) return;
    const { code, what } = AT_A_TIME[budget];
    throw this.#spent(budget, code, { what: `${most} ${what} at a time`, retryAfterS: freeInS() });
  }

  /** Throws OverloadError `limit.connections` if the caller has the maximum of unanswered requests. */
  assertAnswer(requests: number): void {
    if (requests < REQUESTS_AT_ONCE_MAX) return;
    const what = `${REQUESTS_AT_ONCE_MAX} requests at a time`;
    throw this.#spent('requests', 'limit.connections', { what, retryAfterS: ANSWER_RETRY_S });
  }

  /** Throws LabError `limit.storage` if the elections of the caller would have this size. */
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
    { what, retryAfterS }: { readonly what: string; readonly retryAfterS: number },
  ): OverloadError {
    this.#count(budget);
    return new OverloadError(code, `a caller has ${what} here, and yours are used up`, retryAfterS);
  }

  #count(budget: BudgetName): void {
    this.#refusals.set(budget, (this.#refusals.get(budget) ?? 0) + 1);
  }
}

const AT_A_TIME = {
  jobs: { code: 'limit.concurrent', what: 'jobs' },
  streams: { code: 'limit.connections', what: 'streams, polls and waits' },
} as const;

/** Whole seconds, after which the budget is above zero again. */
function after(waitS: number): number {
  return Math.floor(waitS) + 1;
}

/** Most requests take less. Those that take longer (streams) have a lower limit. */
const ANSWER_RETRY_S = 1;

/** Budgets that refuse nothing. */
export function noBudgets(): CallerBudgets {
  return new CallerBudgets(NO_LIMITS, () => performance.now());
}

/**
 * Budgets that refill with time, one for each key. Something may be taken while the level is above zero, and its
 * cost may make the level negative. The cost therefore need not be known in advance, and the waiting time is exact.
 * Rate limiters on npm refuse a cost above the level and cannot be overdrawn.
 */
interface BucketOptions {
  /** Refill per second; 0 means no limit. */
  readonly perSecond: number;
  /** Level of a full bucket. */
  readonly burst: number;
}

interface Bucket {
  level: number;
  atMs: number;
}

/** Keys that are remembered. A full bucket can be forgotten without effect. */
export const BUCKETS_MAX = 10_000;

export class TokenBuckets {
  readonly #options: BucketOptions;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: BucketOptions, nowMs: () => number) {
    this.#options = options;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Seconds until the level is above zero; 0 if it is. */
  waitS(key: string): number {
    const { perSecond } = this.#options;
    const bucket = this.#buckets.get(key);
    if (perSecond === 0 || bucket === undefined) return 0;
    this.#fill(bucket);
    return bucket.level > 0 ? 0 : Math.max(-bucket.level / perSecond, Number.MIN_VALUE);
  }

  /** Takes this amount, whatever the level is. */
  take(key: string, amount: number): void {
    if (this.#options.perSecond === 0) return;
    const known = this.#buckets.get(key);
    const bucket = known ?? { level: this.#options.burst, atMs: this.#nowMs() };
    if (known === undefined) this.#add(key, bucket);
    this.#fill(bucket);
    bucket.level -= amount;
  }

  /** Takes an amount that was used gradually since the last time, while the bucket was refilled. */
  takeSince(key: string, amount: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      this.take(key, amount);
    } else {
      bucket.level -= amount;
      this.#fill(bucket);
    }
  }

  #fill(bucket: Bucket): void {
    const { perSecond, burst } = this.#options;
    const nowMs = this.#nowMs();
    bucket.level = Math.min(burst, bucket.level + ((nowMs - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = nowMs;
  }

  #add(key: string, bucket: Bucket): void {
    if (this.#buckets.size >= BUCKETS_MAX) this.#forget();
    this.#buckets.set(key, bucket);
  }

  /** Forgets the full buckets; if too few are full, the older half of the rest. */
  #forget(): void {
    for (const [key, bucket] of this.#buckets) {
      this.#fill(bucket);
      if (bucket.level >= this.#options.burst) this.#buckets.delete(key);
    }
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size < BUCKETS_MAX / 2) return;
      this.#buckets.delete(key);
    }
  }
}
