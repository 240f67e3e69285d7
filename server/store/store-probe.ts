/**
 * @module
 * Finds out when a store that refused a write can be written again: it tries, at growing intervals.
 */

import { performance } from 'node:perf_hooks';

/** Time until the first try, and the longest time between two, in ms. */
const FIRST_MS = 250;
const LONGEST_MS = 10_000;
/** After this time without a failure, the intervals begin again. */
const CALM_MS = 60_000;

/** Owns a timer, which does not keep the process alive. */
export class StoreProbe {
  readonly #succeeds: () => boolean;
  #timer: NodeJS.Timeout | null = null;
  #delayMs = FIRST_MS;
  #failedMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  readonly #listeners: (() => void)[] = [];

  /** `succeeds` tries a write. */
  constructor(succeeds: () => boolean) {
    this.#succeeds = succeeds;
  }

  /** After a write failed. */
  start(): void {
    const nowMs = performance.now();
    if (nowMs - this.#failedMs > CALM_MS) this.#delayMs = FIRST_MS;
    this.#failedMs = nowMs;
    if (this.#timer !== null || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (!this.#succeeds()) this.start();
      else for (const listener of this.#listeners) listener();
    }, this.#delayMs).unref();
    this.#delayMs = Math.min(LONGEST_MS, 2 * this.#delayMs);
  }

  /** Calls the function whenever a try succeeds. */
  onRecovered(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Ends the tries. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer ?? undefined);
  }
}
