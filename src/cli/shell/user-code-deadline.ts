/**
 * @module
 * The thread that watches files of the user: their loading, and then each call of their machines and judges, in the main
 * thread and in those that help it. A loop without an end blocks the main thread, or makes it wait for ever. It then
 * reacts to no signal. The process can only be killed from here.
 */

import { writeSync } from 'node:fs';
import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import { watchCalls } from '../../runtime/load/step-watch.ts';

/** What the thread waits for. */
export interface UserCodeDeadline {
  readonly loadingSeconds: number;
  /** What is printed before the process is killed because the files are not loaded. */
  readonly message: string;
  /** Which call runs in each thread. */
  readonly memory: SharedArrayBuffer;
}

const STDERR = 2;

// The data that loaded-process.ts gives.
const { loadingSeconds, message, memory } = workerData as UserCodeDeadline;
const loading = setTimeout(() => kill(message), loadingSeconds * 1e3);
// Any message says that the files are loaded.
parentPort?.on('message', () => {
  clearTimeout(loading);
  watchCalls(memory, (problem) => kill(`usurp: ${problem}\n`));
});

function kill(text: string): void {
  // A thread has no stream of its own with a descriptor.
  writeSync(STDERR, text);
  process.kill(process.pid, 'SIGKILL');
}
