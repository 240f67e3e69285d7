/**
 * @module
 * How long an election stands still for those who play nodes from outside: for each up to the bound that
 * it joined with, in real time, and for all of them together no longer than one answer may take. Virtual
 * time does not pass meanwhile.
 */

import { performance } from 'node:perf_hooks';

import type { Simulation } from '../../../src/simulation/run/simulation.ts';

/** Of one node, for one answer. */
export const OUTSIDE_WAIT_MS_MAX = 30_000;
/** Of one advance: whoever asked for it has an answer by then, and can go on. */
export const ADVANCE_WAIT_MS_MAX = 60_000;

/** The real time of one advance. */
export class OutsideWait {
  readonly #endsAt = performance.now() + ADVANCE_WAIT_MS_MAX;
  readonly #waitMsOf: (rank: number) => number;
  /** Until when each that has not answered is waited for. */
  #deadlines: ReadonlyMap<number, number> = new Map();
  #isAwake = false;
  #wakeUp: () => void = () => undefined;

  constructor(waitMsOf: (rank: number) => number) {
    this.#waitMsOf = waitMsOf;
  }

  /** Something has happened. */
  readonly wake = (): void => {
    this.#isAwake = true;
    this.#wakeUp();
  };

  /** The election stands still anew: everybody who is awaited has the whole time. */
  begin(): void {
    this.#deadlines = new Map();
  }

  /** Those of the awaited for whom the time is over. */
  late(awaiting: readonly number[]): number[] {
    const now = performance.now();
    const deadlineOf = (rank: number) => this.#deadlines.get(rank) ?? now + this.#waitMsOf(rank);
    this.#deadlines = new Map(awaiting.map((rank) => [rank, deadlineOf(rank)]));
    return awaiting.filter((rank) => deadlineOf(rank) <= now);
  }

  /** Whether the whole time is. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Seconds until the last of the awaited is waited for no longer; answers may end it any time. */
  get leftS(): number {
    const lastAt = Math.max(0, ...this.#deadlines.values());
    const endsAt = lastAt > 0 ? Math.min(lastAt, this.#endsAt) : this.#endsAt;
    return 1 + Math.floor(Math.max(0, endsAt - performance.now()) / 1000);
  }

  /** Resolves when something happens, at the latest when the next time is over. */
  async pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const at = Math.min(this.#endsAt, ...this.#deadlines.values());
    // Timers may fire a millisecond early.
    const timer = setTimeout(resolve, Math.max(0, at - performance.now()) + 1);
    this.#wakeUp = resolve;
    if (this.#isAwake) resolve();
    await promise;
    this.#isAwake = false;
    this.#wakeUp = () => undefined;
    clearTimeout(timer);
  }
}

type Places = Pick<Simulation['plan'], 'outside' | 'openings'>;

/** Whether somebody plays from outside who is waited for, or may come to. */
export function mayStandStill({ outside, openings }: Places): boolean {
  return openings.length > 0 || outside.some(({ waits }) => waits);
}

/** Seconds after which an advance is over that may wait, or is the next that may; 1 where none may. */
export function goesOnAfterS(places: Places, standing: OutsideWait | null): number {
  if (standing !== null) return standing.leftS;
  return mayStandStill(places) ? ADVANCE_WAIT_MS_MAX / 1000 : 1;
}
