/**
 * @module
 * Loaded into a server before its own program. Reports to the parent process the size of the heap after all
 * garbage was collected, and what keeps the process alive. It is no part of the product.
 */

import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** What a process holds. */
export interface Testimony {
  /** Bytes, after everything that can be collected was. */
  readonly heapUsed: number;
  /** Bytes outside of the heap that it keeps alive. */
  readonly external: number;
  /** Bytes of the whole process. */
  readonly rss: number;
  /** What is open and awaited, by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

// Worker threads load it too, but the parent asks only the main thread.
if (isMainThread && process.send !== undefined) {
  // Threads of the server refuse the flag --expose-gc of its command line.
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  process.on('message', () => {
    // The second round collects what the first one has finalized.
    for (let round = 0; round < 2; round += 1) collect();
    process.send?.(testimony());
  });
  // If the load test is killed, the server ends.
  process.on('disconnect', () => process.exit());
  // Waiting for a question must not keep the process alive.
  process.channel?.unref();
}

function testimony(): Testimony {
  const { heapUsed, external, rss } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return { heapUsed, external, rss, resources };
}
