/**
 * @module
 * A proxy on a free port of 127.0.0.1 that disconnects a store: it closes the connections, and takes no more.
 */

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createConnection, createServer } from 'node:net';

export async function startProxy(port: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const server = createServer((inward) => {
    keep(inward);
    if (isCut) {
      inward.destroy();
      return;
    }
    const outward = createConnection({ port, host: '127.0.0.1' });
    keep(outward);
    inward.pipe(outward).pipe(inward);
    inward.once('close', () => outward.destroy());
    outward.once('close', () => inward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    // A TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      drop();
    },
    heal() {
      isCut = false;
    },
    close() {
      drop();
      server.close();
    },
  };
}
