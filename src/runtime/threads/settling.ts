/**
 * @module
 * The responses of adversaries, searched on a thread of their own, because the caller may be the thread that
 * answers requests.
 */

import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import type { Settled } from '../../experiment/response/settle.ts';
import { settled } from '../../experiment/runs/run.ts';
import { needsSearch, rememberSettled } from '../../experiment/runs/settled.ts';
import { untilAborted, withPool } from './range-pool.ts';
import type { SettlingSpec } from './settling-worker.ts';

const SETTLING_WORKER = new URL('./settling-worker.ts', import.meta.url);

/**
 * The model with complete responses. The choice is remembered for reports of this model. Null if it was
 * interrupted.
 */
export async function settledInThread(
  model: ThreatModel,
  rateMeasured: number | null,
  signal?: AbortSignal,
): Promise<Settled | null> {
  if (!needsSearch(model, rateMeasured)) return settled(model, rateMeasured);
  const workerData: SettlingSpec = { model, rateMeasured };
  let found: Settled | null = null;
  await withPool(SETTLING_WORKER, { threads: 1, workerData }, (pool) =>
    untilAborted(signal, async () => {
      await pool.pull<Settled>(
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
  if (found !== null) rememberSettled(model, rateMeasured, found);
  return found;
}
