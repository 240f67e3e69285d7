/**
 * @module
 * The responses of adversaries. If they are searched, this happens on threads of their own, because the caller
 * may be the thread that answers requests. The seeds of a search follow from its model alone, so that the
 * number of threads changes no response.
 */

import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import type { Settled } from '../../experiment/response/settle.ts';
import { rememberSettled, settledWithoutSearch } from '../../experiment/runs/settled.ts';
import { answerOfThread } from './one-answer.ts';
import { untilAborted, withPool } from './range-pool.ts';
import type { SettlingOrder } from './settling-worker.ts';

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
  const known = settledWithoutSearch(model, rateMeasured);
  if (known !== null) return known;
  const order: SettlingOrder = { model, rateMeasured };
  const found = await answerOfThread<Settled>(SETTLING_WORKER, order, signal);
  if (found !== null) rememberSettled(model, rateMeasured, found);
  return found;
}

export interface SettlingOptions {
  readonly threads: number;
  readonly rateMeasured: number | null;
  readonly signal: AbortSignal;
  /** Takes what was found for the model with this number. */
  readonly onSettled: (number: number, found: Settled) => void;
}

/** Searches the responses of several models. It stops at an abort. */
export async function settleInThreads(
  models: readonly ThreatModel[],
  { threads, rateMeasured, signal, onSettled }: SettlingOptions,
): Promise<void> {
  if (models.length === 0) return;
  const count = Math.min(threads, models.length);
  await withPool(SETTLING_WORKER, { threads: count, workerData: {} }, (pool) =>
    untilAborted(signal, () =>
      pool.pull<Settled>({
        end: () => models.length,
        order({ from }): SettlingOrder {
          const model = models[from];
          if (model === undefined) throw new RangeError(`"from" expected a model, got ${from}`);
          return { model, rateMeasured };
        },
        accept: (found, { from }) => onSettled(from, found),
      }),
    ),
  );
}
