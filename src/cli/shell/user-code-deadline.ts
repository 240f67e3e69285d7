/**
 * @module
 * The thread that watches files of the user: their loading, and then each call of their machines and judges. A loop
 * without an end blocks the main thread, which then reacts to no signal. The process can only be killed from here.
 */

import { writeSync } from 'node:fs';
import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import { WATCHED } from '../../runtime/load/step-watch.ts';

/** What the thread waits for. */
export interface UserCodeDeadline {
  readonly loadingSeconds: number;
  /** What is printed before the process is killed because the files are not loaded. */
  readonly message: string;
  /** Which call runs, in shared memory. */
  readonly cell: Int32Array;
}

/** What the main thread posts: that the files are loaded, or the name of a number in the memory. */
export type UserCodeEvent = 'loaded' | { readonly number: number; readonly what: string };

const STDERR = 2;
const TICK_MS = 500;
/** Ticks in a row at which the same call runs. A process that sleeps has no ticks. */
const TICKS_MAX = 10;

// The data that loaded-process.ts gives.
const { loadingSeconds, message, cell } = workerData as UserCodeDeadline;
const names = new Map<number, string>();
const loading = setTimeout(() => kill(message), loadingSeconds * 1e3);
parentPort?.on('message', (event: UserCodeEvent) => {
  if (event !== 'loaded') {
    names.set(event.number, event.what);
    return;
  }
  clearTimeout(loading);
  setInterval(look, TICK_MS);
});

let [seen, ticks] = [-1, 0];

function look(): void {
  const calls = Atomics.load(cell, WATCHED.calls);
  const what = names.get(Atomics.load(cell, WATCHED.running));
  ticks = what !== undefined && calls === seen ? ticks + 1 : 0;
  seen = calls;
  if (ticks < TICKS_MAX) return;
  const seconds = (TICKS_MAX * TICK_MS) / 1e3;
  kill(`usurp: ${what} has not ended after ${seconds} s; remove loops without an end from it\n`);
}

function kill(text: string): void {
  // A thread has no stream of its own with a descriptor.
  writeSync(STDERR, text);
  process.kill(process.pid, 'SIGKILL');
}
