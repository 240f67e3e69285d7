/**
 * @module
 * What may be asked for with `POST /v1/forgeries`, and how it becomes a search: the members are the flags
 * of `usurp mine` with the same meaning. Every search has an end, as others wait behind it.
 */

import { randomBytes } from 'node:crypto';

import { z } from '@hono/zod-openapi';
import { parseWish, resolveGoal, WISH_FORMS } from '../../../src/adversary/goals.ts';
import { bytesToHex, hexToBytes } from '../../../src/bytes.ts';
import { jsonPointer, LabError } from '../../../src/errors.ts';
import { nodeIdBytesOf } from '../../../src/identity/ids/node-id.ts';
import { rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { policySchema, policyUnsupportedReasons } from '../../../src/identity/policy.ts';
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
import type { Seed } from '../../../src/random.ts';
import { parseSeed } from '../../../src/random.ts';
import { seedSchema } from '../../contract/seed-schema.ts';

/** Wall seconds of one search, and those of one that names no budget. */
export const FORGERY_SECONDS_MAX = 3000;
const FORGERY_SECONDS_DEFAULT = 60;
/** Of all threads together. */
const FORGERY_CPU_SECONDS_MAX = 100_000;
/** Identities of one search: each is made and checked by slow and careful code. */
export const FORGERY_IDENTITIES_MAX = 256;
/** Keys in stock, each of which every thread has a copy of. */
export const FORGERY_STOCK_MAX = 2 ** 18;
/** Node IDs that a goal is held against. */
export const FORGERY_AGAINST_MAX = 512;

/** A search that was checked whole. */
export interface ForgeryRequest {
  readonly task: MiningTask;
  /** The seed that was asked for, which is no secret then; null where one was drawn. */
  readonly seed: Seed | null;
}

const countSchema = z
  .int('must be an integer')
  .min(1, 'must be at least 1')
  .max(Number.MAX_SAFE_INTEGER);
const bitsSchema = z.int('must be an integer number of bits').min(0).max(256);
const secondsSchema = (max: number) =>
  z.number('must be a number of seconds').min(0.001, 'must be at least 0.001').max(max);

const budgetSchema = z
  .strictObject({
    attempts: countSchema.optional().meta({ description: 'Candidates (keys) tested.' }),
    hashes: countSchema.optional().meta({ description: 'Hash evaluations.' }),
    cpuSeconds: secondsSchema(FORGERY_CPU_SECONDS_MAX).optional(),
    wallSeconds: secondsSchema(FORGERY_SECONDS_MAX)
      .optional()
      .meta({
        description: `Left out: ${FORGERY_SECONDS_DEFAULT} where there is no other bound, else ${FORGERY_SECONDS_MAX}.`,
      }),
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
      .meta({ description: 'The node IDs that top must pass and near must beat.' }),
    policy: policySchema
      .optional()
      .meta({ description: 'What to forge under; without it what GET /v1/params names.' }),
    c1: bitsSchema.optional().meta({ description: 'Instead of a policy: its static bits alone.' }),
    c2: bitsSchema.optional().meta({ description: 'Instead of a policy: its dynamic bits alone.' }),
    scheme: z.enum(SCHEME_NAMES).default('ed25519'),
    strategy: z
      .enum(STRATEGY_NAMES)
      .default(STRONGEST_STRATEGY)
      .meta({ description: 'How keys are found.' }),
    dynamicStrategy: z
      .enum(DYNAMIC_STRATEGY_NAMES)
      .optional()
      .meta({ description: 'How the dynamic puzzle is solved; left out, the strongest way.' }),
    stockpile: z
      .int('must be an integer')
      .min(1, 'must be at least 1')
      .max(FORGERY_STOCK_MAX, `must be at most ${FORGERY_STOCK_MAX}`)
      .optional()
      .meta({ description: 'Keys made before the budget counts, for the strategy stockpile.' }),
    budget: budgetSchema.default({}),
    seed: seedSchema.optional().meta({
      description:
        'Makes the search repeatable, and its keys known to whoever knows the seed. Left out, one of 256 bits is drawn.',
    }),
  })
  .meta({ id: 'ForgeryRequest' });

type ForgeryBody = z.output<typeof forgeryRequestSchema>;

/** Throws LabError `schema`, `arguments` or `job.size` for a search that could never end well. */
export function parseForgeryRequest(body: ForgeryBody, serverPolicy: Policy): ForgeryRequest {
  const { scheme, strategy } = body;
  const policy = policyOf(body, serverPolicy);
  const goal = goalOf(body, policy);
  const isStocked = strategy === 'stockpile';
  if (body.stockpile !== undefined && !isStocked) {
    throw fault('arguments', '/stockpile', 'goes with the strategy stockpile');
  }
  const seed = body.seed === undefined ? null : parseSeed(body.seed);
  const task: MiningTask = {
    ...{ scheme, policy, goal, strategy },
    dynamicStrategy: body.dynamicStrategy ?? strongestDynamicStrategy(policy),
    stockpile: isStocked ? (body.stockpile ?? FORGERY_STOCK_MAX) : undefined,
    seed: seed ?? secretSeed(),
    budget: budgetOf(body.budget),
  };
  assertPossible(task);
  return { task, seed };
}

function policyOf(body: ForgeryBody, serverPolicy: Policy): Policy {
  const { policy: given, c1, c2, scheme } = body;
  if (given !== undefined && (c1 !== undefined || c2 !== undefined)) {
    const pointer = c1 === undefined ? '/c2' : '/c1';
    throw fault('schema', pointer, 'stands in the policy where there is one');
  }
  const base = given ?? serverPolicy;
  const policy = { ...base, c1: c1 ?? base.c1, c2: c2 ?? base.c2 };
  const [unsupportedReason] = policyUnsupportedReasons(policy, scheme);
  if (unsupportedReason === undefined) return policy;
  const isOutside = given === undefined || unsupportedReason.path[0] === 'scheme';
  const path = isOutside ? unsupportedReason.path : ['policy', ...unsupportedReason.path];
  throw fault('schema', jsonPointer(path), unsupportedReason.message);
}

function goalOf({ goal: text, against }: ForgeryBody, policy: Policy): Goal {
  const wish = parseWish(text);
  if (wish === null) throw fault('schema', '/goal', `must be ${WISH_FORMS}, IDs in lower-case hex`);
  const idBytes = nodeIdBytesOf(policy);
  const ids = against?.map(hexToBytes) ?? null;
  const wrong = ids?.findIndex((id) => id.length !== idBytes) ?? -1;
  if (wrong >= 0) {
    throw fault('schema', `/against/${wrong}`, `must be a node ID of ${idBytes} bytes`);
  }
  const isAbout = wish.type === 'top' || wish.type === 'near';
  if (ids !== null && !isAbout) {
    throw fault('schema', '/against', `goes with the goals top and near, not ${wish.type}`);
  }
  if (ids === null && wish.type === 'top') {
    throw fault('schema', '/against', 'must name node IDs, for top of whom?');
  }
  // The length first: distances between IDs of different lengths there are none.
  const named = wish.type === 'top' ? null : goalIdBytes(wish);
  if (named !== null && named !== idBytes) {
    throw fault('schema', '/goal', `is about IDs of ${named} bytes, this policy's have ${idBytes}`);
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
    throw fault('job.size', '/goal', most);
  }
  if (winProbability(policy, goal) === 0) {
    throw fault('arguments', '/goal', `no node ID can meet ${formatGoal(goal)}`);
  }
  if (isClosestGoal(goal) && requiredBits(policy).c2 > 0 && budget.attempts === undefined) {
    throw fault(
      'arguments',
      '/budget/attempts',
      'is needed for near with a dynamic puzzle: only its end tells which key to solve it for',
    );
  }
}

function fault(
  code: 'schema' | 'arguments' | 'job.size',
  pointer: string,
  detail: string,
): LabError {
  return new LabError(code, `${pointer}: ${detail}`, [{ pointer, detail }]);
}

/** As long as a key: whoever guesses it has the identity. */
function secretSeed(): Seed {
  return parseSeed(BigInt(`0x${bytesToHex(randomBytes(32))}`).toString());
}
