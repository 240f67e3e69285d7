/**
 * @module
 * The routes that every kind of job has: submit, list, read, cancel and follow.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { StreamBudget } from '../callers/stream-budget.ts';
import { JSON_BODY } from '../contract/json-body.ts';
import { idParams } from '../contract/members.ts';
import { mapPage, pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { bodyRefusals, refusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, NO_QUERY } from '../contract/router.ts';
import type { ServerEnv } from '../request/env.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import type { OnFault } from '../request/refusals.ts';
import {
  eventContent,
  eventStream,
  followQuery,
  lastEventIdHeader,
  requestedStream,
  STREAM_RULE,
} from '../streams/event-stream.ts';
import { connectionOf, STREAM_HEADERS } from '../streams/pulled-stream.ts';
import { EVENTS_KEPT_MAX, jobSource, PROGRESS_INTERVAL_MS } from './job-feed.ts';
import type { JobKind, JobSnapshot, JobTypes, JobViewSchema } from './job-kind.ts';
import { jobStatusSchema } from './job-kind.ts';
import type { JobStore } from './job-store.ts';

type AnyKind = JobKind<JobTypes, string, z.ZodType, JobViewSchema, z.ZodObject>;

function jobRoutes<
  const Plural extends string,
  Body extends z.ZodType,
  View extends JobViewSchema,
  Query extends z.ZodObject,
  T extends JobTypes,
>(kind: JobKind<T, Plural, Body, View, Query>) {
  const { plural, noun, tags, summaries, view } = kind;
  const collection = `/v1/${plural}` as const;
  const path = `${collection}/{id}` as const;
  const [name, names] = [capitalized(noun), capitalized(plural)];
  return {
    submit: createRoute({
      method: 'post',
      path: collection,
      operationId: `submit${name}`,
      ...{ tags, summary: summaries.submit, middleware: JSON_BODY },
      request: { query: NO_QUERY, body: jsonRequest(kind.body, { example: kind.example }) },
      responses: {
        202: jsonAnswer(view, 'The job was accepted. Location is its path.'),
        ...bodyRefusals(503),
      },
    }),
    list: createRoute({
      method: 'get',
      path: collection,
      operationId: `list${names}`,
      ...{ tags, summary: summaries.list },
      request: { query: pageQuerySchema },
      responses: {
        ...pageResponse(view, `A page of ${plural} in the order of their ids.`),
        ...refusals(),
      },
    }),
    read: createRoute({
      method: 'get',
      path,
      operationId: `get${name}`,
      ...{ tags, summary: summaries.read },
      request: { params: idParams, query: kind.query },
      responses: { 200: jsonAnswer(view, `The ${noun}.`), ...refusals(404) },
    }),
    cancel: createRoute({
      method: 'delete',
      path,
      operationId: `cancel${name}`,
      ...{ tags, summary: summaries.cancel },
      request: { params: idParams, query: NO_QUERY },
      responses: {
        200: jsonAnswer(view, 'It was cancelled before.'),
        202: jsonAnswer(view, 'It is being cancelled.'),
        ...refusals(404, 409),
      },
    }),
    follow: createRoute({
      method: 'get',
      path: `${path}/events` as const,
      operationId: `follow${name}`,
      ...{ tags, summary: `Follow the events of a ${noun}`, description: FOLLOW_DESCRIPTION },
      request: { params: idParams, query: followQuery, headers: lastEventIdHeader },
      responses: followResponses(kind, name),
    }),
  };
}

function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

const FOLLOW_DESCRIPTION = `${STREAM_RULE} The events are \`<kind>.progress\` whenever status or progress change, progress at most once in ${PROGRESS_INTERVAL_MS} ms, and \`done\` with the whole job when it is over. Numbers count from 0 without gaps; the last ${EVENTS_KEPT_MAX} events are kept. A caller that already has the last event is answered 204. \`resync\` says that the events after Last-Event-ID are not available, \`closing\` that the server is stopping. Secrets are not sent.`;

const noticeSchema = z
  .object({
    v: z.literal(1),
    job: z.string(),
    event: z
      .enum(['resync', 'closing'])
      .describe(
        'resync: the events after Last-Event-ID are not available. closing: the server is stopping.',
      ),
    after: z.int().optional().describe('With resync: the number before that of the next event.'),
    retryAfterS: z.int().optional().describe('With closing.'),
  })
  .meta({
    id: 'JobNotice',
    example: { v: 1, job: 'r_kq3vj5m2xw7ntb4d', event: 'closing', retryAfterS: 10 },
  });

function followResponses<View extends JobViewSchema>(
  { noun, view, progressExample }: Pick<AnyKind, 'noun' | 'progressExample'> & { view: View },
  name: string,
) {
  const { progress, id } = view.shape;
  const job = id.meta()?.example;
  const eventSchema = z
    .object({
      v: z.literal(1),
      job: z.string().meta({ example: job }),
      seq: z.int().describe('Number of the event, from 0 without gaps; the id in SSE.'),
      event: z.enum([`${noun}.progress`, 'done']).describe('Also the name in SSE.'),
      status: jobStatusSchema,
      progress: progress.optional().describe('Not with done; `final` has it then.'),
      final: view.optional().describe('With done: the whole job.'),
    })
    .meta({
      id: `${name}Event`,
      example: {
        ...{ v: 1, job, seq: 2, event: `${noun}.progress`, status: 'running' },
        progress: progressExample,
      },
    });
  return {
    200: {
      description: 'The events.',
      content: eventContent(z.union([eventSchema, noticeSchema]), [`${name}Event`, 'JobNotice']),
    },
    204: { description: 'The caller has every event.' },
    ...refusals(404, 406, 503),
  };
}

/** What the answers about jobs use. */
export interface JobRouteParts {
  readonly lifecycle: Lifecycle;
  readonly streams: StreamBudget;
  readonly onFault: OnFault;
}

type C = Context<ServerEnv>;

/** The routes of a kind with their answers. `parse` checks a body, and `complete` adds to what is read. */
export function jobRouter<
  const Plural extends string,
  Body extends z.ZodType,
  View extends JobViewSchema,
  Query extends z.ZodObject,
  T extends JobTypes,
>(
  kind: JobKind<T, Plural, Body, View, Query>,
  store: JobStore<T>,
  parse: (body: z.output<Body>) => T['request'],
  parts: JobRouteParts,
  complete: (c: C, job: JobSnapshot<T>, view: z.output<View>) => z.output<View> = (
    _c,
    _job,
    view,
  ) => view,
) {
  const { viewOf } = kind;
  const routes = jobRoutes(kind);
  return createRouter()
    .openapi(routes.submit, (c) => {
      // The schema of this route. Its type is not resolved while Body is generic.
      const body = c.req.valid('json' as never) as z.output<Body>;
      const view = viewOf(store.submit(parse(body), c.get('principal')));
      c.header('Location', view.links.self);
      return c.json(view, 202);
    })
    .openapi(routes.list, (c) => {
      const jobs = store.list(c.get('principal'));
      const ordered = jobs.toSorted((left, right) => (left.id < right.id ? -1 : 1));
      const page = pageOf(ordered, ({ id }) => id, c.req.valid('query'));
      return c.json(mapPage(page, viewOf), 200);
    })
    .openapi(routes.read, (c) => {
      const job = store.get(String(c.req.param('id')), c.get('principal'));
      return c.json(complete(c, job, viewOf(job)), 200);
    })
    .openapi(routes.cancel, (c) => {
      const { id } = c.req.valid('param');
      const principal = c.get('principal');
      const wasCancelled = store.get(id, principal).state.status === 'cancelled';
      return c.json(viewOf(store.cancel(id, principal)), wasCancelled ? 200 : 202);
    })
    .openapi(routes.follow, (c) => {
      const job = c.req.valid('param').id;
      const last = c.req.valid('header')['last-event-id'];
      const { follow } = c.req.valid('query');
      const { form, type, after, end } = requestedStream(c, { last, follow });
      const feed = store.feed(job, c.get('principal'));
      if (feed.isOver && after === feed.last) return c.body(null, 204);
      const headers = { ...STREAM_HEADERS, 'Content-Type': type };
      // No caller would read the body, so it would never be released.
      if (c.req.method === 'HEAD') return c.body(null, 200, headers);
      const free = parts.streams.wait(c.get('principal'));
      const eventOf = (event: JobSnapshot<T>, isLast: boolean) => {
        const view = viewOf(event);
        const { status, progress } = view;
        return isLast
          ? { event: 'done', members: { status, final: view } }
          : { event: `${kind.noun}.progress`, members: { status, progress } };
      };
      const source = jobSource({ job, feed, form, after, end, viewOf: eventOf });
      const { lifecycle, onFault } = parts;
      const body = eventStream(source, { form, lifecycle, free, ...connectionOf(onFault, c) });
      return c.body(body, 200, headers);
    });
}
