/**
 * @module
 * Limits the number of connections. A new connection above the limit closes the one that has waited for no
 * answer the longest: it is idle, or slow to send a request or to take an answer. Connections that are
 * only held open therefore exclude no client. If nearly all connections wait for an answer, new requests
 * are refused.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { MiddlewareHandler } from 'hono';

import type { ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';
import { isAlwaysAnswered } from '../request/lifecycle.ts';
import { OverloadError } from '../request/refusals.ts';

/** Idle connections cannot use up the file descriptors. */
export const CONNECTIONS_MAX = 512;
/** Connections that are reserved for refusals and health checks. */
export const CONNECTIONS_RESERVED = 64;

export class Connections {
  /** With the unanswered request of each, ordered by when they last began or ended a request. */
  readonly #open = new Map<Socket, IncomingMessage | null>();
  readonly #answering = new Set<ServerResponse>();

  /** Limits the connections of a server, which must call `begin` for every request. */
  limit(server: Server): void {
    server.maxConnections = CONNECTIONS_MAX;
    // With TLS, requests have another socket than the connections below it.
    const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
    server.on(event, (socket: Socket) => {
      this.#open.set(socket, null);
      socket.once('close', () => this.#open.delete(socket));
      if (this.#open.size < CONNECTIONS_MAX) return;
      const idle = this.#longestIdle(socket);
      if (idle === null) return;
      this.#open.delete(idle);
      idle.destroy();
    });
  }

  /** Says that a request is in line for its answer, which may have been promised by an interim one. */
  arrive(outgoing: ServerResponse): void {
    this.#answering.add(outgoing);
    outgoing.once('close', () => this.#answering.delete(outgoing));
  }

  /** Says that the server begins to answer a request. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    this.#note(socket, incoming);
    // The whole answer is buffered. The client decides when to take it.
    outgoing.once('prefinish', () => this.#note(socket, null));
    outgoing.once('close', () => this.#note(socket, null));
  }

  /** Number of answers that are not over. */
  get answering(): number {
    return this.#answering.size;
  }

  /** Whether only reserved connections are left. */
  get isCrowded(): boolean {
    const most = CONNECTIONS_MAX - CONNECTIONS_RESERVED;
    if (this.#open.size <= most) return false;
    let owed = 0;
    for (const request of this.#open.values()) if (isOwed(request)) owed += 1;
    return owed > most;
  }

  #note(socket: Socket, request: IncomingMessage | null): void {
    if (this.#open.delete(socket)) this.#open.set(socket, request);
  }

  #longestIdle(newest: Socket): Socket | null {
    for (const [socket, request] of this.#open) {
      if (socket !== newest && !isOwed(request)) return socket;
    }
    return null;
  }
}

/** Throws OverloadError `limit.streams` if only reserved connections are left, except for health checks. */
export function crowdGate(
  connections: Pick<Connections, 'isCrowded'>,
): MiddlewareHandler<ServerEnv> {
  return (c, next) => {
    // A request that the server sends to itself is part of another request.
    const isSpared = isAlwaysAnswered(c.req.path) || bindingsOf(c).principal !== undefined;
    if (isSpared || !connections.isCrowded) return next();
    const most = CONNECTIONS_MAX - CONNECTIONS_RESERVED;
    const detail = `${most} requests are being answered already`;
    throw new OverloadError('limit.streams', detail, CROWDED_RETRY_S);
  };
}

/** Streams, which last longer, have a lower limit. */
const CROWDED_RETRY_S = 1;

/** A request that is not complete is not owed an answer yet. */
function isOwed(request: IncomingMessage | null): boolean {
  return request?.complete === true;
}
