/**
 * @module
 * Which connection is closed when there are too many, and when requests are refused for their number.
 */

import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';

import {
  CONNECTIONS_MAX,
  CONNECTIONS_RESERVED,
  Connections,
} from '../../../server/socket/connection-limit.ts';
import { labUnderTest } from '../lab-under-test.ts';

/** A fake server and fake connections, with real events. */
function served() {
  const connections = new Connections();
  const server = new EventEmitter();
  connections.limit(server as Server); // It is told of connections, and that is all.
  const connect = () => {
    const socket = Object.assign(new EventEmitter(), {
      isDestroyed: false,
      destroy() {
        this.isDestroyed = true;
        socket.emit('close');
      },
    });
    server.emit('connection', socket);
    return socket;
  };
  const ask = (socket: ReturnType<typeof connect>, complete = true) => {
    const outgoing = new EventEmitter();
    const incoming = { socket, complete } as unknown as IncomingMessage;
    const answer = outgoing as ServerResponse; // The limit only listens to its events.
    connections.arrive(answer);
    connections.begin(incoming, answer);
    return outgoing;
  };
  return { connections, connect, ask };
}

describe('one connection more than the limit', () => {
  it.each([
    ['the one that was answered first', 'close', 1],
    ['the one that was sent its answer first, whether it takes it or not', 'prefinish', 1],
    ['the one that never asked', null, 0],
  ])('closes %s', (_which, event, index) => {
    const { connect, ask } = served();
    const sockets = Array.from({ length: CONNECTIONS_MAX - 1 }, connect);
    const answers = sockets.slice(event === null ? 1 : 0).map((socket) => ask(socket));
    if (event !== null) {
      answers[1]?.emit(event);
      answers[0]?.emit(event);
    }

    connect();

    expect(sockets.flatMap(({ isDestroyed }, at) => (isDestroyed ? [at] : []))).toEqual([index]);
  });
});

describe('many unanswered requests', () => {
  const most = CONNECTIONS_MAX - CONNECTIONS_RESERVED;

  it('leave a reserve of connections for health checks only', async () => {
    const { connections, connect, ask } = served();
    const lab = labUnderTest({ connections });
    const sockets = Array.from({ length: most + 1 }, connect);
    const answers = sockets.slice(1).map((socket) => ask(socket));
    expect((await lab.call('GET', '/v1/params')).status).toBe(200);

    const last = ask(connect());
    const refused = await lab.call('GET', '/v1/params');
    const asked = await Promise.all(
      ['/healthz', '/readyz', '/metrics'].map((path) => lab.app.request(path)),
    );
    answers[0]?.emit('prefinish');
    const later = await lab.call('GET', '/v1/params');

    expect(refused).toMatchObject({ status: 503, json: { code: 'limit.streams', retryAfterS: 1 } });
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(later.status).toBe(200);
    last.emit('close');
    expect(connections.answering).toBe(most);
  });

  it('do not count before they are complete', () => {
    const { connections, connect, ask } = served();

    for (let count = 0; count <= most; count += 1) ask(connect(), false);

    expect(connections.isCrowded).toBe(false);
  });
});
