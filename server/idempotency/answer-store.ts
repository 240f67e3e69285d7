/**
 * @module
 * Answers that are sent again: a request repeated with its Idempotency-Key (draft-ietf-httpapi-
 * idempotency-key-header) has no second effect. Of several at once, the first does the work and the
 * others wait for its answer. Only answers to requests with an effect are kept, so that a refused request
 * may be sent again with its key. Keys belong to one caller. Answers about stored objects are in the
 * data file as well.
 */

import { LabError } from '../../src/errors.ts';
import { Tallies } from '../callers/tallies.ts';
import type { Effect, KeyedRequest, KeyedWork } from '../request/principal.ts';
import { OverloadError } from '../request/refusals.ts';
import type { AnswerLog, KeptAnswer } from './answer-log.ts';
import { ANSWER_HOURS } from './answer-log.ts';

/** Keys of one caller. A new one is refused until one expires, because no key is forgotten before that. */
export const ANSWERS_PER_CALLER_MAX = 1_000;
/** Size of the answers of one caller, and of all callers. New keys are refused above it. */
export const ANSWER_BYTES_PER_CALLER_MAX = 16 * 1024 * 1024;
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** A caller with less than this may use new keys although others have used up the whole. */
const ANSWER_BYTES_SURE = 64 * 1024;

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
  /** Requests of each caller that are being worked on. */
  readonly #begun = new Tallies();
  /** Size of the answers of each caller, and of all. */
  readonly #bytesOf = new Map<string, number>();
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
   * `idempotency.mismatch` if the key came with another request, OverloadError `limit.keys` for a new key if
   * the caller has too many, and what `work` and `wait` throw.
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
    this.#assertRoom(request.caller);
    const close = this.#begun.open(request.caller);
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#pending.set(slot, { fingerprint: request.fingerprint, over });
    try {
      await this.#work(request, work);
      return null;
    } finally {
      this.#pending.delete(slot);
      close();
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

  /** Throws OverloadError `limit.keys` if the caller may use no new key. */
  #assertRoom(caller: string): void {
    this.#forgetExpired();
    const own = this.#kept.get(caller);
    const keys = (own?.size ?? 0) + this.#begun.of(caller);
    const bytes = this.#bytesOf.get(caller) ?? 0;
    const isOver = keys >= ANSWERS_PER_CALLER_MAX || bytes >= ANSWER_BYTES_PER_CALLER_MAX;
    const isFull = this.#bytes >= ANSWER_BYTES_MAX && bytes >= ANSWER_BYTES_SURE;
    if (!isOver && !isFull) return;
    const detail =
      `an Idempotency-Key is remembered for ${ANSWER_HOURS} hours, and you have used ${keys} with answers of ` +
      `${bytes} bytes; at most ${ANSWERS_PER_CALLER_MAX} and ${ANSWER_BYTES_PER_CALLER_MAX} bytes of one caller ` +
      `and ${ANSWER_BYTES_MAX} of all are remembered here. A request without a key is carried out`;
    const [oldest] = own?.values() ?? [];
    const leftMs = (oldest?.expiresMs ?? this.#nowMs()) - this.#nowMs();
    throw new OverloadError('limit.keys', detail, 1 + Math.floor(leftMs / 1000));
  }

  #keep({ caller, key, fingerprint }: KeyedRequest, earlier: Earlier, forMs: number): void {
    const expiresMs = this.#nowMs() + forMs;
    const own = this.#kept.get(caller) ?? new Map<string, Entry>();
    this.#kept.set(caller, own.set(key, { fingerprint, expiresMs, earlier }));
    this.#count(caller, bytesOf(earlier));
  }

  /** The keys of a caller are in the order in which they expire. */
  #forgetExpired(): void {
    const nowMs = this.#nowMs();
    for (const [caller, own] of this.#kept) {
      for (const [key, { expiresMs }] of own) {
        if (expiresMs > nowMs) break;
        this.#forget(caller, key);
      }
    }
  }

  #forget(caller: string, key: string): void {
    const own = this.#kept.get(caller);
    const entry = own?.get(key);
    if (own === undefined || entry === undefined) return;
    own.delete(key);
    if (own.size === 0) this.#kept.delete(caller);
    this.#count(caller, -bytesOf(entry.earlier));
    this.#forgotten.push({ caller, key, fingerprint: entry.fingerprint });
  }

  #count(caller: string, bytes: number): void {
    const own = (this.#bytesOf.get(caller) ?? 0) + bytes;
    if (own === 0) this.#bytesOf.delete(caller);
    else this.#bytesOf.set(caller, own);
    this.#bytes += bytes;
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
