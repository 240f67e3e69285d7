/**
 * @module
 * How a running job gives way to the jobs of other callers: its thread stands still at its next progress
 * until the gate is open again. What it has computed remains in its memory.
 */

import { leaveOutWallTime } from '../../src/runtime/threads/clocks.ts';

/** The gate of one job, on the side of the server. */
export class JobGate {
  /** Shared with the thread: 1 while the gate is closed. */
  readonly cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  close(): void {
    Atomics.store(this.cell, 0, 1);
  }

  open(): void {
    Atomics.store(this.cell, 0, 0);
    Atomics.notify(this.cell, 0);
  }
}

/** The running time of a job, which consists of turns. */
export class Stopwatch {
  readonly #nowMs: () => number;
  #endedMs = 0;
  #startedMs: number | null = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Time of all turns until now. */
  get ms(): number {
    return this.#endedMs + this.turnMs;
  }

  /** Time of the present turn; 0 between two turns. */
  get turnMs(): number {
    return this.#startedMs === null ? 0 : this.#nowMs() - this.#startedMs;
  }

  start(): void {
    this.stop();
    this.#startedMs = this.#nowMs();
  }

  stop(): void {
    this.#endedMs = this.ms;
    this.#startedMs = null;
  }
}

/** The side of the thread: blocks while the gate is closed. That time is not time of its work. */
export function passGate(cell: Int32Array): void {
  const beganMs = performance.now();
  if (Atomics.wait(cell, 0, 1) === 'ok') leaveOutWallTime((performance.now() - beganMs) / 1e3);
}
