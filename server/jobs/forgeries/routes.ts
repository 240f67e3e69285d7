/**
 * @module
 * This folder contains forgeries as jobs: searches for an identity that a policy admits and that meets a
 * goal. This file contains their routes. The secrets of a result are sent only to the caller that
 * submitted the job, and only if the request asks for them.
 */

import { z } from '@hono/zod-openapi';
import { LabError } from '../../../src/errors.ts';
import { claimJsonSchema } from '../../../src/identity/claim.ts';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { formatGoal } from '../../../src/mining/goal.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../../src/mining/strategy.ts';
import { seedSchema } from '../../contract/members.ts';
import { createRouter } from '../../contract/router.ts';
import type { JobRouteParts } from '../job-routes.ts';
import {
  jobAnswers,
  jobLinksSchema,
  jobMembers,
  jobRoutes,
  jobView,
  ledgerSchema,
} from '../job-routes.ts';
import type { JobSnapshot } from '../job-store.ts';
import type { ForgeryProgress, ForgeryResult, ForgeryStore } from './execution.ts';
import { forgeryOdds } from './execution.ts';
import type { ForgeryRequest } from './request.ts';
import { forgeryRequestSchema, parseForgeryRequest } from './request.ts';

const progressSchema = z
  .object({
    phase: z.enum(['stock', 'keys', 'solutions']),
    tested: z.int().describe('Candidates tested in this phase.'),
    perSecond: z.number(),
    bestBits: z.int().nullable().describe('Null before the first candidate.'),
    ledger: ledgerSchema.describe('The ledger if the search ended now.'),
    odds: z
      .object({
        wanted: z.int().describe('Identities sought. The times are for one of them.'),
        foundProbability: z
          .number()
          .nullable()
          .describe('P(found by now); null if several identities are sought.'),
        expectedSeconds: z.number(),
        p50Seconds: z.number().describe('From any moment, 50 % end within this time.'),
        p95Seconds: z.number(),
      })
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
    claim: claimJsonSchema.nullable(),
    claims: z.array(claimJsonSchema).optional().describe('With the goal count: every claim.'),
    measured: z.object({ c1: z.int(), c2: z.int() }).nullable(),
    ledger: ledgerSchema,
  })
  .meta({ id: 'ForgeryResult' });

const forgerySchema = z
  .object({
    ...jobMembers('f_kq3vj5m2xw7ntb4d'),
    goal: z.string().meta({ description: 'With top and near resolved.', example: 'any' }),
    scheme: z.enum(SCHEME_NAMES),
    strategy: z.enum(STRATEGY_NAMES),
    dynamicStrategy: z.enum(DYNAMIC_STRATEGY_NAMES),
    c1: z.int(),
    c2: z.int(),
    budget: z.object({
      attempts: z.int().optional(),
      hashes: z.int().optional(),
      cpuSeconds: z.number().optional(),
      wallSeconds: z.number().optional(),
    }),
    seed: seedSchema
      .nullable()
      .describe('The requested seed. Null if one was drawn, which is a secret.'),
    progress: progressSchema.nullable().describe('Null before the first report.'),
    result: resultSchema.optional().describe('Partial if it was cancelled.'),
    secret: z
      .object({ seed: seedSchema, keys: z.array(keySchema) })
      .optional()
      .describe('With ?secret=true: the keys of the claims, in their order.'),
    links: jobLinksSchema,
  })
  .meta({ id: 'Forgery' });

const routes = jobRoutes({
  ...{ plural: 'forgeries', noun: 'forgery', name: 'Forgery', tags: ['identities'] },
  summaries: {
    submit: 'Mine an identity for a goal, within a budget',
    list: 'List your forgeries, without their secrets',
    read: 'Get the state of a forgery, and what it found',
    cancel: 'Stop a forgery; its ledger is kept',
    follow: 'Follow the events of a forgery',
  },
  query: z.strictObject({
    secret: z
      .enum(['true', 'false'])
      .default('false')
      .describe(
        'Include the seed and the private keys. Only the caller that submitted the job may request this.',
      ),
  }),
  ...{ body: forgeryRequestSchema, view: forgerySchema, progressExample: null },
  example: { goal: 'any', c1: 8, budget: { attempts: 10_000 }, seed: '1' },
});

export interface ForgeryRouteParts extends JobRouteParts {
  readonly forgeries: ForgeryStore;
  /** The policy of a request that names none. */
  readonly policy: Policy;
}

/** The routes about forgeries. */
export function createForgeryRoutes({ forgeries, policy, ...parts }: ForgeryRouteParts) {
  const answers = jobAnswers(forgeries, 'forgery', forgeryView);
  return createRouter()
    .openapi(routes.submit, (c) =>
      c.json(answers.submit(c, parseForgeryRequest(c.req.valid('json'), policy)), 202),
    )
    .openapi(routes.list, (c) => c.json(answers.list(c, c.req.valid('query')), 200))
    .openapi(routes.read, (c) => {
      const view = answers.read(c, c.req.valid('param'));
      if (c.req.valid('query').secret === 'false') return c.json(view, 200);
      const principal = c.get('principal');
      const job = forgeries.get(view.id, principal);
      if (job.caller !== principal.caller) {
        throw new LabError('not_found', `there is no forgery ${view.id}`);
      }
      c.header('Cache-Control', 'no-store');
      return c.json({ ...view, secret: secretOf(job) }, 200);
    })
    .openapi(routes.cancel, (c) => c.json(...answers.cancel(c, c.req.valid('param'))))
    .openapi(routes.follow, (c) =>
      answers.follow(c, c.req.valid('header')['last-event-id'], parts),
    );
}

type Forgery = JobSnapshot<ForgeryRequest, ForgeryProgress | null, ForgeryResult>;

/** A forgery as callers receive it, without its secrets. */
function forgeryView(job: Forgery): z.output<typeof forgerySchema> {
  const { request, progress } = job;
  const { goal, scheme, strategy, dynamicStrategy, policy, budget } = request.task;
  const { result } = job.state;
  const self = `/v1/forgeries/${job.id}`;
  return {
    ...jobView(job),
    goal: formatGoal(goal),
    ...{ scheme, strategy, dynamicStrategy, c1: policy.c1, c2: policy.c2 },
    budget: { ...budget },
    seed: request.seed,
    progress: progress && progressView(request, progress),
    ...(result && { result: resultView(request, result) }),
    links: { self, events: `${self}/events` },
  };
}

function progressView(
  { task }: ForgeryRequest,
  progress: ForgeryProgress,
): z.output<typeof progressSchema> {
  const { phase, tested, bestBits, wallSeconds, ledger } = progress;
  return {
    ...{ phase, tested, ledger },
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

function secretOf({ request, state }: Forgery): z.output<typeof forgerySchema>['secret'] {
  const keys = state.result?.secrets ?? [];
  return { seed: request.task.seed, keys: keys.map((key) => ({ ...key })) };
}
