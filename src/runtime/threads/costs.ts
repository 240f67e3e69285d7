/**
 * @module
 * The cost of honest nodes, measured on a thread of its own: it simulates elections for some tenths of a
 * second, and the caller may be the thread that answers requests.
 */

import type { HonestCost } from '../../experiment/cost/honest-cost.ts';
import { holdsElections, honestCost } from '../../experiment/cost/honest-cost.ts';
import type { ElectionCosts, ElectionsAsked } from '../../experiment/design/cost.ts';
import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import type { CostSpec } from './cost-worker.ts';
import { answerOfThread } from './one-answer.ts';

const COST_WORKER = new URL('./cost-worker.ts', import.meta.url);

/** The cost of a model for its honest nodes. `rateMeasured` as in `honestCost`. */
export async function honestCostInThread(
  model: ThreatModel,
  rateMeasured: number | null,
): Promise<HonestCost> {
  if (!holdsElections(model)) return honestCost(model, rateMeasured);
  return inThread<HonestCost>({ of: 'model', model, rateMeasured });
}

/** The costs of the elections of a design. */
export async function electionCostsInThread(asked: ElectionsAsked): Promise<ElectionCosts> {
  return inThread<ElectionCosts>({ of: 'design', asked });
}

async function inThread<Cost>(spec: CostSpec): Promise<Cost> {
  const found = await answerOfThread<Cost>(COST_WORKER, spec);
  if (found === null) throw new TypeError('"found" expected an answer, as nothing interrupts it');
  return found;
}
