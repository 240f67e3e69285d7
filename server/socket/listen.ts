/**
 * @module
 * This folder connects the API to a socket and observes its requests. This file listens, with timeouts
 * that close slow and idle connections. Bytes that Node's parser refuses (bad request lines, headers over
 * 16 KiB, timeouts) are answered by Node with 400, 431 or 408 without a body: the only answers that are
 * not problem documents.
 */

import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { isIP, isIPv6 } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';

import { getRequestListener, RequestError } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';

import { LabError } from '../../src/errors.ts';
import { payingAddress } from '../../src/live/transport/work-budget.ts';
import type { AddressBudgets } from '../callers/address-budgets.ts';
import { FairTurns } from '../callers/address-budgets.ts';
import type { TrustedProxies } from '../callers/client-address.ts';
import { BODY_BYTES_MAX } from '../contract/json-body.ts';
import { problemHeaders, problemOf } from '../contract/problem.ts';
import type { Router } from '../contract/router.ts';
import type { ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';
import type { OnFault } from '../request/refusals.ts';
import { Connections } from './connection-limit.ts';
import { Reading } from './reading.ts';

export interface Address {
  /** A name or an IP address of this machine. */
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Serves HTTPS in place of HTTP. */
  readonly tls?: Certificate | null;
}

/** A certificate with the chain to its issuer, and its private key, both in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Listening {
  /** `http://host:port` or `https://host:port`, without a slash at the end. */
  readonly url: string;
  /**
   * Lets requests finish for a while, then closes all connections. Until then new requests reach the app,
   * which must refuse them: a refusal says when to try again, a refused connection does not.
   */
  close(): Promise<void>;
}

/**
 * Resolves when connections are accepted. Throws LabError `arguments` if the address is not available, or if the
 * certificate cannot be used.
 */
export async function listen(
  address: Address,
  app: Router,
  onFault: OnFault,
  { connections = new Connections(), senders = EQUAL_SENDERS, ...patience }: ListenOptions = {},
): Promise<Listening> {
  const { answerTimeout, ...timeouts } = { ...PATIENCE, ...patience };
  const answer = requestListener(address, app, onFault);
  const turns = new FairTurns();
  const handle: Handle = (incoming, outgoing) => {
    connections.begin(incoming, outgoing);
    const status = forbiddenStatus(incoming);
    if (status === null) {
      requestBody(incoming, outgoing);
      answer(incoming, outgoing);
    } else outgoing.writeHead(status, { Connection: 'close' }).end();
  };
  const reading = new Reading(turns);
  const begin: Begin = (incoming, outgoing, go) => {
    connections.arrive(outgoing);
    const { line, refusal } = senders.senderOf(incoming);
    if (line.isPreferred) reading.moveTo(incoming.socket, line);
    turns.run(line, () => {
      if (outgoing.destroyed) return;
      if (refusal === null) go(incoming, outgoing);
      else refuse(outgoing, refusal);
    });
  };
  const inLine = inTurns({ answer: handle, begin, reader: reading, stalledMs: answerTimeout });
  const server = serverOf(address, timeouts, (incoming, outgoing) => {
    reading.note(incoming.socket, incoming);
    inLine(incoming, outgoing);
  });
  for (const event of ['checkContinue', 'checkExpectation']) {
    server.on(event, (incoming, outgoing) => server.emit('request', incoming, outgoing));
  }
  // Node itself would close the connection without an answer.
  server.on('connect', (_incoming, socket: Socket) => socket.end(NO_TUNNEL));
  connections.limit(server);
  const served = server instanceof TlsServer ? 'secureConnection' : 'connection';
  server.on(served, (socket: Socket) => reading.start(socket, addressOf(socket)));
  gateConnections(server, ({ remoteAddress }) => {
    turns.hurry();
    return senders.takeConnection(remoteAddress);
  });
  const { port } = await bind(server, address);
  const host = isIPv6(address.host) ? `[${address.host}]` : address.host;
  const scheme = server instanceof HttpsServer ? 'https' : 'http';
  return { url: `${scheme}://${host}:${port}`, close: () => close(server, connections) };
}

type AnyServer = Server | HttpsServer;

/** Passes on only the connections that are accepted. All listeners must be there. */
function gateConnections(server: AnyServer, accepts: (socket: Socket) => boolean): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!accepts(socket)) socket.destroy();
    else for (const listener of listeners) listener.call(server, socket);
  });
}

function addressOf({ remoteAddress = '' }: Socket): string {
  return payingAddress(remoteAddress);
}

/** Senders that are not told apart, and have no limits. */
const EQUAL_SENDERS: Senders = {
  takeConnection: () => true,
  senderOf: ({ socket }) => ({
    line: { name: addressOf(socket), isPreferred: false },
    refusal: null,
  }),
};

function serverOf({ tls = null }: Address, timeouts: Timeouts, handle: Handle): AnyServer {
  const settings = { ...timeouts, requireHostHeader: false };
  if (tls === null) return createServer(settings, handle);
  const handshakeTimeout = timeouts.headersTimeout;
  try {
    assertPair(tls);
    return new HttpsServer({ ...settings, ...tls, handshakeTimeout }, handle);
  } catch (cause) {
    // The message of OpenSSL does not contain the key.
    const why = cause instanceof Error ? cause.message : String(cause);
    const detail = `cannot serve HTTPS with this certificate and key: ${why}; both must be PEM and belong together`;
    throw new LabError('arguments', detail);
  }
}

/** Throws Error. OpenSSL itself accepts a pair of different types, and then every handshake fails. */
function assertPair({ cert, key }: Certificate): void {
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  throw new Error('the key is not that of the certificate');
}

/** Also answers refusals of the adapter and errors outside the app with a problem document. */
function requestListener(address: Address, app: Router, onFault: OnFault): Handle {
  return getRequestListener(app.fetch, {
    hostname: address.host,
    errorHandler: (error) => {
      const malformed = error instanceof RequestError;
      const refusal = malformed ? new LabError('host', 'the host or the path is malformed') : error;
      const { id, status, headers, body } = problemAnswer(refusal);
      if (status === 500) onFault({ id, error });
      return new Response(body, { status, headers });
    },
  });
}

/** A refusal before the app. */
function refuse(outgoing: ServerResponse, refusal: LabError): void {
  const { status, headers, body } = problemAnswer(refusal);
  outgoing.writeHead(status, { ...headers, Connection: 'close' }).end(body);
}

function problemAnswer(error: unknown) {
  const id = randomUUID();
  const problem = problemOf(error, id);
  const headers = { ...problemHeaders(problem), 'X-Request-Id': id };
  return { id, status: problem.status, headers, body: JSON.stringify(problem) };
}

/** The answer to CONNECT (RFC 9110, section 9.3.6): this server is no proxy. */
const NO_TUNNEL = 'HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * The status of a request of another version than HTTP/1.0 and 1.1 (RFC 9110, section 15.6.6), and of a request of HTTP/1.1
 * without a host, or that expects anything but 100-continue; null of any other one. Node itself would answer all of the last
 * two on a connection at once, outside its turns.
 */
function forbiddenStatus({ httpVersion, headers }: IncomingMessage): 400 | 417 | 505 | null {
  if (httpVersion === '1.0') return null;
  if (httpVersion !== '1.1') return 505;
  if (headers.host === undefined) return 400;
  return CONTINUE.test(headers.expect ?? '100-continue') ? null : 417;
}

/**
 * Sends the interim answer for which the client waits (RFC 9110, section 10.1.1). Node itself would request a body of any
 * announced length, before the app sees the request. A server that stops still answers what it has requested.
 */
function requestBody({ httpVersion, headers }: IncomingMessage, outgoing: ServerResponse): void {
  if (httpVersion !== '1.1' || headers.expect === undefined) return;
  const announced = Number(headers['content-length'] ?? 0);
  if (announced <= BODY_BYTES_MAX) outgoing.writeContinue();
}

async function bind(server: AnyServer, { host, port }: Address): Promise<AddressInfo> {
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

async function close(server: AnyServer, connections: Connections): Promise<void> {
  const deadlineMs = performance.now() + CLOSE_GRACE_MS;
  while (connections.answering > 0 && performance.now() < deadlineMs) await delay(SWEEP_MS);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  // `close` ends idle connections. Those that still send their last bytes become idle later.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const end = setTimeout(() => server.closeAllConnections(), CLOSE_LAST_MS);
  await promise;
  clearInterval(sweep);
  clearTimeout(end);
}

type Timeouts = Omit<Patience, 'answerTimeout'>;

/** Timeouts in ms. All but the last are Node's. */
export interface Patience {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** For a client that takes nothing of a complete answer, or that waits with another request behind it. */
  readonly answerTimeout: number;
}

/** Who sends requests, as far as it shows before the app. */
export type Senders = Pick<AddressBudgets, 'takeConnection' | 'senderOf'>;

export interface ListenOptions extends Partial<Patience> {
  readonly senders?: Senders;
  /** Receives the connections of the server. */
  readonly connections?: Connections;
}

/** The defaults. Slow headers and bodies are answered 408 and closed. */
export const PATIENCE: Patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  answerTimeout: 10_000,
};

/** Time that `close` waits for unanswered requests, and then for connections to end. */
export const CLOSE_GRACE_MS = 5_000;
const CLOSE_LAST_MS = 500;
const SWEEP_MS = 20;

/**
 * Answers the requests of one connection one after the other. Node passes on all pipelined requests (RFC 9112
 * section 9.3.2) as soon as they are read. Their answers would accumulate in memory if the client does not take
 * them.
 */
type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Begins a request when it is the turn of its sender. */
type Begin = (incoming: IncomingMessage, outgoing: ServerResponse, answer: Handle) => void;

/** Who reads the connections. */
type Reader = Pick<Reading, 'hold' | 'release'>;

interface RequestTurns {
  readonly answer: Handle;
  readonly begin: Begin;
  readonly reader: Reader;
  readonly stalledMs: number;
}

/** A connection is not read while this number of its pipelined requests wait, or their bytes. */
const UNREAD_FROM = 16;
const UNREAD_FROM_BYTES = 64 * 1024;
/**
 * Node passes on all requests of one piece that it has read. This number of them may wait. The answer to the last
 * one closes the connection if there were more (RFC 9112 section 9.6), and the client repeats those.
 */
export const AHEAD_MAX = 256;
const AHEAD_BYTES_MAX = 3 * UNREAD_FROM_BYTES;

/**
 * Answers the next request of a connection when the answer before it was taken. While many wait, the
 * connection is not read, so that a client may send any number. If too many were read at once, the rest is not
 * answered, and the connection is closed after the last answer. It is closed at once if one has waited for `stalledMs`, or if the client has taken nothing of a complete answer for as
 * long.
 */
function inTurns(turns: RequestTurns): Handle {
  const lines = new WeakMap<Socket, RequestLine>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const line = lines.get(socket) ?? new RequestLine(socket, turns);
    lines.set(socket, line);
    line.take(incoming, outgoing);
  };
}

interface Waiting {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Bytes that had been read of the connection when it came. */
  readonly bytesRead: number;
}

class RequestLine {
  readonly #socket: Socket;
  readonly #turns: RequestTurns;
  readonly #waiting: Waiting[] = [];
  #isAnswering = false;
  /** Whether the last request that waits is the last of the connection. */
  #isFull = false;
  /** Whether the connection is not read. */
  #isUnread = false;
  /** Bytes that had been read when the last request came that does not wait. */
  #bytesBefore = 0;
  #impatience: NodeJS.Timeout | undefined;

  constructor(socket: Socket, turns: RequestTurns) {
    this.#socket = socket;
    this.#turns = turns;
  }

  take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const socket = this.#socket;
    // Requests that were read together with the one that exceeded a limit still arrive.
    if (socket.destroyed || this.#isFull) return;
    if (!this.#isAnswering) {
      this.#begin(incoming, outgoing);
      return;
    }
    if (this.#waiting.length === AHEAD_MAX) {
      this.#waiting.at(-1)?.outgoing.setHeader('Connection', 'close');
      this.#isFull = true;
      return;
    }
    if (this.#waiting.length === 0) {
      this.#bytesBefore = socket.bytesRead;
      this.#wait();
    }
    this.#waiting.push({ incoming, outgoing, bytesRead: socket.bytesRead });
    const requests = this.#waiting.length;
    const bytes = socket.bytesRead - this.#bytesBefore;
    if (bytes > AHEAD_BYTES_MAX) this.#close();
    else if (requests >= UNREAD_FROM || bytes >= UNREAD_FROM_BYTES) {
      this.#isUnread = true;
      this.#turns.reader.hold(socket);
    }
  }

  #begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#isAnswering = true;
    // Node restarts this timeout with every byte that is taken, and ends it with the next request.
    outgoing.once('prefinish', () => this.#socket.setTimeout(this.#turns.stalledMs));
    outgoing.once('close', () => this.#next());
    const { begin, answer } = this.#turns;
    begin(incoming, outgoing, answer);
  }

  #next(): void {
    this.#isAnswering = false;
    clearTimeout(this.#impatience);
    // No answer can be sent. Requests behind one that closes the connection are void.
    if (!this.#socket.writable) this.#waiting.length = 0;
    const [first] = this.#waiting.splice(0, 1);
    if (first !== undefined) {
      this.#bytesBefore = first.bytesRead;
      this.#socket.setTimeout(0);
      if (this.#waiting.length > 0) this.#wait();
      this.#begin(first.incoming, first.outgoing);
    }
    // What is read now comes after the first one.
    if (!this.#isUnread || this.#isFull || this.#waiting.length >= UNREAD_FROM) return;
    this.#isUnread = false;
    this.#turns.reader.release(this.#socket);
  }

  /** A client's disconnect is noticed only after everything it sent was read, which may never happen. */
  #wait(): void {
    this.#impatience = setTimeout(() => this.#close(), this.#turns.stalledMs);
    this.#impatience.unref();
  }

  #close(): void {
    clearTimeout(this.#impatience);
    this.#waiting.length = 0;
    this.#socket.destroy();
  }
}

/**
 * Whether requests for this host name (lower case, without port, IPv6 without brackets) are served. The hosts that a
 * request may name. A foreign page can make a browser send requests to 127.0.0.1 by a name that it controls (DNS
 * rebinding). Such a request carries that name, so unknown names are refused. Addresses cannot be rebound, and are
 * accepted if the server listens on all of them.
 */
export type ServesHost = (hostname: string) => boolean;

/** The hosts served by a server that is bound to `address` (a name or an IP address). */
export function servedHosts(address: string): ServesHost {
  const names = new Set([...LOOPBACK_NAMES, address.toLowerCase()]);
  const anyAddress = WILDCARDS.has(address);
  return (hostname) => names.has(hostname) || (anyAddress && isIP(hostname) !== 0);
}

/**
 * Refuses requests with a foreign, empty or malformed host, in the header or an absolute URL. Requests of a trusted proxy may
 * have any host that is well-formed: the server then requires tokens, which no page of another name has.
 */
export function hostGuard(
  serves: ServesHost,
  proxies: Pick<TrustedProxies, 'has'>,
): MiddlewareHandler<ServerEnv> {
  /** The last header that was served, and how the URLs of its requests begin. Clients repeat it. */
  let known: { readonly header: string; readonly origins: readonly string[] } | null = null;
  return (c, next) => {
    const header = c.req.header('host');
    const { url } = c.req;
    if (header === known?.header && known?.origins.some((origin) => url.startsWith(origin))) {
      return next();
    }
    const hosts = [new URL(url).hostname, ...(header === undefined ? [] : [header])];
    const isProxied = proxies.has(bindingsOf(c).incoming?.socket.remoteAddress);
    const isServed = (name: string) => (isProxied ? name !== '' : serves(name));
    const foreign = hosts.find((host) => !isServed(hostnameOf(host)));
    if (foreign !== undefined) {
      const shown = JSON.stringify(foreign.slice(0, SHOWN_LENGTH_MAX));
      throw new LabError('host', `this server does not answer for host ${shown}`);
    }
    if (header !== undefined && !isProxied) {
      known = { header, origins: [`http://${header}/`, `https://${header}/`] };
    }
    return next();
  };
}

/** The name in a Host header; the empty text, which is never served, when it is malformed. */
function hostnameOf(host: string): string {
  return HOST.exec(host)?.slice(1, 3).join('').toLowerCase() ?? '';
}

/** Host of RFC 9110 section 7.2: an IPv6 address in brackets or a name, then perhaps a port. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{0,5})?$/i;
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const SHOWN_LENGTH_MAX = 100;
