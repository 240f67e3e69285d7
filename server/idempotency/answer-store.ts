/**
 * @module
 * Answers that are given again: a request repeated with its Idempotency-Key (draft-ietf-httpapi-
 * idempotency-key-header) has no second effect. Of several at once the first does the work and the
 * others wait for its answer. Only what had an effect is kept, so that a refused request may be tried
 * again under its key; keys are one caller's own. Answers to what lasts are in the data file too.
 */

import { LabError } from '../../src/errors.ts';
import type { AnswerLog, KeptAnswer } from './answer-log.ts';
import { ANSWER_HOURS, EPHEMERAL_ANSWERS } from './answer-log.ts';
import type { Effect, KeyedRequest, KeyedWork } from './keyed-work.ts';
import { asKeyedWork } from './keyed-work.ts';

/** Of one caller; the oldest goes first. A caller with many keys takes no place from others. */
export const ANSWERS_PER_CALLER_MAX = 256;
/** Of all callers; the oldest go first. */
export const ANSWERS_MAX = 4_096;
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** An answer of before; or what had been brought about when the server ended before it answered. */
export type Earlier =
  | { readonly type: 'answer'; readonly answer: KeptAnswer }
  | { readonly type: 'effect'; readonly effect: Effect };

interface Entry {
  readonly fingerprint: string;
  readonly expiresMs: number;
  readonly earlier: Earlier;
}

interface Pending {
  readonly fingerprint: string;
  /** Settles when the work is over, whether its answer is kept or not; never rejects. */
  readonly over: Promise<void>;
}

/** One server's kept answers. */
export class AnswerStore {
  readonly #nowMs: () => number;
  readonly #log: AnswerLog;
  /** Forgotten here and still in the log. */
  #forgotten: KeyedRequest[] = [];
  /** By caller, then key; each caller's in the order in which they were kept. */
  readonly #kept = new Map<string, Map<string, Entry>>();
  readonly #pending = new Map<string, Pending>();
  #bytes = 0;

  /** `nowMs` is a monotonic clock in milliseconds. */
  constructor(nowMs: () => number, log: AnswerLog = EPHEMERAL_ANSWERS) {
    this.#nowMs = nowMs;
    this.#log = log;
  }

  /** Brings back what the log holds; `wallMs` is what its times are told by. */
  restore(wallMs: number): void {
    for (const { answer, expires, status, resource, ...request } of this.#log.read()) {
      const earlier: Earlier =
        answer === null
          ? { type: 'effect', effect: { status, resource } }
          : { type: 'answer', answer };
      // The clock on the wall may have been set back since.
      const leftMs = Math.min(expires - wallMs, ANSWER_MS);
      this.#keep(request, earlier, leftMs);
    }
  }

  /**
   * What came of the same request before, or null when `work` was done for it now. `work` returns the
   * answer to keep, or null where nothing happened that a repetition would do twice; `wait` is asked
   * whether one may wait for another's work, and returns what is called when it has. Throws LabError
   * `idempotency.mismatch` when the key came with another request, and what `work` and `wait` throw.
   */
  async once(
    request: KeyedRequest,
    work: () => Promise<KeptAnswer | null>,
    wait: () => () => void = () => () => undefined,
  ): Promise<Earlier | null> {
    const place = JSON.stringify([request.caller, request.key]);
    for (;;) {
      const pending = this.#pending.get(place);
      if (pending === undefined) break;
      assertSame(pending, request);
      const free = wait();
      await pending.over;
      free();
    }
    const kept = this.#find(request);
    if (kept !== null) {
      assertSame(kept, request);
      return kept.earlier;
    }
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#pending.set(place, { fingerprint: request.fingerprint, over });
    try {
      await this.#work(request, work);
      return null;
    } finally {
      this.#pending.delete(place);
      resolve();
    }
  }

  async #work(request: KeyedRequest, doIt: () => Promise<KeptAnswer | null>): Promise<void> {
    const work: KeyedWork = { request, isClaimed: false, isOver: false };
    let answer: KeptAnswer | null = null;
    try {
      answer = await asKeyedWork(work, doIt);
    } finally {
      work.isOver = true;
      if (answer === null && work.isClaimed) this.#log.retract(request);
    }
    if (answer === null) return;
    this.#keep(request, { type: 'answer', answer }, ANSWER_MS);
    // What opens something is told to whoever asks again, and not to whoever reads the file.
    const isSecret = answer.headers['Cache-Control']?.includes('no-store') ?? false;
    if (!work.isClaimed || isSecret) return;
    this.#log.kept(request, answer, this.#forgotten);
    this.#forgotten = [];
  }

  #find({ caller, key }: KeyedRequest): Entry | null {
    const entry = this.#kept.get(caller)?.get(key);
    if (entry === undefined) return null;
    if (entry.expiresMs > this.#nowMs()) return entry;
    this.#forget(caller, key);
    return null;
  }

  #keep({ caller, key, fingerprint }: KeyedRequest, earlier: Earlier, forMs: number): void {
    const expiresMs = this.#nowMs() + forMs;
    // A caller who is seen again goes behind the others, so that the first one has been idle longest.
    const own = this.#kept.get(caller) ?? new Map<string, Entry>();
    this.#kept.delete(caller);
    this.#kept.set(caller, own.set(key, { fingerprint, expiresMs, earlier }));
    this.#bytes += bytesOf(earlier);
    this.#forgetOldest(caller, own);
  }

  #forgetOldest(caller: string, own: ReadonlyMap<string, Entry>): void {
    const [oldest] = own.keys();
    if (own.size > ANSWERS_PER_CALLER_MAX && oldest !== undefined) this.#forget(caller, oldest);
    while (this.#bytes > ANSWER_BYTES_MAX || this.size > ANSWERS_MAX) {
      const [idlest] = this.#kept;
      const [key] = idlest?.[1].keys() ?? [];
      if (idlest === undefined || key === undefined) return;
      this.#forget(idlest[0], key);
    }
  }

  #forget(caller: string, key: string): void {
    const own = this.#kept.get(caller);
    const entry = own?.get(key);
    if (own === undefined || entry === undefined) return;
    own.delete(key);
    if (own.size === 0) this.#kept.delete(caller);
    this.#bytes -= bytesOf(entry.earlier);
    this.#forgotten.push({ caller, key, fingerprint: entry.fingerprint });
  }

  /** How many answers are kept. */
  get size(): number {
    let size = 0;
    for (const own of this.#kept.values()) size += own.size;
    return size;
  }
}

function assertSame(known: { readonly fingerprint: string }, request: KeyedRequest): void {
  if (known.fingerprint === request.fingerprint) return;
  const detail =
    'this Idempotency-Key came with another path or body before; a new request needs a new key';
  throw new LabError('idempotency.mismatch', detail);
}

/** In memory, where a character takes up to two bytes. */
function bytesOf(earlier: Earlier): number {
  return earlier.type === 'answer' ? 2 * earlier.answer.body.length : 0;
}

const ANSWER_MS = ANSWER_HOURS * 3_600_000;
