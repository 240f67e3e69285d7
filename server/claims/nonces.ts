/**
 * @module
 * The nonces that callers have received and not yet used. A claim that signs one was made for this server and just now, so
 * a claim that was seen elsewhere cannot be presented again.
 */

/** Time for which a nonce is accepted. */
export const NONCE_SECONDS = 120;
/** Unused nonces of one caller. The oldest one is forgotten. */
const NONCES_PER_CALLER_MAX = 256;
/** Callers that are remembered. The one that was first seen is forgotten. */
const CALLERS_MAX = 10_000;

export class Nonces {
  readonly #nowMs: () => number;
  /** The time of each nonce of a caller, the oldest first. */
  readonly #issued = new Map<string, Map<string, number>>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(caller: string, nonce: string): void {
    const own = this.#issued.get(caller) ?? new Map<string, number>();
    if (!this.#issued.has(caller)) {
      dropOldest(this.#issued, CALLERS_MAX);
      this.#issued.set(caller, own);
    }
    dropOldest(own, NONCES_PER_CALLER_MAX);
    own.set(nonce, this.#nowMs());
  }

  /** Whether the caller has this nonce and may use it. It is used then. */
  redeem(caller: string, nonce: string): boolean {
    const own = this.#issued.get(caller);
    const sinceMs = own?.get(nonce);
    if (own === undefined || sinceMs === undefined) return false;
    own.delete(nonce);
    if (own.size === 0) this.#issued.delete(caller);
    return this.#nowMs() - sinceMs <= 1000 * NONCE_SECONDS;
  }
}

/** Makes room for one more entry. */
function dropOldest(entries: Map<string, unknown>, most: number): void {
  if (entries.size < most) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}
