/**
 * @module
 * This folder connects the API to a socket and observes its requests. This file listens, with timeouts
 * that close slow and idle connections. Bytes that Node's parser refuses (bad request lines, headers over
 * 16 KiB, timeouts) are answered by Node with 400, 431 or 408 without a body: the only answers that are
 * not problem documents.
 */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isIPv6 } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

import { getRequestListener, RequestError } from '@hono/node-server';

import { LabError } from '../../src/errors.ts';
import { BODY_BYTES_MAX } from '../contract/json-body.ts';
import { problemHeaders, problemOf } from '../contract/problem.ts';
import type { Router } from '../contract/router.ts';
import type { OnFault } from '../request/server-fault.ts';
import { Connections } from './connection-limit.ts';
import type { Handle } from './connection-turns.ts';
import { inTurns } from './connection-turns.ts';

/** Where to listen. */
export interface Address {
  /** A name or an IP address of this machine. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface Listening {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  /**
   * Lets requests finish for a while, then takes no more and ends what is left. Until then new ones
   * reach the app, which is to refuse them: a caller who is told when to come back is better off than
   * one whose connection is refused.
   */
  close(): Promise<void>;
}

/** Resolves once connections are taken; throws LabError `arguments` when the address cannot be had. */
export async function listen(
  address: Address,
  app: Router,
  onFault: OnFault,
  { connections = new Connections(), ...patience }: ListenOptions = {},
): Promise<Listening> {
  const { answerTimeout, ...timeouts } = { ...PATIENCE, ...patience };
  const answer = requestListener(address, app, onFault);
  const handle: Handle = (incoming, outgoing) => {
    connections.begin(incoming, outgoing);
    answer(incoming, outgoing);
  };
  const server = createServer(timeouts, inTurns(handle, answerTimeout));
  server.on('checkContinue', answerExpectation);
  connections.limit(server);
  const { port } = await bind(server, address);
  const host = isIPv6(address.host) ? `[${address.host}]` : address.host;
  return { url: `http://${host}:${port}`, close: () => close(server, connections) };
}

/** What the adapter itself refuses, or what falls through the app, is answered as a problem too. */
function requestListener(address: Address, app: Router, onFault: OnFault): Handle {
  return getRequestListener(app.fetch, {
    hostname: address.host,
    errorHandler: (error) => {
      const malformed = error instanceof RequestError;
      const refusal = malformed ? new LabError('host', 'the host or the path is malformed') : error;
      const problem = problemOf(refusal, randomUUID());
      if (problem.status === 500) onFault({ id: problem.instance, error });
      const headers = { ...problemHeaders(problem), 'X-Request-Id': problem.instance };
      return new Response(JSON.stringify(problem), { status: problem.status, headers });
    },
  });
}

/** Without this Node invites a body of any announced length before the app has seen the request. */
function answerExpectation(
  this: Server,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced <= BODY_BYTES_MAX) outgoing.writeContinue();
  this.emit('request', incoming, outgoing);
}

async function bind(server: Server, { host, port }: Address): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen({ host, port }, resolve);
  try {
    await promise;
  } catch (cause) {
    throw new LabError('arguments', `cannot listen on ${host} port ${port}: ${reasonOf(cause)}`);
  }
  server.off('error', reject);
  const bound = server.address();
  if (bound === null || typeof bound === 'string') {
    throw new TypeError('"server.address()" expected a TCP address, got a pipe');
  }
  return bound;
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return 'another program listens there; try --port 0';
    case 'EACCES':
      return 'not permitted; ports below 1024 need privileges';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'not an address of this machine';
    default:
      return String(code ?? 'unknown cause');
  }
}

async function close(server: Server, connections: Connections): Promise<void> {
  const deadlineMs = performance.now() + CLOSE_GRACE_MS;
  while (connections.answering > 0 && performance.now() < deadlineMs) await delay(SWEEP_MS);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  // Closing ends the connections that are idle now; those whose last bytes are under way become idle.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const end = setTimeout(() => server.closeAllConnections(), CLOSE_LAST_MS);
  await promise;
  clearInterval(sweep);
  clearTimeout(end);
}

/** In milliseconds, all but the last as Node calls them. */
export interface Patience {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** For a caller who takes nothing of an answer that is all there, or sent another request behind it. */
  readonly answerTimeout: number;
}

export interface ListenOptions extends Partial<Patience> {
  /** What it is to hold its connections in, for others to see. */
  readonly connections?: Connections;
}

/** Slow headers and bodies are answered 408 and closed when these run out. */
export const PATIENCE: Patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  answerTimeout: 10_000,
};

/** How long `close` waits for requests that are being answered, and then for connections to end. */
const CLOSE_GRACE_MS = 5_000;
const CLOSE_LAST_MS = 500;
const SWEEP_MS = 20;
