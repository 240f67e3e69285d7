/**
 * @module
 * Pipelined requests on one connection, and answers that the client does not take.
 */

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, expect, it, vi } from 'vitest';

import { Connections } from '../../../server/socket/connection-limit.ts';
import { AHEAD_MAX, listen } from '../../../server/socket/listen.ts';
import { labUnderTest } from '../lab-under-test.ts';

const STALLED_MS = 250;
const lab = labUnderTest();
const connections = new Connections();
/** The requests that have begun, by the last segment of their paths. */
const begun: string[] = [];
let inProgress = 0;
lab.app.get('/slow/:name', async (c) => {
  begun.push(c.req.param('name'));
  inProgress += 1;
  await delay(5);
  inProgress -= 1;
  return c.text(`${c.req.param('name')} beside ${inProgress}`);
});
lab.app.get('/never', () => new Promise(() => undefined));
lab.app.get('/patient', async (c) => {
  await delay(2 * STALLED_MS);
  return c.text('at last');
});
lab.app.get('/last', (c) => c.text('bye', 200, { Connection: 'close' }));
lab.app.get('/long', (c) => c.text('x'.repeat(16_000_000)));
const onFault = (fault: (typeof lab.faults)[number]) => void lab.faults.push(fault);
const options = { connections, answerTimeout: STALLED_MS };
const listening = await listen({ host: '127.0.0.1', port: 0 }, lab.app, onFault, options);
const port = Number(new URL(listening.url).port);
afterAll(() => listening.close());

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;

/** A connection on which this text is sent at once. */
async function sending(text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** Everything received until the server closes the connection, or until this number of answers. */
async function receiving(socket: Socket, answers = Number.POSITIVE_INFINITY): Promise<string> {
  let received = '';
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('close', () => resolve());
  socket.on('data', (chunk) => {
    received += String(chunk);
    if (received.split('HTTP/1.1 200').length > answers) setTimeout(resolve, 20);
  });
  await promise;
  socket.destroy();
  return received;
}

it('pipelined requests are answered in order, one after the other', async () => {
  begun.length = 0;
  const socket = await sending(['a', 'b', 'c', 'd'].map((name) => get(`/slow/${name}`)).join(''));

  const received = await receiving(socket, 4);

  expect(received.match(/\w beside \d/g)).toEqual([
    'a beside 0',
    'b beside 0',
    'c beside 0',
    'd beside 0',
  ]);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

it.each([18, 200])('%i pipelined requests are all answered', async (count) => {
  begun.length = 0;
  const names = Array.from({ length: count }, (_, index) => `n${index}`);
  const socket = await sending(names.map((name) => get(`/slow/${name}`)).join(''));

  const received = await receiving(socket, count);

  expect(received.match(/\w+ beside \d/g)).toEqual(names.map((name) => `${name} beside 0`));
});

it.each([
  ['without a host', '', 400],
  ['with an expectation', `Host: 127.0.0.1:${port}\r\nExpect: a\r\n`, 417],
])('of requests %s in one piece the first one is answered', async (_what, header, status) => {
  const socket = await sending(`GET /healthz HTTP/1.1\r\n${header}\r\n`.repeat(200));

  const received = await receiving(socket);

  expect(received.match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
});

it('any number of requests is answered if the client sends them in pieces', async () => {
  const pieces = Array.from({ length: 6 }, () => get('/healthz').repeat(100));
  const socket = await sending('');
  const receivedAll = receiving(socket, 600);
  for (const piece of pieces) {
    socket.write(piece);
    await delay(2);
  }

  const received = await receivedAll;

  expect(received.split('HTTP/1.1 200')).toHaveLength(601);
});

it('of 64 KB of requests on a connection that takes nothing few are begun, and it is closed', async () => {
  const before = lab.requests.length;
  const one = get('/openapi.json');
  const socket = await sending(one.repeat(Math.floor(65_536 / one.length)));
  socket.pause();
  await vi.waitFor(() => expect(connections.answering).toBe(1), { timeout: 60_000 });

  await vi.waitFor(() => expect(connections.answering).toBe(0), { timeout: 60_000 });

  // As many as the buffers of the operating system take.
  expect(lab.requests.length - before).toBeLessThan(AHEAD_MAX);
  socket.destroy();
});

it('600 requests in one piece are all answered, because the connection is read in smaller ones', async () => {
  begun.length = 0;
  const names = Array.from({ length: 600 }, (_, index) => `n${index}`);
  const socket = await sending(names.map((name) => get(`/slow/${name}`)).join(''));
  const faults: Error[] = [];
  socket.on('error', (error) => faults.push(error));

  const received = await receiving(socket, names.length);

  expect(received.match(/\w+ beside \d/g)).toEqual(names.map((name) => `${name} beside 0`));
  expect(received).not.toMatch(/connection: close/i);
  expect(begun).toEqual(names);
  expect(faults).toEqual([]);
});

it('requests behind one that is not answered do not begin, also if they are too many', async () => {
  begun.length = 0;
  const waiting = Array.from({ length: AHEAD_MAX + 1 }, () => get('/slow/behind')).join('');

  const received = await receiving(await sending(get('/never') + waiting));

  expect(received).toBe('');
  expect(begun).toEqual([]);
});

it('more waiting bytes than the limit close the connection', async () => {
  const head = `POST /v1/elections HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
  const post = `${head}Content-Length: 50000\r\n\r\n${' '.repeat(50_000)}`;
  const startedMs = performance.now();

  const received = await receiving(await sending(get('/never') + post.repeat(4)));

  expect(received).toBe('');
  expect(performance.now() - startedMs).toBeLessThan(4 * STALLED_MS);
});

it('a request that waits too long closes the connection', async () => {
  const received = await receiving(await sending(get('/never') + get('/healthz')));

  expect(received).toBe('');
});

it('a request after the last answer of a connection does not begin', async () => {
  begun.length = 0;

  const received = await receiving(await sending(get('/last') + get('/slow/void')));

  expect(received).toMatch(/bye$/);
  expect(begun).toEqual([]);
});

it('an answer of which the client takes nothing is cut off', async () => {
  const socket = await sending(get('/long'));
  socket.pause();
  await vi.waitFor(() => expect(connections.answering).toBe(1), { timeout: 60_000 });

  await vi.waitFor(() => expect(connections.answering).toBe(0), { timeout: 60_000 });

  socket.destroy();
});

it('a request that lasts longer than the timeout behind another one is answered', async () => {
  const received = await receiving(await sending(get('/healthz') + get('/patient')), 2);

  expect(received).toMatch(/at last$/);
});

it('none of this is reported as a fault', () => {
  expect(lab.faults).toEqual([]);
});
