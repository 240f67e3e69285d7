/**
 * @module
 * Answers that are sent again: a request repeated with its Idempotency-Key (draft-ietf-httpapi-
 * idempotency-key-header) has no second effect. Of several at once, the first does the work and the
 * others wait for its answer. Only answers to requests with an effect are kept, so that a refused request
 * may be sent again with its key. Keys belong to one caller. Answers about stored objects are in the
 * data file as well.
 */

import { LabError } from '../../src/errors.ts';
import type { Effect, KeyedRequest, KeyedWork } from '../request/principal.ts';
import type { AnswerLog, KeptAnswer } from './answer-log.ts';
import { ANSWER_HOURS } from './answer-log.ts';

/** Answers of one caller. The oldest is removed first, so that a caller with many keys affects no other. */
export const ANSWERS_PER_CALLER_MAX = 256;
/** Answers of all callers. The oldest are removed first. */
export const ANSWERS_MAX = 4_096;
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** An earlier answer, or an earlier effect if the server stopped before it answered. */
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
  /** Resolves when the work is over, whether its answer is kept or not; never rejects. */
  readonly over: Promise<void>;
}

export class AnswerStore {
  readonly #nowMs: () => number;
  readonly #log: AnswerLog | null;
  /** Removed here, but not yet from the log. */
  #forgotten: KeyedRequest[] = [];
  /** By caller, then key; the answers of a caller in the order in which they were kept. */
  readonly #kept = new Map<string, Map<string, Entry>>();
  readonly #pending = new Map<string, Pending>();
  #bytes = 0;

  constructor(nowMs: () => number, log: AnswerLog | null = null) {
    this.#nowMs = nowMs;
    this.#log = log;
  }

  get size(): number {
    let size = 0;
    for (const own of this.#kept.values()) size += own.size;
    return size;
  }

  /** Restores the answers of the log. `wallMs` is the wall-clock time in milliseconds. */
  restore(wallMs: number): void {
    for (const { answer, expires, status, resource, ...request } of this.#log?.read() ?? []) {
      const earlier: Earlier =
        answer === null
          ? { type: 'effect', effect: { status, resource } }
          : { type: 'answer', answer };
      // The wall clock may have been set back in the meantime.
      const leftMs = Math.min(expires - wallMs, ANSWER_MS);
      this.#keep(request, earlier, leftMs);
    }
  }

  /**
   * The earlier answer to this request, or null if `work` did it now. `work` returns the answer to keep,
   * or null if a repetition would repeat no effect. `wait` is called before waiting for another request
   * with this key, may refuse that, and returns a function to be called afterwards. Throws LabError
   * `idempotency.mismatch` if the key came with another request, and what `work` and `wait` throw.
   */
  async once(
    request: KeyedRequest,
    work: (keyed: KeyedWork) => Promise<KeptAnswer | null>,
    wait: () => () => void = () => () => undefined,
  ): Promise<Earlier | null> {
    const slot = JSON.stringify([request.caller, request.key]);
    for (;;) {
      const pending = this.#pending.get(slot);
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
    this.#pending.set(slot, { fingerprint: request.fingerprint, over });
    try {
      await this.#work(request, work);
      return null;
    } finally {
      this.#pending.delete(slot);
      resolve();
    }
  }

  async #work(
    request: KeyedRequest,
    work: (keyed: KeyedWork) => Promise<KeptAnswer | null>,
  ): Promise<void> {
    const keyed: KeyedWork = { request, isClaimed: false, isOver: false };
    let answer: KeptAnswer | null = null;
    try {
      answer = await work(keyed);
    } finally {
      keyed.isOver = true;
      if (answer === null && keyed.isClaimed) this.#log?.retract(request);
    }
    if (answer === null) return;
    this.#keep(request, { type: 'answer', answer }, ANSWER_MS);
    // A secret is sent again to the caller, but not written to the file.
    const isSecret = answer.headers['Cache-Control']?.includes('no-store') ?? false;
    if (!keyed.isClaimed || isSecret) return;
    this.#log?.kept(request, answer, this.#forgotten);
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
    // An active caller moves to the end, so that the first one has been idle longest.
    const own = this.#kept.get(caller) ?? new Map<string, Entry>();
    this.#kept.delete(caller);
    this.#kept.set(caller, own.set(key, { fingerprint, expiresMs, earlier }));
    this.#bytes += bytesOf(earlier);
    const [oldest] = own.keys();
    if (own.size > ANSWERS_PER_CALLER_MAX && oldest !== undefined) this.#forget(caller, oldest);
    while (this.#bytes > ANSWER_BYTES_MAX || this.size > ANSWERS_MAX) {
      const [idlest] = this.#kept;
      const [first] = idlest?.[1].keys() ?? [];
      if (idlest === undefined || first === undefined) return;
      this.#forget(idlest[0], first);
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
}

function assertSame(known: { readonly fingerprint: string }, request: KeyedRequest): void {
  if (known.fingerprint === request.fingerprint) return;
  const detail =
    'this Idempotency-Key came with another path or body before; a new request needs a new key';
  throw new LabError('idempotency.mismatch', detail);
}

/** Size in memory, at two bytes a character. */
function bytesOf(earlier: Earlier): number {
  return earlier.type === 'answer' ? 2 * earlier.answer.body.length : 0;
}

const ANSWER_MS = ANSWER_HOURS * 3_600_000;
