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
