/**
 * @module
 * A proxy on a free port of 127.0.0.1 that disconnects a server from all its clients, or from one of them: it closes their
 * connections, and takes no more. It can also put another server in the place of its own.
 */

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createConnection, createServer } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Disconnects this client, or all. */
  cut(client?: string): void;
  /** Takes all clients again. */
  heal(): void;
  /** Disconnects all clients, and connects them to the server on another port from now on. */
  redirect(port: number): void;
  close(): void;
}

/**
 * `clientOf` reads the name of the client in what it sends, null if it is not there. A client may say it late, because
 * connections are used again. Without `clientOf` clients have no names.
 */
export async function startProxy(
  port: number,
  clientOf: ((sent: string) => string | null) | null = null,
): Promise<TcpProxy> {
  /** With the client at the other end, if it has said its name. */
  const sockets = new Map<Socket, string | null>();
  const cut = new Set<string>();
  let target = port;
  let isCut = false;
  const keep = (socket: Socket, client: string | null) => {
    sockets.set(socket, client);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const server = createServer((inward) => {
    keep(inward, null);
    if (isCut) {
      inward.destroy();
      return;
    }
    const outward = createConnection({ port: target, host: '127.0.0.1' });
    keep(outward, null);
    inward.on('data', (sent: Buffer) => {
      const client = clientOf?.(sent.toString('latin1')) ?? null;
      if (client !== null) sockets.set(inward, client);
      if (client !== null && cut.has(client)) inward.destroy();
      else outward.write(sent);
    });
    outward.pipe(inward);
    inward.once('end', () => outward.end());
    inward.once('close', () => outward.destroy());
    outward.once('close', () => inward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = (isDropped: (client: string | null) => boolean) => {
    for (const [socket, client] of sockets) if (isDropped(client)) socket.destroy();
  };
  return {
    // A TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,
    cut(client) {
      if (client === undefined) isCut = true;
      else cut.add(client);
      drop((each) => client === undefined || each === client);
    },
    heal() {
      isCut = false;
      cut.clear();
    },
    redirect(other) {
      target = other;
      drop(() => true);
    },
    close() {
      drop(() => true);
      server.close();
    },
  };
}
