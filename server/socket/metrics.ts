/**
 * @module
 * The routes for operators: whether the server accepts requests, and the metrics for Prometheus, in its text
 * format 0.0.4. Labels are routes and statuses, never ids or callers, whose number has no limit.
 */

import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

import { z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

import { refusals } from '../contract/problem.ts';
import type { Router } from '../contract/router.ts';
import { createRouter, jsonAnswer, routesOf } from '../contract/router.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import { assertReady } from '../request/lifecycle.ts';

const route = routesOf('service');

/** Values that are read at each scrape. */
export interface MetricSources {
  readonly electionsKept: () => number;
  readonly jobs: Jobs['counts'];
  /** Number of refusals by each budget of callers. */
  readonly refusals: () => ReadonlyMap<string, number>;
}

/** Counts one server's requests. Metrics of the process are shared by all servers. */
export class Metrics implements RequestObserver {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #durations: Histogram<'method' | 'route'>;
  readonly #streams: Gauge;

  constructor(sources: MetricSources) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'http_requests_total',
      help: 'Requests answered.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'From the headers of a request to the last byte of its answer.',
      labelNames: ['method', 'route'],
      buckets: [...DURATION_BUCKETS_S],
      registers,
    });
    this.#streams = new Gauge({
      name: 'usurp_streams_open',
      help: 'Event streams that are open.',
      registers,
    });
    addStateGauges(registers, sources);
  }

  readonly onRequest = ({ method, route, status, durationMs }: RequestRecord): void => {
    const labels = { method, route: route ?? 'none' };
    this.#requests.inc({ ...labels, status });
    this.#durations.observe(labels, durationMs / 1e3);
  };

  readonly onStream = (): (() => void) => {
    this.#streams.inc();
    return () => this.#streams.dec();
  };

  async text(): Promise<string> {
    const parts = await Promise.all([this.#registry.metrics(), processMetrics().metrics()]);
    return parts.join('');
  }
}

function addStateGauges(
  registers: Registry[],
  { electionsKept, jobs, refusals }: MetricSources,
): void {
  new Counter({
    name: 'usurp_caller_refusals_total',
    help: 'Requests refused because a budget of the caller was used up, by budget.',
    labelNames: ['budget'],
    registers,
    collect() {
      this.reset();
      for (const [budget, count] of refusals()) this.inc({ budget }, count);
    },
  });
  new Gauge({
    name: 'usurp_elections_kept',
    help: 'Elections that exist.',
    registers,
    collect() {
      this.set(electionsKept());
    },
  });
  new Gauge({
    name: 'usurp_jobs',
    help: 'Jobs by kind and state; those that ended count while their results are kept.',
    labelNames: ['kind', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { kind, state, count } of jobs()) this.set({ kind, state }, count);
    },
  });
}

/**
 * CPU, memory, heap, garbage collection, event-loop lag and open files of this process. The library's
 * observers cannot be stopped, so they are created once for all servers.
 */
export function processMetrics(): Registry {
  if (processRegistry === null) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

let processRegistry: Registry | null = null;

/** From the time of a cached answer to that of an advance by a million events. */
const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

const readyRoute = route('get', '/readyz', {
  operationId: 'getReadiness',
  summary: 'Check whether the server accepts requests',
  description:
    'While the data file cannot be written, as on a full disk, the answer is 503 `storage.unavailable`. Reading ' +
    'works meanwhile. The server tries to write again by itself.',
  responses: {
    200: jsonAnswer(z.object({ status: z.literal('ready') }), 'It does.', {
      example: { status: 'ready' },
    }),
    ...refusals(503),
  },
});

const metricsRoute = route('get', '/metrics', {
  operationId: 'getMetrics',
  summary: 'Get the metrics for Prometheus',
  description: 'The text format 0.0.4: requests, streams, jobs, elections, and the process.',
  responses: {
    200: {
      description: 'One scrape.',
      content: {
        'text/plain': {
          schema: z.string(),
          example:
            '# HELP usurp_elections_kept Elections that exist.\n' +
            '# TYPE usurp_elections_kept gauge\nusurp_elections_kept 3\n',
        },
      },
    },
    ...refusals(),
  },
});

/** What the routes for operators use. */
export interface MonitoringParts {
  readonly lifecycle: Lifecycle;
  /** Throws OverloadError `storage.unavailable` while nothing can be stored. */
  readonly assertWritable: () => void;
  readonly metrics: Metrics;
}

/** The routes for operators: readiness and metrics. */
export function createMonitoringRoutes({
  lifecycle,
  assertWritable,
  metrics,
}: MonitoringParts): Router {
  return createRouter()
    .openapi(readyRoute, (c) => {
      assertReady(lifecycle.phase);
      assertWritable();
      return c.json({ status: 'ready' as const }, 200);
    })
    .openapi(metricsRoute, async (c) => {
      return c.text(await metrics.text(), 200, {
        'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE,
      });
    });
}

/**
 * A request that is over. Records each request: its route, status, duration, and the bytes of its answer. The route
 * is a pattern and never the path, because an id in a path gives access to its object. Headers and bodies are not
 * recorded, so a record may be logged and counted.
 */
export interface RequestRecord {
  readonly id: string;
  /** Address of the connection, or name of the token. */
  readonly caller: string;
  readonly method: string;
  /** The path as in the OpenAPI document, `/v1/runs/{id}`; null if no route has it. */
  readonly route: string | null;
  readonly status: number;
  /** Time from the headers of the request to the last byte of the answer. */
  readonly durationMs: number;
  /** Bytes of the answer on the wire with its headers; null without a socket. */
  readonly bytes: number | null;
  /** Whether the client stayed connected until the end. */
  readonly isComplete: boolean;
}

/** Receives each request when it is over. */
export type OnRequest = (record: RequestRecord) => void;

interface RequestObserver {
  readonly onRequest: OnRequest;
  /** Called when an event stream begins. The function that it returns is called when the stream ends. */
  readonly onStream: () => () => void;
}

/** The middleware that records. It comes after the request id and before everything else. */
export function observeRequests(
  observer: RequestObserver,
  onRequest: OnRequest = () => undefined,
): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const startedMs = performance.now();
    await next();
    const seen = {
      id: c.get('requestId'),
      caller: c.get('principal').caller,
      method: c.req.method,
      route: routeOf(c),
    };
    const { status } = c.res;
    const streamEnded = isStream(c.res) ? observer.onStream() : null;
    onEnd(c, (end) => {
      streamEnded?.();
      const durationMs = performance.now() - startedMs;
      const record = { ...seen, status, durationMs, ...end };
      observer.onRequest(record);
      onRequest(record);
    });
  };
}

type End = Pick<RequestRecord, 'bytes' | 'isComplete'>;

/** Calls back when the last byte is written or the client has disconnected; at once without a socket. */
function onEnd(c: Context<ServerEnv>, callback: (end: End) => void): void {
  const { incoming, outgoing } = bindingsOf(c);
  if (incoming === undefined || outgoing === undefined) {
    callback({ bytes: null, isComplete: true });
    return;
  }
  const { socket } = incoming;
  outgoing.once('close', () => {
    callback({ bytes: bytesSince(socket), isComplete: outgoing.writableFinished });
  });
}

/** Bytes written since the answer before. A connection answers one request after the other. */
function bytesSince(socket: Socket): number {
  const before = BYTES_ACCOUNTED.get(socket) ?? 0;
  BYTES_ACCOUNTED.set(socket, socket.bytesWritten);
  return socket.bytesWritten - before;
}

const BYTES_ACCOUNTED = new WeakMap<Socket, number>();

/** The pattern of the route that has the path, as OpenAPI spells it. */
function routeOf(c: Context): string | null {
  const pattern = routePath(c, -1);
  const known = SPELLINGS.get(pattern);
  if (known !== undefined) return known;
  const route = pattern === '/*' ? null : pattern.replaceAll(/:(\w+)/g, '{$1}');
  SPELLINGS.set(pattern, route);
  return route;
}

/** Patterns that were seen, as OpenAPI spells them. There are as many as routes. */
const SPELLINGS = new Map<string, string | null>();

function isStream(response: Response): boolean {
  return response.headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;
}
