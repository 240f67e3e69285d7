/**
 * @module
 * What is noted of every request: which route answered it, how, how long it took, and what that cost
 * on the wire. The route is the pattern and never the path, which can hold an id that opens what it
 * names; no header and no body is noted, so that the record may be logged and counted as it is.
 */

import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';

import { callerOf } from '../callers/caller.ts';
import type { ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';

/** One request that is over. */
export interface RequestRecord {
  /** The request id. */
  readonly id: string;
  /** The address it came from, or the name of its token. */
  readonly caller: string;
  readonly method: string;
  /** As the OpenAPI document spells it, `/v1/runs/{id}`; null where no route has the path. */
  readonly route: string | null;
  readonly status: number;
  /** From the request's headers to the last byte of the answer. */
  readonly durationMs: number;
  /** Of the answer on the wire, headers too; null without a socket. */
  readonly bytes: number | null;
  /** Whether the caller stayed until the end. */
  readonly isComplete: boolean;
}

/** Takes each request when it is over. */
export type OnRequest = (record: RequestRecord) => void;

export interface RequestObserver {
  readonly onRequest: OnRequest;
  /** Told when a stream of events begins; what it returns is called when the stream ends. */
  readonly onStream: () => () => void;
}

/** The middleware that notes; it belongs around everything but the request id. */
export function observeRequests(
  observer: RequestObserver,
  onRequest: OnRequest = () => undefined,
): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const startedMs = performance.now();
    await next();
    const seen = {
      id: c.get('requestId'),
      caller: callerOf(c),
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

/** Calls back when the last byte is written or the caller has gone; at once without a socket. */
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

/** Bytes that went out since the answer before: a connection answers one request after the other. */
function bytesSince(socket: Socket): number {
  const before = BYTES_ACCOUNTED.get(socket) ?? 0;
  BYTES_ACCOUNTED.set(socket, socket.bytesWritten);
  return socket.bytesWritten - before;
}

const BYTES_ACCOUNTED = new WeakMap<Socket, number>();

/** The pattern of the route that the path has, in OpenAPI's spelling. */
function routeOf(c: Context): string | null {
  const pattern = routePath(c, -1);
  const known = SPELLINGS.get(pattern);
  if (known !== undefined) return known;
  const route = pattern === '/*' ? null : pattern.replaceAll(/:(\w+)/g, '{$1}');
  SPELLINGS.set(pattern, route);
  return route;
}

/** As many as there are routes. */
const SPELLINGS = new Map<string, string | null>();

function isStream(response: Response): boolean {
  return response.headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;
}
