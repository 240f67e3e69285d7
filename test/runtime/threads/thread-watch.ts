/**
 * @module
 * Which worker threads the test's own thread has started, and which of them still run.
 */

import process from 'node:process';
import type { Worker } from 'node:worker_threads';

export interface ThreadWatch {
  /** How many were started since the watch began. */
  started(): number;
  /** How many of those run. */
  running(): number;
}

/** Watches the threads that are started from now on. */
export function watchThreads(): ThreadWatch {
  const workers: Worker[] = [];
  process.on('worker', (worker) => workers.push(worker));
  return {
    started: () => workers.length,
    // A thread that has ended has lost its number.
    running: () => workers.filter(({ threadId }) => threadId !== -1).length,
  };
}
