/**
 * @module
 * This folder contains forgeries as jobs: searches for an identity that a policy admits and that meets a
 * goal. This file defines the kind, and executes a search in a thread of its own. The secrets of a result
 * are sent only to the caller that submitted the job, and only if the request asks for them.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ClaimJson } from '../../../src/identity/claim.ts';
import { claimJsonSchema } from '../../../src/identity/claim.ts';
import type { Secret } from '../../../src/identity/keys/scheme.ts';
import { formatGoal, identitiesWanted, isClosestGoal } from '../../../src/mining/goal.ts';
import type { Ledger } from '../../../src/mining/ledger.ts';
import {
  attemptOdds,
  foundProbability,
  timeOdds,
  winProbability,
} from '../../../src/mining/odds.ts';
import type { MiningTask } from '../../../src/mining/phases.ts';
import { realBits } from '../../../src/mining/policy-cost.ts';
import type { MiningResult } from '../../../src/mining/search.ts';
import { ledgerSchema } from '../../../src/operations/ledger.ts';
import type { MiningProgress } from '../../../src/runtime/threads/mining-pool.ts';
import { seedSchema } from '../../contract/members.ts';
import type { ServerEnv } from '../../request/env.ts';
import type { Execute, JobSnapshot, ShownJob } from '../job-kind.ts';
import { defineJob, jobLinks, jobLinksSchema, jobMembers, jobView, noJob } from '../job-kind.ts';
import { executeInWorker } from '../worker-job.ts';
import type { ForgeryRequest } from './request.ts';
import { forgeryRequestSchema } from './request.ts';

/** Forgeries that are over and kept. */
export const FORGERIES_KEPT_MAX = 200;

export interface ForgeryProgress extends Omit<MiningProgress, 'state' | 'hits'> {
  /** Keys found so far. */
  readonly keys: number;
  /** The one of them with the highest rank, its node ID in hex. Null if there is none. */
  readonly highest: { readonly attempt: number; readonly nodeId: string } | null;
  /** The ledger if the search ended now. */
  readonly ledger: Ledger;
}

export interface ForgeryResult
  extends Pick<MiningResult, 'found' | 'ending' | 'measured' | 'ledger'> {
  readonly claims: readonly ClaimJson[];
  /** The private keys of the claims, in their order. */
  readonly secrets: readonly { readonly form: Secret['form']; readonly hex: string }[];
}

/** What the thread of a forgery receives. */
export interface ForgeryOrder {
  readonly task: MiningTask;
  readonly threads: number;
}

/** Progress is null before the first report. */
export interface ForgeryJob {
  readonly request: ForgeryRequest;
  readonly progress: ForgeryProgress | null;
  readonly result: ForgeryResult;
}

/** The odds of a search, which has no memory, so that there is no remaining time. */
const oddsSchema = z.object({
  wanted: z.int().describe('Identities sought. The times are for one of them.'),
  foundProbability: z
    .number()
    .nullable()
    .describe('P(found by now); null if several identities are sought.'),
  expectedSeconds: z.number(),
  p50Seconds: z.number().describe('From any moment, 50 % end within this time.'),
  p95Seconds: z.number(),
});

const highestSchema = z.object({
  attempt: z.int().describe('Number of attempts before the one that found it.'),
  nodeId: z.string(),
});

const progressSchema = z
  .object({
    phase: z.enum(['stock', 'keys', 'solutions']),
    tested: z.int().describe('Candidates tested in this phase.'),
    perSecond: z.number(),
    bestBits: z.int().nullable().describe('Null before the first candidate.'),
    keys: z
      .int()
      .describe(
        'Keys found so far that meet the goal and the static puzzle, with or without their solution.',
      ),
    highest: highestSchema.nullable().describe('The one of these keys with the highest rank.'),
    ledger: ledgerSchema.describe('The ledger if the search ended now.'),
    odds: oddsSchema
      .nullable()
      .describe(
        'A search has no memory, so there is no remaining time. Null if only the budget ends it.',
      ),
  })
  .meta({ id: 'ForgeryProgress' });

const keySchema = z.object({
  form: z.enum(['seed', 'scalar', 'torsion-scalar']),
  hex: z.string(),
});

const resultSchema = z
  .object({
    found: z.boolean(),
    ending: z.enum(['found', 'attempts', 'time', 'cancelled']),
    claim: z.union([claimJsonSchema, z.null()]),
    claims: z.array(claimJsonSchema).optional().describe('With the goal count: every claim.'),
    measured: z.object({ c1: z.int(), c2: z.int() }).nullable(),
    ledger: ledgerSchema,
  })
  .meta({ id: 'ForgeryResult' });

const forgerySchema = z
  .object({
    ...jobMembers('forgery', 'f', forgeryRequestSchema),
    goal: z.string().meta({ description: 'With top and near resolved.', example: 'any' }),
    progress: progressSchema.nullable().describe('Null before the first report.'),
    result: resultSchema.optional().describe('Partial if it was cancelled.'),
    links: jobLinksSchema.extend({
      secret: z.string().nullable().describe('Null for other callers than its owner.'),
    }),
  })
  .meta({ id: 'ForgeryJob' });

/** What the claims of a forgery were made with. */
export const forgerySecretSchema = z
  .object({
    seed: seedSchema
      .nullable()
      .describe('Null for a forgery that counts for the budget of an exercise.'),
    keys: z.array(keySchema).describe('The private keys of the claims, in their order.'),
  })
  .meta({ id: 'ForgerySecret' });

export const FORGERY = defineJob<ForgeryJob>()({
  ...{ letter: 'f', name: 'forgery', plural: 'forgeries', tags: ['identities'] },
  summary: 'Mine an identity for a goal, within a budget',
  description:
    'With the policy of an instance whose exercise has a budget, the attempts count for that budget, and the server chooses the seed.',
  canConflict: true,
  body: forgeryRequestSchema,
  example: { goal: 'any', c1: 8, budget: { attempts: 10_000 }, seed: '1' },
  ...{ keptMax: FORGERIES_KEPT_MAX, begun: null },
  remainingMs({ request, progress }, elapsedMs) {
    const { wallSeconds = Number.POSITIVE_INFINITY } = request.task.budget;
    const odds = progress && forgeryOdds(request.task, progress);
    const likelySeconds = odds?.p95Seconds ?? Number.POSITIVE_INFINITY;
    return Math.min(1000 * wallSeconds - elapsedMs, 1000 * likelySeconds);
  },
  ...{ view: forgerySchema, viewOf: forgeryView },
});

type Forgery = JobSnapshot<ForgeryJob>;

/** A forgery as callers receive it, without its secrets. */
function forgeryView(job: ShownJob<ForgeryJob>): z.output<typeof forgerySchema> {
  const { request, progress } = job;
  const { goal } = request.task;
  const { result } = job.state;
  const links = jobLinks(job);
  return {
    ...jobView('forgery', job),
    goal: formatGoal(goal),
    progress: progress && progressView(request, progress),
    ...(result && { result: resultView(request, result) }),
    links: { ...links, secret: job.isOwn ? `${links.self}/results/secret` : null },
  };
}

function progressView(
  { task }: ForgeryRequest,
  progress: ForgeryProgress,
): z.output<typeof progressSchema> {
  const { phase, tested, bestBits, wallSeconds, keys, highest, ledger } = progress;
  return {
    ...{ phase, tested, keys, highest: highest && { ...highest }, ledger },
    perSecond: tested / Math.max(wallSeconds, 1e-6),
    bestBits: bestBits < 0 ? null : bestBits,
    odds: forgeryOdds(task, progress),
  };
}

function resultView(
  { task }: ForgeryRequest,
  { found, ending, claims, measured, ledger }: ForgeryResult,
): z.output<typeof resultSchema> {
  const [claim = null] = claims;
  const several = task.goal.type === 'count' ? { claims: [...claims] } : {};
  return { found, ending, claim, ...several, measured, ledger };
}

/** The answer with the secrets of a forgery. Throws LabError `not_found` for other callers. */
export function secretAnswer(c: Context<ServerEnv>, { id, caller, request, state }: Forgery) {
  if (caller !== c.get('principal').caller) throw noJob(id);
  c.header('Cache-Control', 'no-store');
  const keys = state.result?.secrets ?? [];
  const secret: z.output<typeof forgerySecretSchema> = {
    seed: request.metered === undefined ? request.task.seed : null,
    keys: keys.map((key) => ({ ...key })),
  };
  return c.json(secret, 200);
}

/** Executes each forgery with this number of mining threads. */
export function forgeInThreads(threads: number): Execute<ForgeryJob> {
  return async ({ task }, { onProgress, ...execution }) => {
    let last: ForgeryProgress | null = null;
    const order: ForgeryOrder = { task, threads };
    const result = await executeInWorker<ForgeryProgress, ForgeryResult>(FORGERY_WORKER, order, {
      ...execution,
      onProgress: (progress) => {
        last = progress;
        onProgress(progress);
      },
    });
    return result ?? terminated(last);
  };
}

const FORGERY_WORKER = new URL('./worker.ts', import.meta.url);

/** The result of a search that was terminated: the ledger of its last progress. */
function terminated(last: ForgeryProgress | null): ForgeryResult {
  return {
    ...{ found: false, ending: 'cancelled', measured: null, claims: [], secrets: [] },
    ledger: last?.ledger ?? NOTHING_SPENT,
  };
}

const NOTHING_SPENT: Ledger = {
  ...{ attempts: 0, hashes: 0, groupOperations: 0, cpuSeconds: 0, wallSeconds: 0, overshoot: 0 },
};

/** The odds of the present phase; null if only the budget ends it, or before the first candidate. */
export function forgeryOdds(
  task: MiningTask,
  progress: ForgeryProgress,
): z.output<typeof oddsSchema> | null {
  const { phase, tested, wallSeconds } = progress;
  const isForKeys = phase === 'keys';
  if (phase === 'stock' || tested === 0 || (isForKeys && isClosestGoal(task.goal))) return null;
  const chance = isForKeys ? keyChance(task) : 2 ** -realBits(task.policy).c2;
  const wanted = isForKeys ? identitiesWanted(task.goal) : 1;
  const times = timeOdds(attemptOdds(chance), tested / wallSeconds);
  return {
    wanted,
    foundProbability: wanted === 1 ? foundProbability(chance, tested) : null,
    expectedSeconds: times.expected,
    p50Seconds: times.p50,
    p95Seconds: times.p95,
  };
}

/** The probability that one attempt wins. Every key in stock meets the goal already. */
function keyChance({ policy, goal, strategy }: MiningTask): number {
  return winProbability(policy, strategy === 'stockpile' ? { type: 'any' } : goal);
}
