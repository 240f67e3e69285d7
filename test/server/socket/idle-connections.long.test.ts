/**
 * @module
 * More connections than a server accepts, which send no request: they exclude no client.
 */

import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterAll, expect, it, onTestFinished } from 'vitest';

import { CONNECTIONS_MAX } from '../../../server/socket/connection-limit.ts';
import { listen } from '../../../server/socket/listen.ts';
import { labUnderTest } from '../lab-under-test.ts';

const lab = labUnderTest();
const listening = await listen({ host: '127.0.0.1', port: 0 }, lab.app, (fault) => {
  lab.faults.push(fault);
});
const port = Number(new URL(listening.url).port);
afterAll(() => listening.close());

interface Held {
  readonly socket: Socket;
  readonly isClosed: () => boolean;
}

/** A connection that sends this and is then held. */
async function hold(text: string): Promise<Held> {
  let isClosed = false;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.resume();
  socket.write(text);
  return { socket, isClosed: () => isClosed };
}

const HOST = `Host: 127.0.0.1:${port}\r\n`;

it.each([
  ['that send nothing', ''],
  ['that send half of a request line', 'GET /heal'],
  [
    'that send half of a body',
    `POST /v1/elections HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  ],
])('1 000 connections %s exclude no client and end no stream', async (_what, text) => {
  const { json } = await lab.post('/v1/elections', { protocol: 'cr-join', nodes: 3 });
  const stream = await hold(
    `GET /v1/elections/${json.id}/events HTTP/1.1\r\n${HOST}Accept: text/event-stream\r\n\r\n`,
  );
  await new Promise<void>((resolve) => stream.socket.once('data', () => resolve()));
  const held: Held[] = [];
  onTestFinished(async () => {
    for (const { socket } of [...held, stream]) socket.destroy();
    await expect.poll(() => lab.elections.streams.open).toBe(0);
  });

  for (let count = 0; count < 1000; count += 50) {
    held.push(...(await Promise.all(Array.from({ length: 50 }, () => hold(text)))));
    const response = await fetch(`${listening.url}/healthz`, { headers: { Connection: 'close' } });
    await response.text();
    expect(response.status).toBe(200);
  }

  // A client learns later than the server that a connection is closed.
  const left = () => held.filter(({ isClosed }) => !isClosed()).length;
  await expect.poll(left).toBeLessThan(CONNECTIONS_MAX);
  expect(stream.isClosed()).toBe(false);
  expect(lab.elections.streams.open).toBe(1);
  expect(lab.faults).toEqual([]);
});
