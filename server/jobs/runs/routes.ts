/**
 * @module
 * This folder contains the runs of a threat model as jobs. This file contains their routes: POST answers
 * 202 with a Location (AIP-151), DELETE cancels.
 */

import { z } from '@hono/zod-openapi';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { OBSERVATION_NAMES } from '../../../src/experiment/runs/observations.ts';
import type { RunReport } from '../../../src/experiment/verdict/report.ts';
import { seedSchema } from '../../contract/members.ts';
import { createRouter, NO_QUERY } from '../../contract/router.ts';
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
import type { RunStore } from './execution.ts';
import type { RunRequest } from './request.ts';
import { parseRunRequest, runRequestSchema } from './request.ts';

/** As `usurp run --json` prints it. */
const reportSchema = z
  .object({
    threatModel: z.string(),
    verdict: z.object({
      value: z.enum(['true', 'false', 'unknown']),
      sentence: z.string(),
      reason: z.string(),
    }),
    measured: z.object({
      runs: z.int(),
      wins: z.int(),
      frequency: z.number().nullable(),
      interval: z.tuple([z.number(), z.number()]).readonly(),
    }),
    theory: z.object({ probability: z.number().nullable(), formula: z.string() }),
    elections: z.object({ held: z.int(), messages: z.int() }),
    ledger: z
      .object({ honest: ledgerSchema, adversaries: z.record(z.string(), ledgerSchema) })
      .nullable()
      .describe('What was spent; null if the work is sampled.'),
    observations: z
      .partialRecord(z.enum(OBSERVATION_NAMES), z.number())
      .optional()
      .describe('Further observations of a single run.'),
    replay: z.string().describe('Command that computes the same report.'),
  })
  .meta({ id: 'RunReport' });

const runSchema = z
  .object({
    ...jobMembers('r_kq3vj5m2xw7ntb4d'),
    threatModel: z.string(),
    settings: z.array(z.string()).describe('As the command line spells them.'),
    runs: z.int(),
    seed: seedSchema,
    progress: z.object({ done: z.int(), total: z.int() }),
    report: reportSchema.optional().describe('Partial if the run was cancelled.'),
    links: jobLinksSchema,
  })
  .meta({ id: 'Run' });

const routes = jobRoutes({
  ...{ plural: 'runs', noun: 'run', name: 'Run', tags: ['experiments'], query: NO_QUERY },
  summaries: {
    submit: 'Run a threat model',
    list: 'List your runs',
    read: 'Get the state of a run, and its report when it is done',
    cancel: 'Stop a run',
    follow: 'Follow the events of a run',
  },
  ...{ body: runRequestSchema, view: runSchema, progressExample: { done: 12, total: 50 } },
  example: { threatModel: 'top-id', runs: 50, seed: '1', set: { work: 'sampled' } },
});

export interface RunRouteParts extends JobRouteParts {
  readonly runs: RunStore;
  readonly threatModels: readonly ThreatModel[];
}

/** The routes about runs. */
export function createRunRoutes({ runs, threatModels, ...parts }: RunRouteParts) {
  const answers = jobAnswers(runs, 'run', runView);
  return createRouter()
    .openapi(routes.submit, (c) =>
      c.json(answers.submit(c, parseRunRequest(c.req.valid('json'), threatModels)), 202),
    )
    .openapi(routes.list, (c) => c.json(answers.list(c, c.req.valid('query')), 200))
    .openapi(routes.read, (c) => c.json(answers.read(c, c.req.valid('param')), 200))
    .openapi(routes.cancel, (c) => c.json(...answers.cancel(c, c.req.valid('param'))))
    .openapi(routes.follow, (c) =>
      answers.follow(c, c.req.valid('header')['last-event-id'], parts),
    );
}

/** A run as callers receive it. */
function runView(job: JobSnapshot<RunRequest, number, RunReport>): z.output<typeof runSchema> {
  const { id: threatModel, settings, runs, seed } = job.request;
  const { status, result: report } = job.state;
  const self = `/v1/runs/${job.id}`;
  return {
    ...jobView(job),
    ...{ threatModel, settings: [...settings], runs, seed },
    progress: { done: status === 'done' ? runs : job.progress, total: runs },
    ...(report && { report }),
    links: { self, events: `${self}/events` },
  };
}
