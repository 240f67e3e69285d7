/**
 * @module
 * This folder checks claims in threads of their own, because one check takes about two milliseconds of
 * curve arithmetic. This file answers known questions from a cache, joins a question that is already being
 * checked, and queues the others: bounded, round-robin by caller, a few questions to a message.
 */

import { hash } from 'node:crypto';
import { concatBytes, utf8ToBytes } from '../../src/bytes.ts';
import type { AdmitOptions, Verdict } from '../../src/identity/admit.ts';
import type { Claim } from '../../src/identity/claim.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { OverloadError } from '../request/refusals.ts';
import type { CacheLimits } from './bounded-cache.ts';
import { BoundedCache } from './bounded-cache.ts';

/** Questions that wait: of all callers together, and of one, so that nobody has the line alone. */
export const CLAIMS_QUEUED_MAX = 1024;
export const CLAIMS_QUEUED_PER_CALLER_MAX = 256;
/** A verdict of passed checks takes about a kilobyte, one with every refusal in words three. */
const VERDICTS_KEPT: CacheLimits = { entries: 32_768, bytes: 32 * 1024 ** 2 };
/** Questions to a message: some 16 ms of work, which what comes next waits for. */
export const CLAIMS_PER_BATCH = 8;

export interface AdmissionOptions extends AdmitOptions {
  /** In whose turn it is checked; without one it is the server's own. */
  readonly caller?: string;
}

/** The gate of src/identity/admit.ts, where its answer may take a while. */
export interface Admission {
  /** The verdict on a claim. Rejects with OverloadError `limit.queue` when too many wait. */
  admit(claim: Claim, policy: Policy, options?: AdmissionOptions): Promise<Verdict>;
}

/** What checks questions. */
export interface Verifiers {
  /** Batches that are taken at the same time. */
  readonly batches: number;
  /** The verdict on each question, in their order. */
  check(questions: readonly ClaimQuestion[]): Promise<readonly Verdict[]>;
  /** Ends what is being checked; nothing may be asked afterwards. */
  close(): Promise<void>;
}

/** A claim to check. */
export interface ClaimQuestion {
  readonly claim: Claim;
  readonly policy: Policy;
  readonly all: boolean;
}

interface Waiting {
  readonly question: ClaimQuestion;
  readonly sinceMs: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (cause: unknown) => void;
}

export interface ClaimChecksParts {
  readonly verifiers: Verifiers;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  readonly limits?: CacheLimits;
}

/** One server's checks of claims; whoever makes it closes it. */
export class ClaimChecks implements Admission {
  readonly #verifiers: Verifiers;
  readonly #nowMs: () => number;
  /** By digest of the question: claim, policy and checks asked for. */
  readonly #cache: BoundedCache<Verdict>;
  /** By digest: those that wait and those that are being checked. */
  readonly #pending = new Map<string, Promise<Verdict>>();
  /** Callers in the order of their turns; nobody is here without a question. */
  readonly #lines = new Map<string, Waiting[]>();
  #waiting = 0;
  #checking = 0;
  #isClosed = false;

  constructor({ verifiers, nowMs, limits = VERDICTS_KEPT }: ClaimChecksParts) {
    this.#verifiers = verifiers;
    this.#nowMs = nowMs;
    this.#cache = new BoundedCache(limits);
  }

  /** How many questions wait for a verifier. */
  get waiting(): number {
    return this.#waiting;
  }

  async admit(claim: Claim, policy: Policy, options: AdmissionOptions = {}): Promise<Verdict> {
    const { all = false, caller = '' } = options;
    const question = { claim, policy, all };
    const digest = digestOf(question);
    const known = this.#cache.find(digest);
    if (known !== undefined) return known;
    const pending = this.#pending.get(digest) ?? this.#ask(question, digest, caller);
    return pending;
  }

  /** Takes no more; whoever waits is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of [...this.#lines.values()].flat()) reject(closing());
    this.#lines.clear();
    this.#waiting = 0;
    await this.#verifiers.close();
  }

  async #ask(question: ClaimQuestion, digest: string, caller: string): Promise<Verdict> {
    const asked = this.#enqueue(question, caller);
    this.#pending.set(digest, asked);
    try {
      const verdict = await asked;
      this.#cache.keep(digest, verdict, bytesOf(verdict));
      return verdict;
    } finally {
      this.#pending.delete(digest);
    }
  }

  #enqueue(question: ClaimQuestion, caller: string): Promise<Verdict> {
    if (this.#isClosed) throw closing();
    const line = this.#lines.get(caller) ?? [];
    if (this.#waiting >= CLAIMS_QUEUED_MAX || line.length >= CLAIMS_QUEUED_PER_CALLER_MAX) {
      const detail = `${this.#waiting} claims wait to be checked, ${line.length} of them yours`;
      throw new OverloadError('limit.queue', detail, this.#retryAfterS());
    }
    const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
    line.push({ question, sinceMs: this.#nowMs(), resolve, reject });
    this.#lines.set(caller, line);
    this.#waiting += 1;
    this.#dispatch();
    return promise;
  }

  #dispatch(): void {
    while (this.#waiting > 0 && this.#checking < this.#verifiers.batches) {
      void this.#check(this.#nextBatch());
    }
  }

  /** One of each caller in turn; who was served goes behind all others. */
  #nextBatch(): Waiting[] {
    const batch: Waiting[] = [];
    while (batch.length < CLAIMS_PER_BATCH) {
      const [turn] = this.#lines;
      if (turn === undefined) break;
      const [caller, line] = turn;
      const next = line.shift();
      this.#lines.delete(caller);
      if (line.length > 0) this.#lines.set(caller, line);
      if (next !== undefined) batch.push(next);
    }
    this.#waiting -= batch.length;
    return batch;
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

  /** Who comes now waits about as long as the one has waited who waits longest. */
  #retryAfterS(): number {
    const fronts = [...this.#lines.values()].map(([front]) => front?.sinceMs ?? this.#nowMs());
    const seconds = Math.ceil((this.#nowMs() - Math.min(...fronts)) / 1000);
    return Math.min(Math.max(seconds, RETRY_AFTER_S_MIN), RETRY_AFTER_S_MAX);
  }
}

/**
 * Identifies a question in the cache. Policies that come through their schema have their members in its order;
 * one with another order would only be checked once more.
 */
function digestOf({ claim, policy, all }: ClaimQuestion): string {
  const { scheme, publicKey, nodeId, solution, signature } = claim;
  const lengths = [publicKey, nodeId, solution].map((bytes) => bytes?.length ?? null);
  const text = utf8ToBytes(JSON.stringify([scheme, lengths, policy, all]));
  const parts = [publicKey, nodeId, solution ?? new Uint8Array(), signature, text];
  return hash('sha256', concatBytes(...parts), 'base64');
}

/** Objects and numbers take in memory about what their JSON does at two bytes a character. */
function bytesOf(verdict: Verdict): number {
  return ENTRY_BYTES + 2 * JSON.stringify(verdict).length;
}

/** Of the map, the digest and the entry itself. */
const ENTRY_BYTES = 192;

function closing(): OverloadError {
  return new OverloadError('limit.queue', 'the server is closing', RETRY_AFTER_S_MAX);
}

const RETRY_AFTER_S_MIN = 1;
const RETRY_AFTER_S_MAX = 10;
