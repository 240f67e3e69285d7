/**
 * @module
 * This folder checks claims in threads of their own, because one check takes up to two milliseconds of curve
 * arithmetic. This file answers known questions from a cache, joins a question that is already being
 * checked, and queues the others: bounded, round-robin by caller, a few questions to a message.
 */

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

import { concatBytes, utf8ToBytes } from '../../src/bytes.ts';
import type { AdmitOptions, Verdict } from '../../src/identity/admit.ts';
import { admit } from '../../src/identity/admit.ts';
import type { Claim } from '../../src/identity/claim.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { plainVerifier } from '../../src/runtime/openssl/plain-verifier.ts';
import { RoundRobin } from '../callers/round-robin.ts';
import { SERVER_ITSELF } from '../request/principal.ts';
import { OverloadError } from '../request/refusals.ts';

/** Questions that wait, of all callers together and of one. */
export const CLAIMS_QUEUED_MAX = 1024;
export const CLAIMS_QUEUED_PER_CALLER_MAX = 256;
/** Verdicts, and their bytes. One without refusals takes about 1 kB, one with every refusal 3 kB. */
const VERDICTS_KEPT = { max: 32_768, maxSize: 32 * 1024 ** 2 };
/** Questions to a message: 4 to 16 ms of work, for which later questions wait. */
export const CLAIMS_PER_BATCH = 8;

export interface AdmissionOptions extends AdmitOptions {
  /** The caller whose turn the check takes; the server itself by default. */
  readonly caller?: string;
}

/** The gate of src/identity/admit.ts, with an answer that may take a while. */
export interface Admission {
  /** The verdict on a claim. Rejects with OverloadError `limit.queue` if too many questions wait. */
  admit(claim: Claim, policy: Policy, options?: AdmissionOptions): Promise<Verdict>;
}

/** What checks questions: threads in the product. */
export interface Verifiers {
  /** Batches that are accepted at the same time. */
  readonly batches: number;
  /** The verdict on each question, in their order. */
  check(questions: readonly ClaimQuestion[]): Promise<readonly Verdict[]>;
  /** Stops the checks. No question may follow. */
  close(): Promise<void>;
}

export interface ClaimQuestion {
  readonly claim: Claim;
  readonly policy: Policy;
  readonly all: boolean;
}

/** The verdict on a question, computed on the calling thread. */
export function judge({ claim, policy, all }: ClaimQuestion): Verdict {
  return admit(claim, policy, { all, plain: plainVerifier });
}

/** Verifiers that check on the calling thread, for tests without threads. */
export const VERIFIER_HERE: Verifiers = {
  batches: 1,
  check: async (questions) => questions.map(judge),
  close: async () => undefined,
};

interface Asked {
  readonly question: ClaimQuestion;
  readonly caller: string;
}

interface Waiting {
  readonly question: ClaimQuestion;
  readonly sinceMs: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (cause: unknown) => void;
}

export interface ClaimChecksParts {
  readonly verifiers: Verifiers;
  readonly nowMs: () => number;
  /** Number of verdicts that are kept, and their bytes. */
  readonly kept?: { readonly max: number; readonly maxSize: number };
}

/** The claim checks of one server. Their creator must close them. */
export class ClaimChecks implements Admission {
  readonly #verifiers: Verifiers;
  readonly #nowMs: () => number;
  /**
   * By digest of the question. A verdict depends on its question only, so it never becomes stale. Equal
   * questions that are asked meanwhile share one check.
   */
  readonly #cache: LRUCache<string, Verdict, Asked>;
  readonly #waiting = new RoundRobin<Waiting>();
  #checking = 0;
  #isClosed = false;

  constructor({ verifiers, nowMs, kept = VERDICTS_KEPT }: ClaimChecksParts) {
    this.#verifiers = verifiers;
    this.#nowMs = nowMs;
    this.#cache = new LRUCache({
      ...{ ...kept, sizeCalculation: bytesOf },
      fetchMethod: (_digest, _stale, { context }) => this.#enqueue(context),
    });
  }

  /** Number of questions that wait for a verifier. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async admit(claim: Claim, policy: Policy, options: AdmissionOptions = {}): Promise<Verdict> {
    const { all = false, caller = SERVER_ITSELF } = options;
    const question = { claim, policy, all };
    return this.#cache.forceFetch(digestOf(question), { context: { question, caller } });
  }

  /** Refuses the questions that wait and all that follow. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.items()) reject(closing());
    this.#waiting.clear();
    await this.#verifiers.close();
  }

  #enqueue({ question, caller }: Asked): Promise<Verdict> {
    if (this.#isClosed) throw closing();
    const own = this.#waiting.count(caller);
    if (this.waiting >= CLAIMS_QUEUED_MAX || own >= CLAIMS_QUEUED_PER_CALLER_MAX) {
      const detail = `${this.waiting} claims wait to be checked, ${own} of them yours`;
      throw new OverloadError('limit.queue', detail, this.#retryAfterS());
    }
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
    this.#waiting.push(caller, { question, sinceMs: this.#nowMs(), resolve, reject });
    this.#dispatch();
    return promise;
  }

  #dispatch(): void {
    while (this.waiting > 0 && this.#checking < this.#verifiers.batches) {
      const batch: Waiting[] = [];
      while (batch.length < CLAIMS_PER_BATCH) {
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
      const verdicts = await this.#verifiers.check(batch.map(({ question }) => question));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const verdict = verdicts[index];
        if (verdict === undefined) reject(new Error('a claim was left unchecked'));
        else resolve(verdict);
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

/**
 * Identifies a question in the cache. Policies from their schema have one order of members. Another order
 * only costs a second check.
 */
function digestOf({ claim, policy, all }: ClaimQuestion): string {
  const { scheme, publicKey, nodeId, solution, signature } = claim;
  const lengths = [publicKey, nodeId, solution].map((bytes) => bytes?.length ?? null);
  const text = utf8ToBytes(JSON.stringify([scheme, lengths, policy, all]));
  const parts = [publicKey, nodeId, solution ?? new Uint8Array(), signature, text];
  return hash('sha256', concatBytes(...parts), 'base64');
}

/** Approximate size in memory: the entry, and two bytes for each character of the verdict's JSON. */
function bytesOf(verdict: Verdict): number {
  return ENTRY_BYTES + 2 * JSON.stringify(verdict).length;
}

const ENTRY_BYTES = 192;

function closing(): OverloadError {
  return new OverloadError('limit.queue', 'the server is closing', RETRY_AFTER_S_MAX);
}

const RETRY_AFTER_S_MIN = 1;
const RETRY_AFTER_S_MAX = 10;
