/**
 * @module
 * How many connections there may be, and which one goes when there comes one more: the one that has
 * been owed nothing the longest, be it idle, silent, or slow with what it asks or with taking what it
 * was answered. So connections that are only held keep nobody out. Where nearly all are owed an answer,
 * new requests are to be refused, so that there is always a connection on which to say so.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { MiddlewareHandler } from 'hono';

import { currentAsker } from '../callers/principal.ts';
import { isAlwaysAnswered } from '../request/lifecycle.ts';
import { OverloadError } from '../request/refusals.ts';

/** Idle ones cannot use up the file descriptors. */
export const CONNECTIONS_MAX = 512;
/** So many are never all waiting for answers that take long: they are for refusals and for health. */
export const CONNECTIONS_RESERVED = 64;

/** The connections of one server. */
export class Connections {
  /** By when they last began or ended a request, with the one that is owed an answer. */
  readonly #open = new Map<Socket, IncomingMessage | null>();
  readonly #answering = new Set<ServerResponse>();

  /** Bounds them; to be told of every request whose answer begins. */
  limit(server: Server): void {
    server.maxConnections = CONNECTIONS_MAX;
    server.on('connection', (socket) => {
      this.#open.set(socket, null);
      socket.once('close', () => this.#open.delete(socket));
      if (this.#open.size < CONNECTIONS_MAX) return;
      const idle = this.#longestIdle(socket);
      if (idle === null) return;
      this.#open.delete(idle);
      idle.destroy();
    });
  }

  /** From now on the request is being answered. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    this.#note(socket, incoming);
    this.#answering.add(outgoing);
    // Everything that is owed is on its way; whether it is taken is not up to this server.
    outgoing.once('prefinish', () => this.#note(socket, null));
    outgoing.once('close', () => {
      this.#note(socket, null);
      this.#answering.delete(outgoing);
    });
  }

  /** Answers that are not over yet. */
  get answering(): number {
    return this.#answering.size;
  }

  /** Whether only the reserve is left. */
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

/** Throws OverloadError `limit.streams` where only the reserve is left, but for questions about the server. */
export function crowdGate(connections: Pick<Connections, 'isCrowded'>): MiddlewareHandler {
  return (c, next) => {
    // What an answer looks up is a part of it.
    const isSpared = isAlwaysAnswered(c.req.path) || currentAsker() !== null;
    if (isSpared || !connections.isCrowded) return next();
    const most = CONNECTIONS_MAX - CONNECTIONS_RESERVED;
    const detail = `${most} requests are being answered already`;
    throw new OverloadError('limit.streams', detail, CROWDED_RETRY_S);
  };
}

/** What lasts longer is bounded to fewer. */
const CROWDED_RETRY_S = 1;

/** Who has not sent all of a request is owed no answer yet. */
function isOwed(request: IncomingMessage | null): boolean {
  return request?.complete === true;
}
