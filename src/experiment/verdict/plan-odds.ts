/**
 * @module
 * What an adversary over epochs reaches with each plan for its keys: by the closed form if there is one, else in
 * runs with a seed of their own, whose number depends on the model alone.
 */

import { z } from 'zod';
import { LabError } from '../../errors.ts';
import { deriveSeed, parseSeed } from '../../random.ts';
import type { SearchRates, ThreatModel } from '../document/threat-model.ts';
import { planNeedOf } from '../document/threat-model.ts';
import { epochsRunner } from '../runs/epochs-run.ts';
import { EMPTY_TALLY } from '../runs/tally.ts';
import { KEY_PLAN_NAMES } from '../theory/epoch-conduct.ts';
import { exactInterval } from '../theory/statistics.ts';
import { theoryOf } from './theory.ts';

export const planOddsSchema = z.object({
  plan: z.enum(KEY_PLAN_NAMES),
  probability: z.number().describe('Probability by the closed form, or frequency in the runs.'),
  runs: z.int().nullable().describe('Null if the closed form is known.'),
  interval: z.tuple([z.number(), z.number()]).readonly().nullable(),
});

export type PlanOdds = z.output<typeof planOddsSchema>;

/** Each plan of an adversary, in the order of their list. Plans that a run refuses are left out. */
export function planOdds(
  model: ThreatModel,
  adversary: string,
  rateMeasured: SearchRates,
): readonly PlanOdds[] {
  return KEY_PLAN_NAMES.flatMap((plan): readonly PlanOdds[] => {
    const own = model.adversaries[adversary];
    if (own === undefined || planNeedOf(model, plan) !== null) return [];
    const other = {
      ...model,
      adversaries: { ...model.adversaries, [adversary]: { ...own, plan } },
    };
    const { probability } = theoryOf(other, EMPTY_TALLY, rateMeasured);
    if (probability !== null) return [{ plan, probability, runs: null, interval: null }];
    try {
      return [{ plan, ...frequencyOf(other, rateMeasured) }];
    } catch (error) {
      if (error instanceof LabError) return [];
      throw error;
    }
  });
}

/** Runs of a plan: fewer if they rank many identities, so that three plans take a few seconds. */
const RUNS = { least: 20, most: 500 } as const;
const RANKED_MAX = 200_000;
const RANKED_AT_LEAST_MAX = 4_000_000;

function frequencyOf(model: ThreatModel, rateMeasured: SearchRates) {
  const runner = epochsRunner(model, rateMeasured);
  const seed = deriveSeed(parseSeed('0'), 'usurp/plans/v1');
  let [runs, wins, ranked] = [0, 0, 0];
  const isEnough = () => ranked >= (runs < RUNS.least ? RANKED_AT_LEAST_MAX : RANKED_MAX);
  while (runs < RUNS.most && !isEnough()) {
    const { outcomes, observations } = runner({ seed, run: runs });
    if (outcomes[0]?.won === true) wins += 1;
    ranked += (observations.nodes ?? 0) * (model.epochs?.count ?? 1);
    runs += 1;
  }
  const interval = exactInterval({ wins, runs, confidence: 0.95 });
  return { probability: wins / runs, runs, interval };
}
