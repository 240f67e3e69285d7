/**
 * @module
 * One computation on a thread of its own, because the caller may be the thread that answers requests.
 */

import { untilAborted, withPool } from './range-pool.ts';

/** The answer of a thread to one order. Null if it was interrupted. */
export async function answerOfThread<Answer>(
  script: URL,
  order: object,
  signal?: AbortSignal,
): Promise<Answer | null> {
  let found: Answer | null = null;
  await withPool(script, { threads: 1, workerData: {} }, (pool) =>
    untilAborted(signal, async () => {
      await pool.pull<Answer>(
        {
          end: () => 1,
          order: () => order,
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
