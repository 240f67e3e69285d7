/**
 * @module
 * The answers of any HTTP server to messages over one connection, and messages without an answer.
 */

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { MessageLine } from '../../../src/live/transport/message-line.ts';

const closing: (() => unknown)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A line to a server that answers each request with the next of these texts, in pieces, after the next of these times. */
async function lineTo(answers: readonly (readonly string[])[], waitsMs: readonly number[] = []) {
  const seen = { connections: 0, requests: [] as string[] };
  const server = createServer({ noDelay: true }, (socket) => {
    seen.connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const pieces = answers[seen.requests.length] ?? [];
      const waitMs = waitsMs[seen.requests.length] ?? 0;
      seen.requests.push(data.toString());
      for (const [index, piece] of pieces.entries()) {
        setTimeout(() => socket.write(piece), waitMs + 20 * index);
      }
      if (pieces.length === 0) socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A TCP server has an address with a port.
  const line = new MessageLine(`127.0.0.1:${port}`, (settle) => {
    const socket: Socket = connect(port, '127.0.0.1', () => settle(socket));
    socket.once('error', () => settle(null));
  });
  closing.push(
    () => line.close(),
    () => server.close(),
  );
  const post = (body: string) => new Promise<number | null>((resolve) => line.post(body, resolve));
  return { seen, post };
}

const TAKEN = 'HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}';

it('messages go over one connection, also if an answer comes in pieces or after an interim one', async () => {
  const { seen, post } = await lineTo([
    [TAKEN],
    [TAKEN.slice(0, 9), TAKEN.slice(9, 40), TAKEN.slice(40)],
    [`HTTP/1.1 100 Continue\r\n\r\n${TAKEN}`],
    ['HTTP/1.1 403 Forbidden\r\ncontent-length:0\r\n\r\n'],
  ]);

  const statuses = [await post('1'), await post('ü'), await post('3'), await post('4')];

  expect(statuses).toEqual([202, 202, 202, 403]);
  expect(seen.connections).toBe(1);
  expect(seen.requests[1]).toMatch(
    /^POST \/messages HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\nContent-Type: application\/json\r\nusurp-reads: envelope\r\nContent-Length: 2\r\n\r\nü$/,
  );
});

it.each([
  [
    'ends with its connection',
    'HTTP/1.1 202 Accepted\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
  ],
  ['has no length', 'HTTP/1.0 202 Accepted\r\n\r\n{}'],
  ['has chunks', 'HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['is followed by more', `${TAKEN}HTTP/1.1 202 Accepted\r\n\r\n`],
])('the message after an answer that %s goes over another connection', async (_what, answer) => {
  const { seen, post } = await lineTo([[answer], [TAKEN]]);

  const statuses = [await post('1'), await post('2')];

  expect(statuses).toEqual([202, 202]);
  expect(seen.connections).toBe(2);
});

it.each([
  ['no HTTP', ['nothing\r\n\r\n']],
  ['a head without an end', [`HTTP/1.1 202 Accepted\r\n${'a: b\r\n'.repeat(4_000)}`]],
  ['the end of the connection', []],
])('a message is lost if %s is the answer, and the next is not', async (_what, answer) => {
  const { seen, post } = await lineTo([answer, [TAKEN]]);

  const statuses = [await post('1'), await post('2')];

  expect(statuses).toEqual([null, 202]);
  expect(seen.requests).toHaveLength(2);
});

it('a peer that has been slow has more time for the next answers', async () => {
  const { seen, post } = await lineTo([[TAKEN], [TAKEN], [TAKEN]], [600, 1_300, 0]);

  const statuses = [await post('1'), await post('2'), await post('3')];

  expect(statuses).toEqual([202, 202, 202]);
  expect(seen.connections).toBe(1);
});

it('a message is lost if a peer is silent for a second, and its next answer is not taken for it', async () => {
  const { seen, post } = await lineTo([[TAKEN], [TAKEN]], [1_500]);

  const statuses = [await post('1'), await post('2')];

  expect(statuses).toEqual([null, 202]);
  expect(seen.connections).toBe(2);
});

it('an answer in many pieces ends its connection', async () => {
  const { seen, post } = await lineTo([[...TAKEN.slice(0, 40)], [TAKEN]]);

  const statuses = [await post('1'), await post('2')];

  expect(statuses).toEqual([null, 202]);
  expect(seen.connections).toBe(2);
});
