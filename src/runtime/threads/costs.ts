/**
 * @module
 * The costs of the elections of a design, measured on a thread of their own: elections are simulated for some tenths of a
 * second, and the caller may be the thread that answers requests.
 */

import type { ElectionCosts, ElectionsAsked } from '../../experiment/design/cost.ts';
import { answerOfThread } from './one-answer.ts';

const COST_WORKER = new URL('./cost-worker.ts', import.meta.url);

/** The costs of the elections of a design. */
export async function electionCostsInThread(asked: ElectionsAsked): Promise<ElectionCosts> {
  const found = await answerOfThread<ElectionCosts>(COST_WORKER, asked);
  if (found === null) throw new TypeError('"found" expected an answer, as nothing interrupts it');
  return found;
}
