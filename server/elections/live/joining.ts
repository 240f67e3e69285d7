/**
 * @module
 * The part of `POST /v1/elections` about identities: what a claim must show to join, whether the
 * honest nodes have earned their IDs as well, and how many may come while the election goes on. The
 * limits are this server's own.
 */

import { z } from '@hono/zod-openapi';

import type { Level } from '../../../src/election/authenticated.ts';
import { LabError } from '../../../src/errors.ts';
import { nodeIdBytesOf } from '../../../src/identity/ids/node-id.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { policySchema } from '../../../src/identity/policy.ts';
import { puzzleHashes } from '../../../src/identity/puzzles/puzzle-function.ts';
import { isKernelPolicy, policyCost } from '../../../src/mining/policy-cost.ts';
import { assertFewSigners, assertPlaces, isSigned } from './joining-limits.ts';
import type { ElectionPlan } from './plan.ts';

/** Who may join while an election goes on: as many places are kept between any two nodes. */
export const NEWCOMERS_MAX = 8;

/** Keys tried, or evaluations of the puzzles' primitive, that mining honest IDs may be expected to take. */
export const EARNED_WORK_MAX = 2 ** 20;
/** The same where the fast kernel does not know the policy. */
export const EARNED_WORK_SLOW_MAX = 2 ** 15;

/** Of the IDs that show the work so many may be mined: then few are found twice. */
const TAKEN_SHARE_MAX = 1 / 8;

/** Evaluations of a puzzle's primitive to verify one claim: about 10 ms. */
const PUZZLE_HASHES_MAX = 2 ** 13;

export const joinPolicySchema = policySchema
  .refine(({ puzzle }) => puzzleHashes(puzzle) <= PUZZLE_HASHES_MAX, {
    path: ['puzzle'],
    message: `costs more than ${PUZZLE_HASHES_MAX} evaluations, too many for every claim that wants to join`,
  })
  .meta({
    description:
      'What a claim must show to join, as POST /v1/identities/verify takes it; left out, what GET /v1/params names. With one, nodes at L2 and L3 sign with real keys.',
    example: { c1: 8 },
  });

export const honestSchema = z.enum(['drawn', 'earned'], 'must be drawn or earned').meta({
  description:
    'drawn: the IDs of the honest nodes are made from the seed and show no work. earned: they are mined under the policy. Earned where a policy is named, else drawn.',
});

const NEWCOMERS_DEMAND = `must be an integer from 0 to ${NEWCOMERS_MAX}`;

export const newcomersSchema = z
  .int(NEWCOMERS_DEMAND)
  .min(0, NEWCOMERS_DEMAND)
  .max(NEWCOMERS_MAX, NEWCOMERS_DEMAND)
  .default(0)
  .meta({
    description:
      'How many may join after something was done. So many places are kept between any two nodes and at both ends: of N nodes the one that this request calls r has rank r · (newcomers + 1), and there are ranks that nobody holds.',
  });

/** The members of a request that are about joining. */
interface JoiningBody {
  readonly policy?: Policy | undefined;
  readonly honest?: 'drawn' | 'earned' | undefined;
  readonly newcomers: number;
}

type Joining = Pick<ElectionPlan, 'policy' | 'honest' | 'newcomers' | 'keys'>;

/** What a request says of joining. Throws LabError `job.size`. */
export function joiningOf(
  body: JoiningBody,
  ground: { readonly nodes: number; readonly level: Level | undefined; readonly policy: Policy },
): Joining {
  const { newcomers } = body;
  const policy = body.policy ?? ground.policy;
  const honest = body.honest ?? (body.policy === undefined ? 'drawn' : 'earned');
  const hasRealKeys = body.policy !== undefined || newcomers > 0;
  assertPlaces(ground.nodes, newcomers);
  if (hasRealKeys && isSigned(ground.level)) assertFewSigners(ground.nodes + newcomers);
  if (honest === 'earned') assertEarnable(policy, ground.nodes);
  return {
    policy,
    ...(honest === 'earned' && { honest }),
    ...(newcomers > 0 && { newcomers }),
    ...(hasRealKeys && { keys: 'real' as const }),
  };
}

/** Refuses what would take too long to mine. */
function assertEarnable(policy: Policy, nodes: number): void {
  const { honest, real } = policyCost(policy, { ids: nodes });
  const { attempts, hashes } = honest;
  const ids = 2 ** (8 * nodeIdBytesOf(policy) - real.c1);
  if (nodes > TAKEN_SHARE_MAX * ids) {
    const detail = `${nodes} honest nodes are too many for about ${ids} IDs that show such work; ask for fewer nodes or bits, or for longer IDs`;
    throw new LabError('job.size', `/policy: ${detail}`, [{ pointer: '/policy', detail }]);
  }
  const work = Math.max(attempts, hashes);
  const most = isKernelPolicy(policy) ? EARNED_WORK_MAX : EARNED_WORK_SLOW_MAX;
  if (work <= most) return;
  const detail = `IDs of ${nodes} honest nodes take about 2^${Math.ceil(Math.log2(work))} evaluations; at most 2^${Math.log2(most)} are mined here: ask for fewer nodes or bits, or set honest to drawn`;
  throw new LabError('job.size', `/policy: ${detail}`, [{ pointer: '/policy', detail }]);
}
