/**
 * @module
 * Answers that are given again: a request repeated with its Idempotency-Key (draft-ietf-httpapi-
 * idempotency-key-header) has no second effect. Of several at once the first does the work and the
 * others wait for its answer. Only what had an effect is kept, so that a refused request may be tried
 * again under its key; keys are one caller's own. Kept in memory: a restart forgets them.
 */

import { LabError } from '../src/errors.ts';

/** How long an answer is kept. */
export const ANSWER_HOURS = 24;
/** Of one caller; the oldest goes first. A caller with many keys takes no place from others. */
export const ANSWERS_PER_CALLER_MAX = 256;
/** Of all callers; the oldest go first. */
export const ANSWERS_MAX = 4_096;
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** What is given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request as far as its repetition must be the same. */
export interface KeyedRequest {
  readonly caller: string;
  readonly key: string;
  /** Digest of method, path and body. */
  readonly fingerprint: string;
}

interface Entry {
  readonly fingerprint: string;
  readonly expiresMs: number;
  readonly answer: KeptAnswer;
}

interface Pending {
  readonly fingerprint: string;
  /** Settles when the work is over, whether its answer is kept or not; never rejects. */
  readonly over: Promise<void>;
}

/** One server's kept answers. */
export class AnswerStore {
  readonly #nowMs: () => number;
  /** By caller, then key; each caller's in the order in which they were kept. */
  readonly #kept = new Map<string, Map<string, Entry>>();
  readonly #pending = new Map<string, Pending>();
  #bytes = 0;

  /** `nowMs` is a monotonic clock in milliseconds. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * The kept answer of the same request, or null when `work` was done for it now. `work` returns the
   * answer to keep, or null where nothing happened that a repetition would do twice. Throws LabError
   * `idempotency.mismatch` when the key came with another request, and what `work` throws.
   */
  async once(
    request: KeyedRequest,
    work: () => Promise<KeptAnswer | null>,
  ): Promise<KeptAnswer | null> {
    const place = JSON.stringify([request.caller, request.key]);
    for (;;) {
      const pending = this.#pending.get(place);
      if (pending === undefined) break;
      demandSame(pending, request);
      await pending.over;
    }
    const kept = this.#find(request);
    if (kept !== null) {
      demandSame(kept, request);
      return kept.answer;
    }
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#pending.set(place, { fingerprint: request.fingerprint, over });
    try {
      const answer = await work();
      if (answer !== null) this.#keep(request, answer);
      return null;
    } finally {
      this.#pending.delete(place);
      resolve();
    }
  }

  #find({ caller, key }: KeyedRequest): Entry | null {
    const entry = this.#kept.get(caller)?.get(key);
    if (entry === undefined) return null;
    if (entry.expiresMs > this.#nowMs()) return entry;
    this.#forget(caller, key);
    return null;
  }

  #keep({ caller, key, fingerprint }: KeyedRequest, answer: KeptAnswer): void {
    const expiresMs = this.#nowMs() + ANSWER_HOURS * 3_600_000;
    // A caller who is seen again goes behind the others, so that the first one has been idle longest.
    const own = this.#kept.get(caller) ?? new Map<string, Entry>();
    this.#kept.delete(caller);
    this.#kept.set(caller, own.set(key, { fingerprint, expiresMs, answer }));
    this.#bytes += bytesOf(answer);
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
    this.#bytes -= bytesOf(entry.answer);
  }

  /** How many answers are kept. */
  get size(): number {
    let size = 0;
    for (const own of this.#kept.values()) size += own.size;
    return size;
  }
}

function demandSame(known: { readonly fingerprint: string }, request: KeyedRequest): void {
  if (known.fingerprint === request.fingerprint) return;
  const detail =
    'this Idempotency-Key came with another path or body before; a new request needs a new key';
  throw new LabError('idempotency.mismatch', detail);
}

/** In memory, where a character takes up to two bytes. */
function bytesOf({ body }: KeptAnswer): number {
  return 2 * body.length;
}
