/**
 * @module
 * This folder states what a threat model costs the honest nodes: to join, to remain, and for each defence. It
 * stands beside the cost of the attack. Attempts follow from the policy. Messages and ticks are measured in
 * elections among honest nodes with fixed seeds, so that the answer does not depend on `--seed`.
 */

import { z } from 'zod';

import { twoPuzzleAttempts } from '../../mining/two-puzzles.ts';
import type { SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, measuredRate, runKindOf } from '../document/threat-model.ts';
import {
  defenceCostSchema,
  defenceCosts,
  electionCost,
  electionCostSchema,
} from './election-cost.ts';

const quantilesSchema = z.object({ expected: z.number(), p50: z.number(), p95: z.number() });

/** What an honest node pays to join. */
export const joinCostSchema = z.object({
  attempts: quantilesSchema.describe('Candidates of one node for both puzzles.'),
  seconds: quantilesSchema.nullable().describe('CPU seconds; null if no rate is known.'),
  rate: z
    .object({ candidatesPerSecond: z.number(), source: z.enum(['measured', 'stated']) })
    .nullable(),
  repeats: z.enum(['once', 'every epoch']),
});

export type JoinCost = z.output<typeof joinCostSchema>;

/** What honest nodes pay to join and to remain. */
export const honestCostSchema = z
  .object({
    join: joinCostSchema,
    elections: z
      .array(electionCostSchema)
      .readonly()
      .describe('What a failure of the leader and a cold start cost, with each protocol.'),
    defences: z
      .array(defenceCostSchema)
      .readonly()
      .describe('What each defence adds to a failure of the leader.'),
  })
  .meta({ id: 'HonestCost', description: 'What honest nodes pay to join and to remain.' });

export type HonestCost = z.output<typeof honestCostSchema>;

/** The cost for honest nodes. `rateMeasured` is null if no rate is known. */
export function honestCost(model: ThreatModel, rateMeasured: SearchRates): HonestCost {
  const { protocols } = model.network.election;
  const isMeasured = holdsElections(model);
  return {
    join: joinCost(model, rateMeasured),
    elections: isMeasured ? protocols.map((protocol) => electionCost(model, protocol)) : [],
    defences: isMeasured ? defenceCosts(model) : [],
  };
}

/** Whether the cost of a model is measured in elections, which takes some tenths of a second. */
function holdsElections(model: ThreatModel): boolean {
  const kind = runKindOf(model);
  return kind === 'watched' || kind === 'ranking';
}

/** The cost of an identity for an honest node. */
export function joinCost(model: ThreatModel, rateMeasured: SearchRates): JoinCost {
  const attempts = twoPuzzleAttempts(model.network.identity);
  const rate = rateOf(model, rateMeasured);
  const seconds = (count: number) => count / (rate?.candidatesPerSecond ?? 1);
  const isRepeated = model.epochs?.salt === 'puzzle' || model.epochs?.salt === 'both';
  return {
    attempts,
    seconds:
      rate === null
        ? null
        : {
            expected: seconds(attempts.expected),
            p50: seconds(attempts.p50),
            p95: seconds(attempts.p95),
          },
    rate,
    repeats: isRepeated ? 'every epoch' : 'once',
  };
}

/** The rate of one thread of this machine, or else that of the slowest adversary: an honest node is assumed to be as fast. */
function rateOf(model: ThreatModel, rateMeasured: SearchRates): JoinCost['rate'] {
  for (const [, adversary] of adversariesOf(model)) {
    const own = adversary.rate === 'measured' ? measuredRate(model, adversary, rateMeasured) : null;
    if (own) return { candidatesPerSecond: own.perSecond, source: 'measured' };
  }
  const stated = adversariesOf(model).flatMap(([, { rate }]) =>
    typeof rate === 'number' ? [rate] : [],
  );
  if (stated.length === 0) return null;
  return { candidatesPerSecond: Math.min(...stated), source: 'stated' };
}
