/**
 * @module
 * The operations on jobs, which are the same for every kind: list, read, follow, cancel, remove, and get the
 * tables and files of a result. job-submission.ts has the routes that submit jobs.
 */

import { z } from '@hono/zod-openapi';
import { secretSchema } from '../../src/operations/operation.ts';
import type { StreamBudget } from '../callers/stream-budget.ts';
import { headersNamed } from '../contract/headers.ts';
import { idParams, idSchema, newestFirst, ownerQuerySchema } from '../contract/members.ts';
import { mapPage, pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { bodyRefusals, refusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, routesOf } from '../contract/router.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import type { OnFault } from '../request/refusals.ts';
import {
  eventAnswer,
  followed,
  followInput,
  requestedStream,
  STREAM_RULE,
} from '../streams/event-stream.ts';
import type { JobsOfKind } from './all-jobs.ts';
import { anyJobSchema, anyProgressSchema, JOB_KINDS, kindOf } from './all-jobs.ts';
import { EVENTS_KEPT_MAX, PROGRESS_INTERVAL_MS } from './job-feed.ts';
import { jobStatusSchema } from './job-kind.ts';
import { answerWaiting, preferHeader } from './job-wait.ts';
import { COUNTEREXAMPLE_TEXTS, counterexampleSchema } from './operations/counterexample.ts';
import { reportSchema } from './operations/operation-job.ts';
import { TABLE_NAMES } from './sweeps/tables.ts';
import { TABLE_TEXTS, tableSchema } from './table-answers.ts';

const route = routesOf('jobs');
const collection = '/v1/jobs';
const path = `${collection}/{id}` as const;

const listRoute = route('get', collection, {
  operationId: 'listJobs',
  summary: 'List your jobs of every kind',
  query: pageQuerySchema.extend({
    kind: z.enum(JOB_KINDS).optional().describe('Only jobs of this kind.'),
    status: jobStatusSchema.optional().describe('Only jobs with this status.'),
    owner: ownerQuerySchema,
  }),
  responses: {
    ...pageResponse(anyJobSchema, 'A page of jobs, the newest first.'),
    ...refusals(),
  },
});

const readRoute = route('get', path, {
  operationId: 'getJob',
  summary: 'Get the state of a job, and its result when it is over',
  description:
    '`request` is the body that submits the same job again: that of its request, with the defaults and the seed that the server chose. A job of `mine` without a seed has none there, because its seed is secret. The other members are what the server adds: state, progress, result and links.',
  params: idParams,
  headers: preferHeader,
  responses: {
    200: { ...jsonAnswer(anyJobSchema, 'The job.'), headers: headersNamed('Preference-Applied') },
    ...refusals(404, 503),
  },
});

const cancelRoute = route('post', `${path}/cancel`, {
  operationId: 'cancelJob',
  summary: 'Stop a job; the part of its result that exists is kept',
  description: 'A job that was cancelled before stays as it is.',
  params: idParams,
  responses: {
    200: jsonAnswer(anyJobSchema, 'The job, which is `cancelling` until it has stopped.'),
    ...bodyRefusals(404, 409),
  },
});

const removeRoute = route('delete', path, {
  operationId: 'deleteJob',
  summary: 'Remove a job that is over, with its tables and files',
  params: idParams,
  responses: { 204: { description: 'It was removed.' }, ...refusals(404, 409, 503) },
});

const followRoute = route('get', `${path}/events`, {
  operationId: 'followJob',
  summary: 'Follow the events of a job',
  description: `${STREAM_RULE} The events are \`progress\` whenever status or progress change, progress at most once in ${PROGRESS_INTERVAL_MS} ms, and \`done\` with the whole job when it is over. Numbers count from 0. The last ${EVENTS_KEPT_MAX} events are kept, and a job has one event with a higher number after a restart of the server. Where numbers are missing, \`resync\` precedes the next event. A caller that already has the last event is answered 204. \`closing\` says that the server is stopping. Secrets are not sent.`,
  params: idParams,
  ...followInput,
  responses: followResponses(),
});

function followResponses() {
  const job = 'run_kq3vj5m2xw7ntb4d';
  const eventSchema = z
    .object({
      v: z.literal(1),
      job: z.string(),
      kind: z.enum(JOB_KINDS),
      seq: z
        .int()
        .describe(
          'Number of the event, from 0; the id in SSE. Where one is missing, resync precedes the next event.',
        ),
      event: z.enum(['progress', 'done']).describe('Also the name in SSE.'),
      status: jobStatusSchema,
      progress: anyProgressSchema.optional().describe('Not with done; `final` has it then.'),
      final: anyJobSchema.optional().describe('With done: the whole job.'),
    })
    .meta({
      id: 'JobEvent',
      example: {
        v: 1,
        job,
        kind: 'run',
        seq: 2,
        event: 'progress',
        status: 'running',
        progress: { now: 'runs', done: 12, total: 50 },
      },
    });
  const noticeSchema = z
    .object({
      v: z.literal(1),
      job: z.string(),
      event: z
        .enum(['resync', 'closing'])
        .describe(
          'resync: the events up to `after` that the caller has not received are not available. closing: the server is stopping.',
        ),
      after: z.int().optional().describe('With resync: the number before that of the next event.'),
      retryAfterS: z.int().optional().describe('With closing.'),
    })
    .meta({ id: 'JobNotice', example: { v: 1, job, event: 'closing', retryAfterS: 10 } });
  return {
    200: eventAnswer(z.union([eventSchema, noticeSchema]), ['JobEvent', 'JobNotice']),
    204: { description: 'The caller has every event.' },
    ...refusals(404, 406, 503),
  };
}

const RESULT_NAMES = [...TABLE_NAMES, 'counterexample', 'secret', 'report'] as const;

const resultRoute = route('get', `${path}/results/{name}`, {
  operationId: 'getJobResult',
  summary: 'Get a table or file of a job in the form that Accept names, or its secret',
  description:
    'A sweep has `rows`, one for each run, and `cells`, one for each point of the grid with its interval, closed form and verdict; a sweep that was cancelled has those that were computed. A comparison of protocols has `rows`, one for each protocol. A check that found a violation has `counterexample`: as JSON the file that `usurp replay` accepts, as SVG or plain text its space-time diagram. A job of `mine` has `secret`, its seed and private keys, which is sent only to the caller that submitted it. An operation has `report`, its result for people as data, and some have `rows`. The links of a job name its results.',
  params: z.strictObject({ id: idSchema, name: z.enum(RESULT_NAMES).meta({ example: 'rows' }) }),
  responses: {
    200: {
      description: 'The table in its order, the counterexample, or the secret.',
      content: {
        'application/json': {
          schema: z.union([tableSchema, counterexampleSchema, secretSchema, reportSchema]),
        },
        ...TABLE_TEXTS,
        ...COUNTEREXAMPLE_TEXTS,
      },
    },
    ...refusals(404, 406, 409),
  },
});

/** What the answers about jobs use. */
export interface JobRouteParts {
  readonly kinds: readonly JobsOfKind[];
  readonly lifecycle: Lifecycle;
  readonly streams: StreamBudget;
  readonly onFault: OnFault;
}

/** The operations on the jobs of all kinds. */
export function createJobRoutes({ kinds, ...parts }: JobRouteParts) {
  return createRouter()
    .openapi(listRoute, (c) => {
      const { kind, status, owner, ...query } = c.req.valid('query');
      const jobs = kinds
        .flatMap((each) => each.list(c.get('principal')))
        .filter((job) => kind === undefined || job.kind === kind)
        .filter((job) => status === undefined || job.status === status)
        .filter((job) => owner === undefined || job.owner === owner);
      const page = pageOf(jobs, newestFirst, query);
      return c.json(
        mapPage(page, ({ view }) => view()),
        200,
      );
    })
    .openapi(readRoute, (c) => {
      const { id } = c.req.valid('param');
      const jobs = kindOf(kinds, id);
      return answerWaiting(c, parts, async (wait) => {
        await wait(jobs.feed(id, c.get('principal')));
        return c.json(jobs.get(id, c.get('principal')), 200);
      });
    })
    .openapi(cancelRoute, (c) => {
      const { id } = c.req.valid('param');
      return c.json(kindOf(kinds, id).cancel(id, c.get('principal')), 200);
    })
    .openapi(removeRoute, async (c) => {
      const { id } = c.req.valid('param');
      await kindOf(kinds, id).remove(id, c.get('principal'));
      return c.body(null, 204);
    })
    .openapi(followRoute, (c) => {
      const { id } = c.req.valid('param');
      const principal = c.get('principal');
      const { form, after, end, ...request } = requestedStream(c);
      const jobs = kindOf(kinds, id);
      const feed = jobs.feed(id, principal);
      if (feed.isOver && after === feed.last) return c.body(null, 204);
      const open = () => ({
        free: parts.streams.wait(principal),
        source: jobs.source(id, principal, { form, after, end }),
      });
      return followed(c, { form, ...request, ...parts, open });
    })
    .openapi(resultRoute, (c) => {
      const { id, name } = c.req.valid('param');
      return kindOf(kinds, id).result(c, id, name);
    });
}
