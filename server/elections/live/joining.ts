/**
 * @module
 * The part of `POST /v1/elections` about identities: the policy for joining, whether the honest nodes have
 * earned their IDs, and how many nodes may join while the election runs. The limits are this server's.
 */

import { z } from '@hono/zod-openapi';
import type { Level } from '../../../src/election/authentication/authenticated.ts';
import { nodeIdBytesOf } from '../../../src/identity/ids/node-id.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { isKernelPolicy, policyCost } from '../../../src/mining/policy-cost.ts';
import { requestedPolicySchema } from '../../claims/requested-policy.ts';
import { faultAt } from '../../contract/faults.ts';
import { countSchema } from '../../contract/members.ts';
import type { ElectionPlan } from './plan.ts';
import { assertFewSigners, assertRankCount, isSigned } from './plan.ts';

/** Nodes that may join a running election. As many ranks are kept between any two nodes. */
export const NEWCOMERS_MAX = 8;

/** Expected attempts, or evaluations of the puzzles' primitive, for mining the honest IDs. */
export const EARNED_WORK_MAX = 2 ** 20;
/** The same for a policy that the fast kernel does not support. */
export const EARNED_WORK_SLOW_MAX = 2 ** 15;

/** Largest part of the IDs with enough work that may be mined, so that few are found twice. */
const TAKEN_SHARE_MAX = 1 / 8;

export const joinPolicySchema = requestedPolicySchema.meta({
  description:
    'The policy that a claim must meet to join, or the name of one of GET /v1/policies. GET /v1/params has the default. If given, nodes at L2 and L3 sign with real keys.',
  example: { c1: 8 },
});

export const honestSchema = z
  .enum(['drawn', 'earned'], 'must be drawn or earned')
  .describe(
    'drawn: the IDs of the honest nodes come from the seed and show no work. earned: they are mined under the policy. The default is earned if a policy is given, else drawn.',
  );

export const newcomersSchema = countSchema(0, NEWCOMERS_MAX)
  .default(0)
  .describe(
    'Number of nodes that may join after the first action. As many ranks are kept between any two nodes and at both ends: the node that this request calls r has rank r · (newcomers + 1), and some ranks have no node.',
  );

export const freshClaimsSchema = z
  .boolean()
  .default(false)
  .describe(
    'Whether a claim must sign a nonce of POST /v1/challenges to join. Otherwise everyone who has seen a claim of this epoch and context can join with it.',
  );

/** The members of a request about joining. */
interface JoiningBody extends Pick<ElectionPlan, 'policy' | 'honest'> {
  readonly newcomers: number;
  readonly freshClaims: boolean;
}

type Joining = Pick<ElectionPlan, 'policy' | 'honest' | 'newcomers' | 'freshClaims' | 'keys'>;

/** The part of a plan about joining. Throws LabError `job.size`. */
export function joiningOf(
  body: JoiningBody,
  base: { readonly nodes: number; readonly level: Level | undefined; readonly policy: Policy },
): Joining {
  const { newcomers } = body;
  const policy = body.policy ?? base.policy;
  const honest = body.honest ?? (body.policy === undefined ? 'drawn' : 'earned');
  const hasRealKeys = body.policy !== undefined || newcomers > 0;
  assertRankCount(base.nodes, newcomers);
  if (hasRealKeys && isSigned(base.level)) assertFewSigners(base.nodes + newcomers);
  if (honest === 'earned') assertEarnable(policy, base.nodes);
  return {
    policy,
    ...(honest === 'earned' && { honest }),
    ...(newcomers > 0 && { newcomers }),
    ...(body.freshClaims && { freshClaims: true as const }),
    ...(hasRealKeys && { keys: 'real' as const }),
  };
}

/** Refuses IDs that would take too long to mine. */
function assertEarnable(policy: Policy, nodes: number): void {
  const { honest, real } = policyCost(policy, { ids: nodes });
  const { attempts, hashes } = honest;
  const ids = 2 ** (8 * nodeIdBytesOf(policy) - real.c1);
  if (nodes > TAKEN_SHARE_MAX * ids) {
    const detail = `${nodes} honest nodes are too many for about ${ids} IDs that show such work; use fewer nodes or bits, or longer IDs`;
    throw faultAt('job.size', '/policy', detail);
  }
  const work = Math.max(attempts, hashes);
  const most = isKernelPolicy(policy) ? EARNED_WORK_MAX : EARNED_WORK_SLOW_MAX;
  if (work <= most) return;
  const detail = `IDs of ${nodes} honest nodes take about 2^${Math.ceil(Math.log2(work))} evaluations; at most 2^${Math.log2(most)} are mined here: use fewer nodes or bits, or set honest to drawn`;
  throw faultAt('job.size', '/policy', detail);
}
