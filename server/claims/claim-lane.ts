/**
 * @module
 * A lane of checks: a bounded queue in which callers take turns, and the verifiers that it feeds. A few questions go
 * together. The server has one lane for cheap checks and one for slow puzzles.
 */

import { RoundRobin } from '../callers/round-robin.ts';
import { OverloadError } from '../request/refusals.ts';
import type { Checked, ClaimQuestion, Verifiers } from './verifiers.ts';

interface Waiting {
  readonly question: ClaimQuestion;
  readonly sinceMs: number;
  readonly resolve: (checked: Checked) => void;
  readonly reject: (cause: unknown) => void;
}

export interface LaneLimits {
  /** Questions that wait, of all callers together and of one. */
  readonly queued: number;
  readonly queuedPerCaller: number;
  /** Questions to a message. */
  readonly perBatch: number;
}

/** Its creator must close it. */
export class ClaimLane {
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
