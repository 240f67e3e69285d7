/**
 * @module
 * The body of `POST /v1/forgeries`, and how it becomes a search. Its members are the flags of `usurp mine`
 * with the same meaning. Every search has a time limit, because other jobs wait for it.
 */

import { randomBytes } from 'node:crypto';

import { z } from '@hono/zod-openapi';

import { parseWish, resolveGoal, WISH_FORMS } from '../../../src/adversary/goals.ts';
import { bytesToHex, hexToBytes } from '../../../src/bytes.ts';
import { jsonPointer } from '../../../src/errors.ts';
import { nodeIdBytesOf } from '../../../src/identity/ids/node-id.ts';
import { rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { policyUnsupportedReasons } from '../../../src/identity/policy.ts';
import type { Goal } from '../../../src/mining/goal.ts';
import {
  formatGoal,
  goalIdBytes,
  identitiesWanted,
  isClosestGoal,
} from '../../../src/mining/goal.ts';
import type { Budget } from '../../../src/mining/ledger.ts';
import { winProbability } from '../../../src/mining/odds.ts';
import type { MiningTask } from '../../../src/mining/phases.ts';
import { requiredBits } from '../../../src/mining/policy-cost.ts';
import { assertDynamicStrategy } from '../../../src/mining/solution.ts';
import { STRONGEST_STRATEGY, strongestDynamicStrategy } from '../../../src/mining/strategies.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../../src/mining/strategy.ts';
import { QUANTITY_EXAMPLES, quantity } from '../../../src/quantities.ts';
import type { Seed } from '../../../src/random.ts';
import { parseSeed } from '../../../src/random.ts';
import { requestedPolicySchema } from '../../claims/requested-policy.ts';
import { faultAt } from '../../contract/faults.ts';
import { countSchema, seedSchema } from '../../contract/members.ts';
import type { Work } from '../../exercises/submission-store.ts';

/** Longest search in wall seconds, and the default of a request without a budget. */
export const FORGERY_SECONDS_MAX = 3000;
const FORGERY_SECONDS_DEFAULT = 60;
/** CPU seconds of all threads together. */
const FORGERY_CPU_SECONDS_MAX = 100_000;
/** Identities of one search. Each is created and checked by the slow, audited implementation. */
export const FORGERY_IDENTITIES_MAX = 256;
/** Keys in stock. Every thread has a copy of them. */
export const FORGERY_STOCK_MAX = 2 ** 18;
/** Node IDs that a goal is compared with. */
export const FORGERY_AGAINST_MAX = 512;

/** A search that was checked completely. */
export interface ForgeryRequest {
  /** Without a seed that was drawn, which is a secret. */
  readonly body: ForgeryBody;
  readonly task: MiningTask;
  /** Whose budget of an exercise it is charged to, and its number there; absent without one. */
  readonly metered?: { readonly work: Work; readonly number: number };
}

const bitsSchema = countSchema(0, 256);
const secondsSchema = (max: number) =>
  quantity(
    'time',
    { min: 0.001, max },
    `must be a time from 0.001 to ${max} seconds such as ${QUANTITY_EXAMPLES.time}`,
  );

const budgetSchema = z
  .strictObject({
    attempts: countSchema(1).optional().describe('Candidates (keys) tested.'),
    hashes: countSchema(1).optional().describe('Hash evaluations.'),
    cpuSeconds: secondsSchema(FORGERY_CPU_SECONDS_MAX).optional(),
    wallSeconds: secondsSchema(FORGERY_SECONDS_MAX)
      .optional()
      .describe(
        `${FORGERY_SECONDS_DEFAULT} by default if there is no other bound, else ${FORGERY_SECONDS_MAX}.`,
      ),
  })
  .meta({ id: 'Budget', example: { attempts: 100_000 } });

export const forgeryRequestSchema = z
  .strictObject({
    goal: z
      .string(`must be ${WISH_FORMS}`)
      .max(200)
      .default('any')
      .meta({ description: `${WISH_FORMS}; IDs in lower-case hex.`, example: 'top' }),
    against: z
      .array(z.string().regex(/^(?:[0-9a-f]{2}){2,32}$/, 'must be a node ID in lower-case hex'))
      .min(1, 'must name a node ID')
      .max(FORGERY_AGAINST_MAX, `must be at most ${FORGERY_AGAINST_MAX} node IDs`)
      .optional()
      .describe('The node IDs to exceed with the goal top, or to beat with the goal near.'),
    policy: requestedPolicySchema
      .optional()
      .describe(
        'The policy that the identity must meet, or the name of one of GET /v1/policies. GET /v1/params has the default.',
      ),
    c1: bitsSchema.optional().describe('In place of a policy: only its static bits.'),
    c2: bitsSchema.optional().describe('In place of a policy: only its dynamic bits.'),
    scheme: z.enum(SCHEME_NAMES).default('ed25519'),
    strategy: z.enum(STRATEGY_NAMES).default(STRONGEST_STRATEGY).describe('How keys are found.'),
    dynamicStrategy: z
      .enum(DYNAMIC_STRATEGY_NAMES)
      .optional()
      .describe('How the dynamic puzzle is solved. The strongest strategy by default.'),
    stockpile: countSchema(1, FORGERY_STOCK_MAX)
      .optional()
      .describe('Keys made before the budget starts, with the strategy stockpile.'),
    budget: budgetSchema.default({}),
    seed: seedSchema
      .optional()
      .describe(
        'Makes the search repeatable. The seed reveals the keys. A secret one of 256 bits is drawn by default.',
      ),
  })
  .meta({ id: 'ForgeryRequest' });

type ForgeryBody = z.output<typeof forgeryRequestSchema>;

/** Throws LabError `schema`, `arguments` or `job.size` for a search that cannot succeed. */
export function parseForgeryRequest(body: ForgeryBody, serverPolicy: Policy): ForgeryRequest {
  const { scheme, strategy } = body;
  const policy = policyOf(body, serverPolicy);
  const goal = goalOf(body, policy);
  const isStocked = strategy === 'stockpile';
  if (body.stockpile !== undefined && !isStocked) {
    throw faultAt('arguments', '/stockpile', 'requires the strategy stockpile');
  }
  const task: MiningTask = {
    ...{ scheme, policy, goal, strategy },
    dynamicStrategy: body.dynamicStrategy ?? strongestDynamicStrategy(policy),
    stockpile: isStocked ? (body.stockpile ?? FORGERY_STOCK_MAX) : undefined,
    seed: body.seed === undefined ? secretSeed() : parseSeed(body.seed),
    budget: budgetOf(body.budget),
  };
  assertPossible(task);
  const { c1: _c1, c2: _c2, ...rest } = body;
  const { dynamicStrategy, budget } = task;
  return { body: { ...rest, policy, dynamicStrategy, budget }, task };
}

function policyOf(body: ForgeryBody, serverPolicy: Policy): Policy {
  const { policy: given, c1, c2, scheme } = body;
  if (given !== undefined && (c1 !== undefined || c2 !== undefined)) {
    const pointer = c1 === undefined ? '/c2' : '/c1';
    throw faultAt('schema', pointer, 'must be in the policy if there is one');
  }
  const base = given ?? serverPolicy;
  const policy = { ...base, c1: c1 ?? base.c1, c2: c2 ?? base.c2 };
  const [unsupportedReason] = policyUnsupportedReasons(policy, scheme);
  if (unsupportedReason === undefined) return policy;
  const isOutside = given === undefined || unsupportedReason.path[0] === 'scheme';
  const path = isOutside ? unsupportedReason.path : ['policy', ...unsupportedReason.path];
  throw faultAt('schema', jsonPointer(path), unsupportedReason.message);
}

function goalOf({ goal: text, against }: ForgeryBody, policy: Policy): Goal {
  const wish = parseWish(text);
  if (wish === null)
    throw faultAt('schema', '/goal', `must be ${WISH_FORMS}, IDs in lower-case hex`);
  const idBytes = nodeIdBytesOf(policy);
  const ids = against?.map(hexToBytes) ?? null;
  const wrong = ids?.findIndex((id) => id.length !== idBytes) ?? -1;
  if (wrong >= 0) {
    throw faultAt('schema', `/against/${wrong}`, `must be a node ID of ${idBytes} bytes`);
  }
  const isAbout = wish.type === 'top' || wish.type === 'near';
  if (ids !== null && !isAbout) {
    throw faultAt('schema', '/against', `requires the goal top or near, not ${wish.type}`);
  }
  if (ids === null && wish.type === 'top') {
    throw faultAt('schema', '/against', 'must name the node IDs that top must exceed');
  }
  // Before the distances, which IDs of different lengths do not have.
  const named = wish.type === 'top' ? null : goalIdBytes(wish);
  if (named !== null && named !== idBytes) {
    throw faultAt(
      'schema',
      '/goal',
      `is about IDs of ${named} bytes, this policy's have ${idBytes}`,
    );
  }
  if (ids !== null) return resolveGoal(wish, ids, rankRuleOf(policy));
  return wish.type === 'top' ? { type: 'any' } : wish;
}

function budgetOf({ attempts, hashes, cpuSeconds, wallSeconds }: ForgeryBody['budget']): Budget {
  const isBounded = [attempts, hashes, cpuSeconds].some((bound) => bound !== undefined);
  const otherwise = isBounded ? FORGERY_SECONDS_MAX : FORGERY_SECONDS_DEFAULT;
  return { attempts, hashes, cpuSeconds, wallSeconds: wallSeconds ?? otherwise };
}

function assertPossible(task: MiningTask): void {
  const { policy, goal, budget } = task;
  assertDynamicStrategy(task.dynamicStrategy, policy);
  if (identitiesWanted(goal) > FORGERY_IDENTITIES_MAX) {
    const most = `at most ${FORGERY_IDENTITIES_MAX} identities in one search`;
    throw faultAt('job.size', '/goal', most);
  }
  if (winProbability(policy, goal) === 0) {
    throw faultAt('arguments', '/goal', `no node ID can meet ${formatGoal(goal)}`);
  }
  if (isClosestGoal(goal) && requiredBits(policy).c2 > 0 && budget.attempts === undefined) {
    throw faultAt(
      'arguments',
      '/budget/attempts',
      'is required for near with a dynamic puzzle: the puzzle is solved for the best of these keys',
    );
  }
}

/** A seed as long as a key, because it reveals the identity. */
function secretSeed(): Seed {
  return parseSeed(BigInt(`0x${bytesToHex(randomBytes(32))}`).toString());
}
