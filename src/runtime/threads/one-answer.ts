/**
 * @module
 * One computation on a thread of its own, because the caller may be the thread that answers requests. The
 * script serves ranges (range-pool.ts) and is asked for one.
 */

import { untilAborted, withPool } from './range-pool.ts';

/** The answer of a thread that starts with `workerData`. Null if it was interrupted. */
export async function answerOfThread<Answer>(
  script: URL,
  workerData: object,
  signal?: AbortSignal,
): Promise<Answer | null> {
  let found: Answer | null = null;
  await withPool(script, { threads: 1, workerData }, (pool) =>
    untilAborted(signal, async () => {
      await pool.pull<Answer>(
        {
          end: () => 1,
          order: (range) => range,
          accept(answer) {
            found = answer;
          },
        },
        0,
      );
    }),
  );
  return found;
}
