/**
 * @module
 * How many connections there may be, and which one goes when there comes one more: the one that has
 * asked for nothing the longest, be it idle, silent or slow with what it asks. So connections that are
 * only held keep nobody out; where all are being answered, new ones are dropped.
 */

import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Bounds the connections of a server to so many. */
export function limitConnections(server: Server, most: number): void {
  /** By when they last began or ended a request, with the one that is being answered. */
  const open = new Map<Socket, IncomingMessage | null>();
  const note = (socket: Socket, request: IncomingMessage | null) => {
    if (open.delete(socket)) open.set(socket, request);
  };
  server.maxConnections = most;
  server.on('connection', (socket) => {
    open.set(socket, null);
    socket.once('close', () => open.delete(socket));
    if (open.size < most) return;
    const idle = longestIdle(open, socket);
    if (idle === null) return;
    open.delete(idle);
    idle.destroy();
  });
  server.on('request', (incoming, outgoing) => {
    note(incoming.socket, incoming);
    outgoing.once('close', () => note(incoming.socket, null));
  });
}

/** The first one that is owed no answer; who has not sent all of a request is owed none yet. */
function longestIdle(
  open: ReadonlyMap<Socket, IncomingMessage | null>,
  newest: Socket,
): Socket | null {
  for (const [socket, request] of open) {
    if (socket !== newest && request?.complete !== true) return socket;
  }
  return null;
}
