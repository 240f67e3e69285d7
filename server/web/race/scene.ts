/**
 * @module
 * What the picture of a race shows: the honest IDs, those of the forger, and which one is the highest. It is a function of
 * what the API has answered.
 */

import { hexToBytes } from '../../../src/bytes.ts';
import { staticBits } from '../../../src/identity/ids/node-id.ts';
import { rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { oddsAgainst, positionOf, raceOdds, workBits } from './odds.ts';
import type { ForgeryJob, Race } from './use-race.ts';
import { answeredPolicy, claimsOf } from './use-race.ts';

export type Stage = 'searching' | 'electing' | 'over';

export interface Scene {
  readonly stage: Stage;
  /** Bits of the static puzzle that the policy requires. */
  readonly c1: number;
  /** The lowest rank first. */
  readonly honest: readonly Spot[];
  /** Whether the honest nodes have worked for their IDs. */
  readonly areEarned: boolean;
  /** The IDs of the forger that are known: the best one during the search, all after it. */
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
export function sceneOf({ contest, job, progress }: Race): Scene | null {
  if (contest === null) return null;
  const { election } = contest;
  const policy = answeredPolicy(election.policy);
  const claimed = new Set(claimsOf(job).map(({ nodeId }) => nodeId));
  const ids = contest.nodes.map(({ nodeId }) => nodeId).filter((id) => !claimed.has(id));
  const honest = spotsOf(ids, policy);
  const live = progress?.highest == null ? [] : [progress.highest.nodeId];
  const forged = spotsOf(claimed.size > 0 ? [...claimed] : live, policy);
  const bits = workBits(policy.c1, policy);
  const budget = Number(job?.request.budget?.attempts ?? 0);
  const top = honest.at(-1)?.position ?? 0;
  const { keys: expectedKeys, beforehand } = raceOdds({
    ...{ nodes: Math.max(1, honest.length), bits, attempts: budget },
  });
  return {
    stage: stageOf(job, election.status),
    ...{ c1: policy.checks.static ? policy.c1 : 0, honest, forged, budget },
    areEarned: election.honest === 'earned',
    keys: claimed.size > 0 ? claimed.size : (progress?.keys ?? 0),
    attempts: job?.result?.ledger.attempts ?? progress?.ledger.attempts ?? 0,
    isAhead: (forged.at(-1)?.position ?? -1) > top,
    foundAfter: progress?.highest == null ? null : progress.highest.attempt + 1,
    ...{ beforehand, expectedKeys, against: oddsAgainst(top, bits) },
  };
}

function stageOf(job: ForgeryJob | null, status: string): Stage {
  if (job === null || job.result === undefined) return 'searching';
  return status === 'created' ? 'electing' : 'over';
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
