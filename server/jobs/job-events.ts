/**
 * @module
 * Routes that tell how a job goes on while somebody follows it, the same for every kind of job: its
 * status and progress whenever they change, and at the end the job as a GET of it answers.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';

import { acceptedType } from '../contract/media-type.ts';
import { refusals } from '../contract/problem-schema.ts';
import { createRouter, NO_QUERY } from '../contract/router.ts';
import type { ServerEnv } from '../request/env.ts';
import type { Services } from '../services.ts';
import { connectionOf, STREAM_HEADERS } from '../streams/stream-connection.ts';
import { forgerySchema, forgeryView } from './forgeries/routes.ts';
import type { JobFeed } from './job-feed.ts';
import { NEWS_KEPT_MAX, NEWS_MS } from './job-feed.ts';
import { jobParams, jobStatusSchema } from './job-schema.ts';
import type { JobTelling } from './job-stream.ts';
import { jobStream } from './job-stream.ts';
import { runSchema, runView } from './runs/routes.ts';
import { sweepSchema, sweepView } from './sweeps/routes.ts';

const EVENT_TYPES = ['text/event-stream', 'application/jsonl'] as const;

const DESCRIPTION = `Server-sent events, or JSON lines where Accept names them: \`<kind>.progress\` whenever status or progress change, at most one in ${NEWS_MS} ms of progress, and \`done\` with the job as GET answers it when it is over, however it ended. Ids count from 0 without gaps; the last ${NEWS_KEPT_MAX} are kept. One who has the last of a job that is over is answered 204. \`resync\` says that what came after Last-Event-ID is not kept (any more), \`closing\` that the server is stopping. Without Accept, server-sent events.`;

const noticeSchema = z
  .object({
    v: z.literal(1),
    job: z.string(),
    event: z.enum(['resync', 'closing']).meta({
      description: 'What came after Last-Event-ID is not kept; the server is stopping.',
    }),
    after: z
      .int()
      .optional()
      .meta({ description: 'Of resync: the number before that of the next event.' }),
    retryAfterS: z.int().optional().meta({ description: 'Of closing.' }),
  })
  .meta({
    id: 'JobNotice',
    example: { v: 1, job: 'r_kq3vj5m2xw7ntb4d', event: 'closing', retryAfterS: 10 },
  });

/** One kind of jobs, as it is told. */
interface Kind {
  /** Of the components: `Run`. */
  readonly name: string;
  /** Of the events: `run`. */
  readonly noun: string;
  /** What a GET of a job answers. */
  readonly schema: z.ZodType;
  readonly progress: z.ZodType;
  /** Of an event, as the contract shows it. */
  readonly example: { readonly job: string; readonly progress: unknown };
}

/** What one event of a job says. */
function eventSchemaOf({ name, noun, schema, progress, example }: Kind) {
  return z
    .object({
      v: z.literal(1),
      job: z.string().meta({ example: example.job }),
      seq: z.int().meta({ description: 'Its number, from 0 without gaps; also the id in SSE.' }),
      event: z.enum([`${noun}.progress`, 'done']).meta({ description: 'Also the name in SSE.' }),
      status: jobStatusSchema,
      progress: progress.optional().meta({ description: 'Not of done, where it is in `final`.' }),
      final: schema.optional().meta({ description: 'Of done: the whole job.' }),
    })
    .meta({
      id: `${name}Event`,
      example: {
        ...{ v: 1, job: example.job, seq: 2, event: `${noun}.progress`, status: 'running' },
        progress: example.progress,
      },
    });
}

/** One server-sent event, its fields as they are after parsing (WHATWG HTML, section 9.2.6). */
function sentSchemaOf({ name }: Kind) {
  return z.object({
    id: z.string().optional().meta({ description: 'The number of an event; notices have none.' }),
    event: z.string().meta({ description: 'The member `event` of the data.' }),
    data: z.string().meta({
      contentMediaType: 'application/json',
      contentSchema: {
        anyOf: [`${name}Event`, 'JobNotice'].map((each) => ({
          $ref: `#/components/schemas/${each}`,
        })),
      },
    }),
  });
}

function responsesOf(kind: Kind) {
  const lineSchema = z.union([eventSchemaOf(kind), noticeSchema]);
  return {
    200: {
      description: 'How it stands and goes on.',
      content: {
        'text/event-stream': { schema: z.string(), itemSchema: sentSchemaOf(kind) },
        'application/jsonl': { schema: z.string(), itemSchema: lineSchema },
      },
    },
    204: { description: 'There is nothing left to tell.' },
    ...refusals(404, 406, 503),
  };
}

const SEQ_DEMAND = 'must be the id of an event, a whole number';

const request = {
  params: jobParams,
  query: NO_QUERY,
  headers: z.object({
    'last-event-id': z
      .string()
      .regex(/^\d{1,15}$/, SEQ_DEMAND)
      .optional()
      .meta({ description: 'The last event that the caller has.', example: '2' }),
  }),
};

const runEventsRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{id}/events',
  operationId: 'followRun',
  tags: ['experiments'],
  summary: 'How a run goes on, as it does',
  description: DESCRIPTION,
  request,
  responses: responsesOf({
    ...{ name: 'Run', noun: 'run', schema: runSchema, progress: runSchema.shape.progress },
    example: { job: 'r_kq3vj5m2xw7ntb4d', progress: { done: 12, total: 50 } },
  }),
});

const sweepEventsRoute = createRoute({
  method: 'get',
  path: '/v1/sweeps/{id}/events',
  operationId: 'followSweep',
  tags: ['experiments'],
  summary: 'How a sweep goes on, as it does',
  description: DESCRIPTION,
  request,
  responses: responsesOf({
    ...{ name: 'Sweep', noun: 'sweep', schema: sweepSchema, progress: sweepSchema.shape.progress },
    example: {
      job: 's_kq3vj5m2xw7ntb4d',
      progress: { phase: 'planning', cells: 128, cellsTotal: 900 },
    },
  }),
});

const forgeryEventsRoute = createRoute({
  method: 'get',
  path: '/v1/forgeries/{id}/events',
  operationId: 'followForgery',
  tags: ['identities'],
  summary: 'How a forgery goes on, as it does',
  description: `${DESCRIPTION} Secrets are not among what is told.`,
  request,
  responses: responsesOf({
    ...{ name: 'Forgery', noun: 'forgery' },
    ...{ schema: forgerySchema, progress: forgerySchema.shape.progress },
    example: { job: 'f_kq3vj5m2xw7ntb4d', progress: null },
  }),
});

/** The routes that follow jobs. */
export function jobEventRoutes(services: Services) {
  const { runs, sweeps, forgeries } = services.jobs;
  return createRouter()
    .openapi(runEventsRoute, (c) => {
      const { id } = c.req.valid('param');
      const asked = { feed: runs.feed(id), noun: 'run', viewOf: runView };
      return follow(services, c, asked, c.req.valid('header')['last-event-id']);
    })
    .openapi(sweepEventsRoute, (c) => {
      const { id } = c.req.valid('param');
      const asked = { feed: sweeps.feed(id), noun: 'sweep', viewOf: sweepView };
      return follow(services, c, asked, c.req.valid('header')['last-event-id']);
    })
    .openapi(forgeryEventsRoute, (c) => {
      const { id } = c.req.valid('param');
      const asked = { feed: forgeries.feed(id), noun: 'forgery', viewOf: forgeryView };
      return follow(services, c, asked, c.req.valid('header')['last-event-id']);
    });
}

/** What a view of a job is told of. */
interface View {
  readonly id: string;
  readonly status: z.output<typeof jobStatusSchema>;
  readonly progress: unknown;
}

interface Asked<News> {
  readonly feed: JobFeed<News>;
  readonly noun: string;
  readonly viewOf: (news: News) => View;
}

function follow<News extends { readonly id: string }>(
  services: Services,
  c: Context<ServerEnv>,
  { feed, noun, viewOf }: Asked<News>,
  last: string | undefined,
): Response {
  const type = acceptedType(c, EVENT_TYPES);
  const after = last === undefined ? -1 : Number(last);
  if (feed.isOver && after === feed.last) return c.body(null, 204);
  const headers = { ...STREAM_HEADERS, 'Content-Type': type };
  // Nobody would read the body, nor say that nobody does.
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  const free = services.elections.streams.wait();
  const wordsOf: JobTelling<News>['wordsOf'] = (news, isLast) => {
    const view = viewOf(news);
    const { status, progress } = view;
    return isLast
      ? { event: 'done', said: { status, final: view } }
      : { event: `${noun}.progress`, said: { status, progress } };
  };
  const job = String(c.req.param('id'));
  const form = type === 'application/jsonl' ? 'jsonl' : 'sse';
  const body = jobStream(
    { job, feed, form, after, wordsOf },
    { lifecycle: services.lifecycle, free, ...connectionOf(services, c) },
  );
  return c.body(body, 200, headers);
}
