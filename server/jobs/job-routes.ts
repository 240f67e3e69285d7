/**
 * @module
 * The routes that every kind of job has: submit, list, read, cancel and follow. A kind describes itself and
 * keeps its precise types; what its routes have in common is here.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { StreamBudget } from '../callers/stream-budget.ts';
import { JSON_BODY } from '../contract/json-body.ts';
import { idParams } from '../contract/members.ts';
import { mapPage, pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { bodyRefusals, problemOf, problemSchema, refusals } from '../contract/problem.ts';
import { jsonAnswer, jsonRequest, NO_QUERY } from '../contract/router.ts';
import type { ServerEnv } from '../request/env.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import type { OnFault } from '../request/server-fault.ts';
import {
  eventContent,
  eventStream,
  lastEventIdHeader,
  requestedStream,
} from '../streams/event-stream.ts';
import { connectionOf, STREAM_HEADERS } from '../streams/pulled-stream.ts';
import { EVENTS_KEPT_MAX, PROGRESS_INTERVAL_MS } from './job-feed.ts';
import { JobSource } from './job-source.ts';
import type { JobStatus } from './job-state.ts';
import { JOB_STATUSES } from './job-state.ts';
import type { JobSnapshot, JobStore } from './job-store.ts';

/** A kind of job, as its routes describe it. */
interface JobDescription<
  Plural extends string,
  Body extends z.ZodType,
  View extends JobSchema,
  Query extends z.ZodObject,
> {
  readonly plural: Plural;
  /** Name of a job in events: `run`. */
  readonly noun: string;
  /** Name of a job in operation ids and components: `Run`. */
  readonly name: string;
  readonly tags: string[];
  readonly summaries: Readonly<Record<'submit' | 'list' | 'read' | 'cancel' | 'follow', string>>;
  /** Query parameters of reading a job. */
  readonly query: Query;
  readonly body: Body;
  readonly example: object;
  readonly view: View;
  /** Progress in the example of an event. */
  readonly progressExample: unknown;
}

type JobSchema = z.ZodObject<{ progress: z.ZodType; id: z.ZodType }>;

const jobStatusSchema = z.enum(JOB_STATUSES);

/** The members of every job, apart from what it is about. */
export function jobMembers(idExample: string) {
  return {
    id: z.string().meta({ example: idExample }),
    status: jobStatusSchema,
    problem: problemSchema.optional().describe('Why it failed or was interrupted.'),
  };
}

export const jobLinksSchema = z.object({ self: z.string(), events: z.string() });

/** The members of `jobMembers`, for a job. */
export function jobView({ id, state }: Pick<AnySnapshot, 'id' | 'state'>) {
  const { status, error } = state;
  return { id, status, ...(error !== undefined && { problem: problemOf(error, id) }) };
}

export const ledgerSchema = z
  .object({
    attempts: z.number(),
    hashes: z.number(),
    groupOperations: z.number(),
    cpuSeconds: z.number(),
    wallSeconds: z.number(),
    overshoot: z.number(),
  })
  .meta({ id: 'Ledger' });

/** The five routes of a kind. */
export function jobRoutes<
  const Plural extends string,
  Body extends z.ZodType,
  View extends JobSchema,
  Query extends z.ZodObject,
>(kind: JobDescription<Plural, Body, View, Query>) {
  const { plural, name, tags, summaries, view } = kind;
  const collection = `/v1/${plural}` as const;
  const path = `${collection}/{id}` as const;
  const names = `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`;
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
      responses: { 200: jsonAnswer(view, `The ${kind.noun}.`), ...refusals(404) },
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
      ...{ tags, summary: summaries.follow, description: FOLLOW_DESCRIPTION },
      request: { params: idParams, query: NO_QUERY, headers: lastEventIdHeader },
      responses: followResponses(kind),
    }),
  };
}

const FOLLOW_DESCRIPTION = `Server-sent events, or JSON lines if Accept names them: \`<kind>.progress\` whenever status or progress change, progress at most once in ${PROGRESS_INTERVAL_MS} ms, and \`done\` with the whole job when it is over. Numbers count from 0 without gaps; the last ${EVENTS_KEPT_MAX} events are kept. A caller that already has the last event is answered 204. \`resync\` says that the events after Last-Event-ID are not available, \`closing\` that the server is stopping. Secrets are not sent.`;

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

function followResponses<View extends JobSchema>({
  name,
  noun,
  view,
  progressExample,
}: Omit<JobDescription<string, z.ZodType, View, z.ZodObject>, 'example'>) {
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

type AnySnapshot = JobSnapshot<unknown, unknown, unknown>;

/** What the answers about jobs use. */
export interface JobRouteParts {
  readonly lifecycle: Lifecycle;
  readonly streams: StreamBudget;
  readonly onFault: OnFault;
}

interface AnyView {
  readonly id: string;
  readonly status: JobStatus;
  readonly progress: unknown;
  readonly links: { readonly self: string };
}

/** The answers that the routes of a kind give. */
export function jobAnswers<Request, Progress, Result, View extends AnyView>(
  store: JobStore<Request, Progress, Result>,
  noun: string,
  viewOf: (job: JobSnapshot<Request, Progress, Result>) => View,
) {
  type C = Context<ServerEnv>;
  return {
    submit: (c: C, request: Request): View => {
      const view = viewOf(store.submit(request, c.get('principal')));
      c.header('Location', view.links.self);
      return view;
    },
    list: (c: C, query: z.output<typeof pageQuerySchema>) => {
      const jobs = store.list(c.get('principal'));
      const ordered = jobs.toSorted((left, right) => (left.id < right.id ? -1 : 1));
      return mapPage(
        pageOf(ordered, ({ id }) => id, query),
        viewOf,
      );
    },
    read: (c: C, { id }: z.output<typeof idParams>): View =>
      viewOf(store.get(id, c.get('principal'))),
    /** The status is 202 if the job was not cancelled before. */
    cancel: (c: C, { id }: z.output<typeof idParams>) => {
      const principal = c.get('principal');
      const wasCancelled = store.get(id, principal).state.status === 'cancelled';
      const view = viewOf(store.cancel(id, principal));
      return [view, wasCancelled ? 200 : 202] as const;
    },
    follow: (c: C, last: string | undefined, parts: JobRouteParts): Response => {
      const { form, type, after } = requestedStream(c, last);
      const job = String(c.req.param('id'));
      const feed = store.feed(job, c.get('principal'));
      if (feed.isOver && after === feed.last) return c.body(null, 204);
      const headers = { ...STREAM_HEADERS, 'Content-Type': type };
      // No caller would read the body, so it would never be released.
      if (c.req.method === 'HEAD') return c.body(null, 200, headers);
      const free = parts.streams.wait(c.get('principal'));
      const eventOf = (event: JobSnapshot<Request, Progress, Result>, isLast: boolean) => {
        const view = viewOf(event);
        const { status, progress } = view;
        return isLast
          ? { event: 'done', members: { status, final: view } }
          : { event: `${noun}.progress`, members: { status, progress } };
      };
      const source = new JobSource({ job, feed, form, after, viewOf: eventOf });
      const { lifecycle, onFault } = parts;
      const body = eventStream(source, { form, lifecycle, free, ...connectionOf(onFault, c) });
      return c.body(body, 200, headers);
    },
  };
}
