/**
 * @module
 * Short work on the thread that answers, such as reading a piece of a connection or beginning a request. A turn of the event
 * loop does a few milliseconds of it. What is left waits in lines, which take turns: the work of one client does not wait for
 * all work of another. Every second piece is one of a preferred line, so that these do not wait for any number of others.
 */

import { performance } from 'node:perf_hooks';

import { RoundRobin } from './round-robin.ts';

/** Work of a turn. The last piece may end later. */
export const TURN_MS = 2;

/** Where work waits. */
export interface Line {
  readonly name: string;
  readonly isPreferred: boolean;
}

export class FairTurns {
  readonly #nowMs: () => number;
  readonly #preferred = new RoundRobin<() => void>();
  readonly #others = new RoundRobin<() => void>();
  #endsMs = 0;
  /** Whether a turn has begun and the next one is scheduled. */
  #isBegun = false;
  #wasPreferred = false;
  /** Whether the next turn is to do one piece only. */
  #isHurried = false;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  get waiting(): number {
    return this.#preferred.size + this.#others.size;
  }

  /** Does the work at once if the turn has time left, else when its line has its turn. */
  run({ name, isPreferred }: Line, work: () => void): void {
    if (!this.#isBegun) this.#begin();
    if (this.waiting === 0 && this.#nowMs() < this.#endsMs) work();
    else (isPreferred ? this.#preferred : this.#others).push(name, work);
  }

  /**
   * The event loop has accepted a connection. It accepts one in each of its turns, and others may wait, so that the next turn
   * does one piece only.
   */
  hurry(): void {
    this.#isHurried = true;
  }

  #begin(): void {
    this.#isBegun = true;
    this.#endsMs = this.#nowMs() + (this.#isHurried ? 0 : TURN_MS);
    this.#isHurried = false;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#isBegun = false;
    if (this.waiting === 0) return;
    this.#begin();
    do this.#take()?.();
    while (this.waiting > 0 && this.#nowMs() < this.#endsMs);
  };

  #take(): (() => void) | undefined {
    const isPreferred = this.#others.size === 0 || !this.#wasPreferred;
    this.#wasPreferred = isPreferred && this.#preferred.size > 0;
    return this.#wasPreferred ? this.#preferred.take() : this.#others.take();
  }
}
