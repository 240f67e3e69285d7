/**
 * @module
 * Routes about what happened in an election: its events as they come, and its trace in the forms that
 * other programs read. Both fold the election anew, beside the one that goes on.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { shivizLines } from '../../../src/simulation/report/shiviz.ts';
import {
  assertDrawable,
  SVG_RECORDS_LIMIT,
  spaceTimeSvg,
} from '../../../src/simulation/report/space-time/svg.ts';
import { clockedLines } from '../../../src/simulation/report/trace-formats.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { charged } from '../../callers/principal.ts';
import { idSchema } from '../../contract/ids.ts';
import { acceptedType } from '../../contract/media-type.ts';
import { refusals } from '../../contract/problem-schema.ts';
import { createRouter, NO_QUERY } from '../../contract/router.ts';
import type { Services } from '../../services.ts';
import { linesStream } from '../../streams/pulled-stream.ts';
import { connectionOf, STREAM_HEADERS } from '../../streams/stream-connection.ts';
import type { LiveElection } from '../live/live-election.ts';
import { retold } from '../live/replay.ts';
import { electionLineSchema, sentEventSchema } from './event.ts';
import type { FollowOptions } from './event-stream.ts';
import { eventStream, Follower } from './event-stream.ts';

/** Events of a trace times nodes: every event has a clock with a component for each. */
export const TRACE_CELLS_MAX = 2_000_000;
const TRACE_EVENTS_MAX = 50_000;

const EVENT_TYPES = ['text/event-stream', 'application/jsonl'] as const;
const TRACE_TYPES = ['application/jsonl', 'text/plain', 'image/svg+xml'] as const;
type TraceType = (typeof TRACE_TYPES)[number];

const tags = ['elections'];
const path = '/v1/elections/{id}';
const params = z.strictObject({ id: idSchema });

const SEQ_DEMAND = 'must be the id of an event, a whole number';

const eventsRoute = createRoute({
  method: 'get',
  path: `${path}/events`,
  operationId: 'followElection',
  tags,
  summary: 'The events of an election, from the first, as they come',
  description:
    'Server-sent events follow until the election is concluded (all that was done has come to rest) or deleted, and end with `done`; one who is then ahead of nothing is answered 204. JSON lines tell what there is and end. Who names no form in Accept is told server-sent events, and so follows: without a conclusion in sight the answer does not end by itself. With `follow=true` either goes on until the election is deleted. `closing` says that the server is stopping, `resync` that Last-Event-ID was none of this election.',
  request: {
    params,
    query: z.strictObject({
      follow: z
        .enum(['true', 'false'], 'must be true or false')
        .optional()
        .meta({ description: 'Whether to stay beyond the conclusion.', example: 'true' }),
    }),
    headers: z.object({
      'last-event-id': z
        .string()
        .regex(/^\d{1,15}$/, SEQ_DEMAND)
        .optional()
        .meta({ description: 'The last event that the caller has.', example: '41' }),
    }),
  },
  responses: {
    200: {
      description: 'The events.',
      content: {
        'text/event-stream': { schema: z.string(), itemSchema: sentEventSchema },
        'application/jsonl': { schema: z.string(), itemSchema: electionLineSchema },
      },
    },
    204: { description: 'There is nothing left to tell.' },
    ...refusals(404, 406, 409, 503),
  },
});

const traceRoute = createRoute({
  method: 'get',
  path: `${path}/trace`,
  operationId: 'getElectionTrace',
  tags,
  summary: 'The trace of an election',
  description:
    'JSON lines with vector clocks, the header first; plain text as ShiViz reads it; or a space-time diagram as SVG.',
  request: { params, query: NO_QUERY },
  responses: {
    200: {
      description: 'The trace as it stands.',
      content: {
        'application/jsonl': { schema: z.string() },
        'text/plain': { schema: z.string() },
        'image/svg+xml': { schema: z.string() },
      },
    },
    ...refusals(404, 406, 409, 503),
  },
});

/** The routes about what happened. */
export function streamRoutes(services: Services) {
  const { elections } = services;
  return createRouter()
    .openapi(eventsRoute, async (c) => {
      const type = acceptedType(c, EVENT_TYPES);
      const election = elections.get(c.req.valid('param').id);
      const { follow } = c.req.valid('query');
      const last = c.req.valid('header')['last-event-id'];
      const options = followOptions(type, follow === 'true', last);
      const headers = { ...STREAM_HEADERS, 'Content-Type': type };
      // Nobody would read the body, nor say that nobody does.
      if (c.req.method === 'HEAD') return c.body(null, 200, headers);
      const free = elections.streams.take(election.plan.nodes);
      const follower = new Follower(election, options);
      if (last !== undefined && (await isOver(follower, c.req.raw.signal, free))) {
        return c.body(null, 204);
      }
      const { lifecycle } = services;
      const body = eventStream(follower, { lifecycle, free, ...connectionOf(services, c) });
      return c.body(body, 200, headers);
    })
    .openapi(traceRoute, async (c) => {
      const type = acceptedType(c, TRACE_TYPES);
      const election = elections.get(c.req.valid('param').id);
      const headers = { 'Content-Type': CONTENT_TYPES[type] };
      if (c.req.method === 'HEAD') return c.body(null, 200, headers);
      const free = elections.streams.take(election.plan.nodes);
      const lines = await traceOf(election, type).catch((error: unknown) => {
        free();
        throw error;
      });
      const body = linesStream(lines, { free, ...connectionOf(services, c) });
      return c.body(body, 200, headers);
    });
}

function followOptions(
  type: (typeof EVENT_TYPES)[number],
  follow: boolean,
  last: string | undefined,
): FollowOptions {
  const form = type === 'application/jsonl' ? 'jsonl' : 'sse';
  const until = form === 'sse' ? 'concluded' : 'told';
  const after = last === undefined ? -1 : Number(last);
  return { form, after, until: follow ? 'deleted' : until };
}

/** Whether nothing is left to tell; what was taken for the stream is given back then. */
async function isOver(follower: Follower, signal: AbortSignal, free: () => void): Promise<boolean> {
  try {
    const isOver = await follower.isOver(signal);
    if (isOver) free();
    return isOver;
  } catch (error) {
    free();
    throw error;
  }
}

/** The lines of the trace in one form. Throws LabError `job.size`. */
async function traceOf(election: LiveElection, type: TraceType): Promise<Iterable<string>> {
  const { plan } = election;
  const isDrawing = type === 'image/svg+xml';
  if (isDrawing) assertDrawable(plan.nodes, 0);
  const cells = Math.floor(TRACE_CELLS_MAX / plan.nodes);
  const simulation = await retold(
    election.told,
    isDrawing ? SVG_RECORDS_LIMIT : Math.min(cells, TRACE_EVENTS_MAX),
  );
  return charged(() => linesOf(simulation, type));
}

function linesOf(simulation: Simulation, type: TraceType): Iterable<string> {
  const { plan } = simulation;
  const records = simulation.records();
  switch (type) {
    case 'application/jsonl':
      return jsonLines(simulation);
    case 'text/plain':
      return shivizLines(records, plan.nodes, plan.store);
    case 'image/svg+xml':
      return [spaceTimeSvg(plan, records)];
    default:
      return type satisfies never;
  }
}

function* jsonLines(simulation: Simulation): Generator<string, void, undefined> {
  const { plan } = simulation;
  const [header = ''] = simulation.traceLines();
  yield header;
  yield* clockedLines(simulation.records(), plan.nodes, plan.store);
}

const CONTENT_TYPES: Readonly<Record<TraceType, string>> = {
  'application/jsonl': 'application/jsonl',
  'text/plain': 'text/plain; charset=utf-8',
  'image/svg+xml': 'image/svg+xml',
};
