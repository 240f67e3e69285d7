/**
 * @module
 * Turns for work that takes the thread that answers: slices of it are carried out one after the other,
 * and between a few milliseconds of them requests are answered, however many elections advance and
 * however many listen. Each caller has a line for what its elections do and another for what is told
 * of them, and the lines take turns. Who has used up the time of its elections stands still until some of
 * it is back.
 */

import { performance } from 'node:perf_hooks';

import { currentAsker } from './principal.ts';

/** What is done, what is told of it, and what is only sent: none waits for all of another. */
export type Lane = 'act' | 'tell' | 'send';

/** Slices go on for so long before whoever else needs the thread has it: one more slice is the most. */
export const TURN_MS = 2;

/** Nobody stands still for longer: what goes on slowly still ends, and hears that the server stops. */
export const PAUSE_MS_MAX = 1_000;

/** How often those who stand still are looked at. */
const LOOK_MS = 25;

interface Waiter {
  readonly go: () => void;
  /** Milliseconds until its caller has time again. */
  readonly waitMs: () => number;
}

/** The slices of one caller in one lane, of which there is at least one. */
interface Line {
  readonly waiters: Waiter[];
  /** When it had its last turn, or began. */
  readonly sinceMs: number;
}

/** Owns the lines; each is as long as its caller has work under way. */
export class WorkTurns {
  readonly #nowMs: () => number;
  /** The one that had its turn longest ago first. */
  readonly #lines = new Map<string, Line>();
  /** Takes back what will give the next turns; null where nothing will. */
  #unschedule: (() => void) | null = null;
  /** Whether turns are being given. */
  #isGiving = false;
  #startedMs = 0;

  /** `nowMs` is a monotonic clock in milliseconds. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Resolves when it is the turn of who asks; one slice is done before anything is awaited again. */
  take(lane: Lane): Promise<void> {
    const asker = currentAsker();
    const name = `${lane} ${asker?.caller ?? ''}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    // To send costs no time of elections.
    const waitMs = lane === 'send' ? undefined : asker?.waitMs;
    const waiter = { go: resolve, waitMs: waitMs ?? (() => 0) };
    const line = this.#lines.get(name);
    if (line === undefined) {
      this.#lines.set(name, { waiters: [waiter], sinceMs: this.#nowMs() });
      // Others may all stand still.
      this.#soon();
    } else {
      line.waiters.push(waiter);
    }
    return promise;
  }

  /** How many wait. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, { waiters }) => sum + waiters.length, 0);
  }

  #soon(): void {
    if (this.#isGiving) return;
    this.#unschedule?.();
    const immediate = setImmediate(this.#give);
    this.#unschedule = () => clearImmediate(immediate);
  }

  readonly #give = (): void => {
    this.#unschedule = null;
    this.#isGiving = true;
    this.#startedMs = this.#nowMs();
    this.#giveOne();
  };

  #giveOne(): void {
    const name = this.#ready();
    const line = name === null ? undefined : this.#lines.get(name);
    if (name === null || line === undefined) {
      this.#rest();
      return;
    }
    const [first, ...others] = line.waiters;
    this.#lines.delete(name);
    // Behind all others.
    if (others.length > 0) this.#lines.set(name, { waiters: others, sinceMs: this.#nowMs() });
    first?.go();
    // Its slice is what was queued right before this.
    queueMicrotask(() => {
      if (this.#nowMs() - this.#startedMs < TURN_MS) {
        this.#giveOne();
        return;
      }
      this.#isGiving = false;
      if (this.#lines.size > 0) this.#soon();
    });
  }

  /** The line whose turn it is; null where all stand still, or there is none. */
  #ready(): string | null {
    const nowMs = this.#nowMs();
    for (const [name, { waiters, sinceMs }] of this.#lines) {
      if (nowMs - sinceMs >= PAUSE_MS_MAX) return name;
      const [first] = waiters;
      if (first !== undefined && first.waitMs() <= 0) return name;
    }
    return null;
  }

  /** All stand still, if there are any. */
  #rest(): void {
    this.#isGiving = false;
    if (this.#lines.size === 0) return;
    const timer = setTimeout(this.#give, LOOK_MS);
    this.#unschedule = () => clearTimeout(timer);
  }
}

const TURNS = new WorkTurns();

/** Resolves when it is the turn of whoever asks to do one slice of its work. */
export function nextTurn(lane: Lane): Promise<void> {
  return TURNS.take(lane);
}
