/**
 * @module
 * The thread that watches the loading of files of the user. A loop without end at the top level of a file
 * blocks the main thread, which then reacts to no signal. The process can only be killed from here.
 */

import { writeSync } from 'node:fs';
import process from 'node:process';
import { workerData } from 'node:worker_threads';

/** What the thread waits for. */
export interface LoadingDeadline {
  readonly seconds: number;
  /** What is printed before the process is killed. */
  readonly message: string;
}

const STDERR = 2;

// The data that loaded-process.ts gives. That file ends this thread when the files are loaded.
const { seconds, message } = workerData as LoadingDeadline;
setTimeout(() => {
  // A thread has no stream of its own with a descriptor.
  writeSync(STDERR, message);
  process.kill(process.pid, 'SIGKILL');
}, seconds * 1e3);
