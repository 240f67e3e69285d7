/**
 * @module
 * What the picture of a race shows: the honest IDs, those of the forger, and which one is the highest.
 */

import { hexToBytes } from '../../../src/bytes.ts';
import { staticBits } from '../../../src/identity/ids/node-id.ts';
import { rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import type { RaceState } from './contest.ts';
import { oddsAgainst, positionOf, raceOdds, workBits } from './odds.ts';
import { budgetOf } from './plan.ts';

export interface Scene {
  readonly isOver: boolean;
  /** Bits of the static puzzle that the policy requires. */
  readonly c1: number;
  /** The lowest rank first. */
  readonly honest: readonly Spot[];
  /** Whether the honest nodes have worked for their IDs. */
  readonly areEarned: boolean;
  /** The valid IDs that the forger has found so far. */
  readonly forged: readonly Spot[];
  /** Valid IDs that the forger has found. */
  readonly keys: number;
  readonly attempts: number;
  readonly budget: number;
  /** The forger's best ID is above all honest ones. */
  readonly isAhead: boolean;
  /** Attempts up to the forger's best ID, if that is known. */
  readonly foundAfter: number | null;
  readonly beforehand: number;
  readonly expectedKeys: number;
  readonly against: ReturnType<typeof oddsAgainst>;
}

/** The scene of a race; null until its honest nodes are known. */
export function sceneOf({ rules, honest, search, result }: RaceState): Scene | null {
  if (rules === null || honest === null) return null;
  const { plan, policy } = rules;
  const spots = spotsOf(honest.nodeIds, policy);
  const forged = spotsOf(search?.forged ?? [], policy);
  const bits = workBits(policy.c1, policy);
  const budget = budgetOf(plan);
  const top = spots.at(-1)?.position ?? 0;
  const { keys: expectedKeys, beforehand } = raceOdds({
    nodes: Math.max(1, spots.length),
    bits,
    attempts: budget,
  });
  return {
    isOver: result !== null,
    c1: policy.checks.static ? policy.c1 : 0,
    honest: spots,
    areEarned: honest.areEarned,
    forged,
    keys: forged.length,
    attempts: search?.ledger.attempts ?? 0,
    budget,
    isAhead: (forged.at(-1)?.position ?? -1) > top,
    foundAfter: search?.bestAfter ?? null,
    beforehand,
    expectedKeys,
    against: oddsAgainst(top, bits),
  };
}

/** An ID in the picture. */
export interface Spot {
  readonly nodeId: string;
  /** From 0 to 1, by rank. */
  readonly position: number;
  /** Zero bits of its static puzzle. Null for a slow function, which the browser does not evaluate. */
  readonly bits: number | null;
}

/** The spot of a node ID under a policy. */
function spotOf(nodeId: string, policy: Policy): Spot {
  return {
    nodeId,
    position: positionOf(nodeId, rankRuleOf(policy)),
    bits: policy.puzzle.function === 'hash' ? staticBits(hexToBytes(nodeId), policy) : null,
  };
}

/** The spots of node IDs, the lowest rank first. */
function spotsOf(nodeIds: readonly string[], policy: Policy): readonly Spot[] {
  return nodeIds
    .map((nodeId) => spotOf(nodeId, policy))
    .toSorted((one, other) => one.position - other.position);
}

/** The beginning of an ID, for labels. */
export function shortId(nodeId: string): string {
  return `${nodeId.slice(0, 6)}…`;
}
