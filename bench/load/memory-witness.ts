/**
 * @module
 * Loaded into a server before its own program: answers whoever started the process what is left of the
 * heap when all garbage is collected, and what keeps the process alive. Nothing of it is in the product.
 */

import process from 'node:process';
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

// Worker threads load it too, and have nobody who asks.
if (isMainThread && process.send !== undefined) {
  process.on('message', () => {
    // Twice: what the first round finalizes, the second can take.
    for (let round = 0; round < 2; round += 1) global.gc?.();
    process.send?.(testimony());
  });
  // A load that was killed leaves no server behind.
  process.on('disconnect', () => process.exit());
  // Nobody waits for a question.
  process.channel?.unref();
}

function testimony(): Testimony {
  const { heapUsed, external, rss } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return { heapUsed, external, rss, resources };
}
