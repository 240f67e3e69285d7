/**
 * @module
 * Records each request: its route, status, duration, and the bytes of its answer. The route is a pattern and
 * never the path, because an id in a path gives access to its object. Headers and bodies are not
 * recorded, so a record may be logged and counted.
 */

import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';

import type { ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';

/** A request that is over. */
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

export interface RequestObserver {
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
