/**
 * @module
 * This folder checks claims in threads of their own, because one check takes up to two milliseconds of curve
 * arithmetic, and a slow puzzle up to a second. This file answers known questions from a cache, joins a question that
 * is already being checked, and sends the others through two lanes: all cheap checks first, and only for claims that
 * pass them the slow puzzles, as far as the caller's quota allows.
 */

import { hash } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import { bytesToHex, concatBytes, utf8ToBytes } from '../../src/bytes.ts';
import type { AdmitOptions, Verdict } from '../../src/identity/admit.ts';
import type { Claim } from '../../src/identity/claim.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { evaluationCost } from '../../src/identity/puzzles/puzzle-function.ts';
import type { CallerBudgets } from '../callers/caller-budgets.ts';
import { noBudgets } from '../callers/caller-budgets.ts';
import { RoundRobin } from '../callers/work-turns.ts';
import { SERVER_ITSELF } from '../request/principal.ts';
import { OverloadError } from '../request/refusals.ts';
import type { Checked, ClaimQuestion, Verifiers } from './verifiers.ts';

/** Questions that wait for their cheap checks, of all callers together and of one. */
export const CLAIMS_QUEUED_MAX = 1024;
export const CLAIMS_QUEUED_PER_CALLER_MAX = 256;
/** Questions to a message: 4 to 16 ms of work, for which later questions wait. */
export const CLAIMS_PER_BATCH = 8;
/** A question takes up to a second, so they go one by one, and fewer wait. */
const SLOW_LANE = { queued: 256, queuedPerCaller: 32, perBatch: 1 } as const;
const CHEAP_LANE = {
  queued: CLAIMS_QUEUED_MAX,
  queuedPerCaller: CLAIMS_QUEUED_PER_CALLER_MAX,
  perBatch: CLAIMS_PER_BATCH,
} as const;
/** The static and the dynamic puzzle. */
const PUZZLES = 2;
/** Verdicts, and their bytes. One without refusals takes about 1 kB, one with every refusal 3 kB. */
const VERDICTS_KEPT = { max: 32_768, maxSize: 32 * 1024 ** 2 };

export interface AdmissionOptions extends AdmitOptions {
  /** The caller whose turn the check takes; the server itself by default. */
  readonly caller?: string;
}

/** The gate of src/identity/admit.ts, with an answer that may take a while. */
export interface Admission {
  /**
   * The verdict on a claim. Rejects with OverloadError `limit.queue` if too many questions wait, and `limit.rate` if the
   * caller has used up its time for slow puzzles.
   */
  admit(claim: Claim, policy: Policy, options?: AdmissionOptions): Promise<Verdict>;
}

interface Asked {
  readonly question: Omit<ClaimQuestion, 'slow'>;
  readonly caller: string;
}

export interface ClaimChecksParts {
  readonly verifiers: Verifiers;
  /** Verifiers that evaluate slow puzzles, so that cheap checks do not wait for them. */
  readonly slowVerifiers?: Verifiers;
  readonly nowMs: () => number;
  /** The time that each caller has for slow puzzles. */
  readonly budgets?: CallerBudgets;
  /** Number of verdicts that are kept, and their bytes. */
  readonly kept?: { readonly max: number; readonly maxSize: number };
}

/** The claim checks of one server. Their creator must close them. */
export class ClaimChecks implements Admission {
  readonly #cheap: ClaimLane;
  readonly #slow: ClaimLane;
  readonly #budgets: CallerBudgets;
  /**
   * By digest of the question. A verdict depends on its question only, so it never becomes stale. Equal
   * questions that are asked meanwhile share one check.
   */
  readonly #cache: LRUCache<string, Verdict, Asked>;
  /** The callers whose quota refused a question. */
  readonly #refused = new WeakMap<object, string>();

  constructor({ verifiers, slowVerifiers, nowMs, budgets, kept }: ClaimChecksParts) {
    this.#cheap = new ClaimLane(verifiers, nowMs, CHEAP_LANE);
    this.#slow = new ClaimLane(slowVerifiers ?? verifiers, nowMs, SLOW_LANE);
    this.#budgets = budgets ?? noBudgets();
    this.#cache = new LRUCache({
      ...(kept ?? VERDICTS_KEPT),
      sizeCalculation: bytesOf,
      fetchMethod: (_digest, _stale, { context }) => this.#check(context),
    });
  }

  /** Number of questions that wait for a verifier. */
  get waiting(): number {
    return this.#cheap.waiting + this.#slow.waiting;
  }

  async admit(claim: Claim, policy: Policy, options: AdmissionOptions = {}): Promise<Verdict> {
    const { all = false, caller = SERVER_ITSELF, nonce = null } = options;
    const question = { claim, policy, all, nonce };
    const digest = digestOf(question);
    for (;;) {
      try {
        return await this.#cache.forceFetch(digest, { context: { question, caller } });
      } catch (error) {
        // It shared the check of another caller, whose quota is used up.
        const refused = error instanceof OverloadError ? this.#refused.get(error) : undefined;
        if (refused === undefined || refused === caller) throw error;
      }
    }
  }

  /** Refuses the questions that wait and all that follow. */
  async close(): Promise<void> {
    await Promise.all([this.#cheap.close(), this.#slow.close()]);
  }

  async #check({ question, caller }: Asked): Promise<Verdict> {
    const cheap = await this.#cheap.check({ ...question, slow: false }, caller);
    if (cheap.verdict !== null) return cheap.verdict;
    this.#assertTime(caller);
    // Charged before it is known, so that questions at the same time cannot share what is left.
    const mostMs = PUZZLES * evaluationCost(question.policy.puzzle).ms;
    this.#budgets.chargeSlowChecks(caller, mostMs);
    let spentMs = 0;
    try {
      const { verdict, cpuMs } = await this.#slow.check({ ...question, slow: true }, caller);
      spentMs = cpuMs;
      if (verdict === null) throw new Error('a claim was left undecided');
      return verdict;
    } finally {
      this.#budgets.chargeSlowChecks(caller, spentMs - mostMs);
    }
  }

  #assertTime(caller: string): void {
    try {
      this.#budgets.assertSlowChecks(caller);
    } catch (error) {
      if (error instanceof OverloadError) this.#refused.set(error, caller);
      throw error;
    }
  }
}

/**
 * Identifies a question in the cache. Policies from their schema have one order of members. Another order
 * only costs a second check.
 */
function digestOf({ claim, policy, all, nonce }: Asked['question']): string {
  const { scheme, publicKey, nodeId, solution, signature } = claim;
  const lengths = [publicKey, nodeId, solution].map((bytes) => bytes?.length ?? null);
  const text = utf8ToBytes(
    JSON.stringify([scheme, lengths, policy, all, nonce && bytesToHex(nonce)]),
  );
  const parts = [publicKey, nodeId, solution ?? new Uint8Array(), signature, text];
  return hash('sha256', concatBytes(...parts), 'base64');
}

/** Approximate size in memory: the entry, and two bytes for each character of the verdict's JSON. */
function bytesOf(verdict: Verdict): number {
  return ENTRY_BYTES + 2 * JSON.stringify(verdict).length;
}

const ENTRY_BYTES = 192;

interface Waiting {
  readonly question: ClaimQuestion;
  readonly sinceMs: number;
  readonly resolve: (checked: Checked) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * A lane of checks: a bounded queue in which callers take turns, and the verifiers that it feeds. A few questions go
 * together. The server has one lane for cheap checks and one for slow puzzles.
 */
interface LaneLimits {
  /** Questions that wait, of all callers together and of one. */
  readonly queued: number;
  readonly queuedPerCaller: number;
  /** Questions to a message. */
  readonly perBatch: number;
}

/** The threads that check one kind of claims, and the claims that wait for them. The creator of a lane must close it. */
class ClaimLane {
  readonly #verifiers: Verifiers;
  readonly #nowMs: () => number;
  readonly #limits: LaneLimits;
  readonly #waiting = new RoundRobin<Waiting>();
  #checking = 0;
  #isClosed = false;

  constructor(verifiers: Verifiers, nowMs: () => number, limits: LaneLimits) {
    this.#verifiers = verifiers;
    this.#nowMs = nowMs;
    this.#limits = limits;
  }

  /** Number of questions that wait for a verifier. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Throws OverloadError `limit.queue` if too many questions wait. */
  check(question: ClaimQuestion, caller: string): Promise<Checked> {
    if (this.#isClosed) throw closing();
    const own = this.#waiting.count(caller);
    const { queued, queuedPerCaller } = this.#limits;
    if (this.waiting >= queued || own >= queuedPerCaller) {
      const detail = `${this.waiting} claims wait to be checked, ${own} of them yours`;
      throw new OverloadError('limit.queue', detail, this.#retryAfterS());
    }
    const { promise, resolve, reject } = Promise.withResolvers<Checked>();
    this.#waiting.push(caller, { question, sinceMs: this.#nowMs(), resolve, reject });
    this.#dispatch();
    return promise;
  }

  /** Refuses the questions that wait and all that follow. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.items()) reject(closing());
    this.#waiting.clear();
    await this.#verifiers.close();
  }

  #dispatch(): void {
    while (this.waiting > 0 && this.#checking < this.#verifiers.batches) {
      const batch: Waiting[] = [];
      while (batch.length < this.#limits.perBatch) {
        const next = this.#waiting.take();
        if (next === undefined) break;
        batch.push(next);
      }
      void this.#check(batch);
    }
  }

  async #check(batch: readonly Waiting[]): Promise<void> {
    this.#checking += 1;
    try {
      const answers = await this.#verifiers.check(batch.map(({ question }) => question));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('a claim was left unchecked'));
        else resolve(answer);
      }
    } catch (cause) {
      const refusal = this.#isClosed ? closing() : cause;
      for (const { reject } of batch) reject(refusal);
    } finally {
      this.#checking -= 1;
      this.#dispatch();
    }
  }

  /** Estimated wait: the age of the oldest question. */
  #retryAfterS(): number {
    const oldestMs = Math.min(...this.#waiting.items().map(({ sinceMs }) => sinceMs));
    const seconds = Math.ceil((this.#nowMs() - oldestMs) / 1000);
    return Math.min(Math.max(seconds, RETRY_AFTER_S_MIN), RETRY_AFTER_S_MAX);
  }
}

function closing(): OverloadError {
  return new OverloadError('limit.queue', 'the server is closing', RETRY_AFTER_S_MAX);
}

const RETRY_AFTER_S_MIN = 1;
const RETRY_AFTER_S_MAX = 10;
