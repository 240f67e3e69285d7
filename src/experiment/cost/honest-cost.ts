/**
 * @module
 * This folder states what a threat model costs the honest nodes: to join, to remain, and for each defence. It
 * stands beside the cost of the attack. Attempts follow from the policy. Messages and ticks are measured in
 * elections among honest nodes with fixed seeds, so that the answer does not depend on `--seed`.
 */

import type { AttemptQuantiles } from '../../mining/two-puzzles.ts';
import { twoPuzzleAttempts } from '../../mining/two-puzzles.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, runKindOf } from '../document/threat-model.ts';
import type { DefenceCost, ElectionCost } from './election-cost.ts';
import { defenceCosts, electionCost } from './election-cost.ts';

export interface JoinCost {
  /** Candidates that one honest node tests for an identity, both puzzles together. */
  readonly attempts: AttemptQuantiles;
  /** The same in CPU seconds. Null if no rate is known. */
  readonly seconds: AttemptQuantiles | null;
  /** Candidates per second, and its source. Null if the document states none and none was measured. */
  readonly rate: { readonly candidatesPerSecond: number; readonly source: RateSource } | null;
  /** How often a node pays it: once, or in every epoch because solutions expire. */
  readonly repeats: 'once' | 'every epoch';
}

export type RateSource = 'measured' | 'stated';

export interface HonestCost {
  readonly join: JoinCost;
  /** One for each protocol. Empty if runs hold no election. */
  readonly elections: readonly ElectionCost[];
  /** One for each defence of the document and each protocol. */
  readonly defences: readonly DefenceCost[];
}

/** The cost for honest nodes. `rateMeasured` is in candidates per second; null if it is not known. */
export function honestCost(model: ThreatModel, rateMeasured: number | null): HonestCost {
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
export function joinCost(model: ThreatModel, rateMeasured: number | null): JoinCost {
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

/** The rate of this machine, or else that of the slowest adversary: an honest node is assumed to be as fast. */
function rateOf(model: ThreatModel, rateMeasured: number | null): JoinCost['rate'] {
  if (rateMeasured !== null) return { candidatesPerSecond: rateMeasured, source: 'measured' };
  const stated = adversariesOf(model).flatMap(([, { rate }]) =>
    typeof rate === 'number' ? [rate] : [],
  );
  if (stated.length === 0) return null;
  return { candidatesPerSecond: Math.min(...stated), source: 'stated' };
}
