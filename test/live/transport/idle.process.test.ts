/**
 * @module
 * A real node to which connections are only opened, and answers of peers without an end.
 */

import type { RequestOptions, Server } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';

import { afterEach, describe, expect, it } from 'vitest';

import type { Rank } from '../../../src/election/machine.ts';
import type { Peer } from '../../../src/live/peers.ts';
import { NEW_CONNECTIONS } from '../../../src/live/transport/connections.ts';
import { ask, certify } from '../../../src/live/transport/transport.ts';
import { startedNodes, suspectedDuring } from '../hostile-peer.ts';
import { until } from '../network.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

it.each(['https', 'http'] as const)(
  'connections to a node with %s that say nothing are closed, and honest nodes keep theirs',
  async (scheme) => {
    const started = await startedNodes(closing, { scheme, honest: [2, 3] });
    const { port } = new URL(started.nodes[0]?.url ?? '');
    const many = NEW_CONNECTIONS.most + 50;

    const suspected = await suspectedDuring(started, async () => {
      const closed = await Promise.all(
        Array.from({ length: many }, () => {
          const socket: Socket = connect({ host: '127.0.0.1', port: Number(port) });
          socket.on('error', () => undefined).resume();
          return new Promise((resolve) => socket.once('close', () => resolve(true)));
        }),
      );
      expect(closed).toHaveLength(many);
    });

    expect(suspected).toEqual([]);
  },
);

describe('certificates that take long to verify', () => {
  const { key, cert } = certify({ election: 'test', epoch: 0 }, 'aa' as string as Rank, () =>
    '0'.repeat(128),
  );
  const chain = {
    key,
    cert: cert.repeat(5),
    minVersion: 'TLSv1.3',
    rejectUnauthorized: false,
  } as const;

  it('are not read by a node to which a client shows them, and honest nodes stay connected', async () => {
    const started = await startedNodes(closing, { honest: [2, 3] });
    const { port } = new URL(started.nodes[0]?.url ?? '');
    const answersTo = async (shown: object) => {
      const socket = connectTls({ ...chain, ...shown, host: '127.0.0.1', port: Number(port) });
      let answered = false;
      socket
        .on('error', () => undefined)
        .once('data', () => {
          answered = true;
          socket.destroy();
        });
      socket.write('GET /status HTTP/1.1\r\nHost: node\r\n\r\n');
      await new Promise((resolve) => socket.once('close', resolve));
      return answered;
    };

    const suspected = await suspectedDuring(started, async () => {
      const answered = await Promise.all([{ cert }, {}, {}].map(answersTo));
      expect(answered).toEqual([true, false, false]);
    });

    expect(suspected).toEqual([]);
  });

  it('are not read by a node to which a peer shows them', async () => {
    const { network } = await startedNodes(closing, { honest: [2, 3] });
    const { port } = new URL(network.peers[0]?.url ?? '');
    const counts = { opened: 0, secured: 0 };
    const server = createTlsServer({ ...chain, requestCert: true }, () => {
      counts.secured += 1;
    });
    server.on('connection', () => {
      counts.opened += 1;
    });
    server.listen(Number(port), '127.0.0.1');
    closing.push(() => server.close());

    await until('nodes have connected', () => counts.opened > 1);
    await new Promise((resolve) => setTimeout(resolve, 200));

    expect(counts.secured).toBe(0);
  });
});

/** Sends this to a node at once. Resolves with the answers when the node closes the connection. */
async function answersTo(url: string, text: string): Promise<string> {
  const { port } = new URL(url);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  let received = '';
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => {
      received += String(chunk);
    });
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

it('a burst of requests on one connection gets no answer, and its address no connection for a while', async () => {
  const { nodes } = await startedNodes(closing, { scheme: 'http', honest: [3] });
  const url = nodes[0]?.url ?? '';
  const one = 'GET /status HTTP/1.1\r\nHost: node\r\n\r\n';

  const answers = [await answersTo(url, one.repeat(1_000)), await answersTo(url, one)];

  expect(answers).toEqual(['', '']);
});

it('requests that Node or its adapter would answer close the connection, or are a burst as others', async () => {
  const { nodes } = await startedNodes(closing, { scheme: 'http', honest: [3] });
  const url = nodes[0]?.url ?? '';
  const get = (header: string) => `GET /status HTTP/1.1\r\n${header}\r\n`;

  const answers = [
    await answersTo(url, get('')),
    await answersTo(url, get('Host: a/b\r\n')),
    await answersTo(url, get('Host: node\r\nExpect: a\r\n').repeat(1_000)),
    await answersTo(url, get('Host: node\r\n')),
  ];

  expect(answers).toEqual(['', '', '', '']);
});

it('the connection is closed when a request was answered before its long body arrived', async () => {
  const { nodes } = await startedNodes(closing, { scheme: 'http', honest: [3] });
  const length = 64 * 1024 * 1024;
  const head = `POST /messages HTTP/1.1\r\nHost: node\r\nContent-Length: ${length}\r\n\r\n`;

  const answer = await answersTo(nodes[0]?.url ?? '', `${head}${'1'.repeat(1_000)}`);

  expect(answer).toMatch(/^HTTP\/1.1 413 /);
});

/** What is read of the answer of a peer. */
async function asked(answer: Parameters<typeof createServer>[1], waitMs = 2_000): Promise<unknown> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const transport = {
    request: ({ url }: Peer, path: string, options: RequestOptions) =>
      request(`${url}${path}`, options),
  };
  // Only the address is used.
  const peer = { url: `http://127.0.0.1:${port}` } as Peer;
  return ask(transport, peer, '/status', { waitMs });
}

it('an answer is read if it is JSON, and not if it is too long, too deep, or never ends', async () => {
  const endless = 'x'.repeat(64 * 1024);

  const answers = [
    await asked((_, answer) => void answer.end('{"ready":true}')),
    await asked((_, answer) => void answer.end('[')),
    await asked((_, answer) => void answer.end(`${'['.repeat(60)}${']'.repeat(60)}`)),
    await asked((_, answer) => {
      const more = () => {
        while (!answer.destroyed && answer.write(endless));
      };
      answer.on('drain', more);
      more();
    }),
    await asked((_, answer) => void answer.write('{'), 200),
  ];

  expect(answers).toEqual([{ ready: true }, null, null, null, null]);
});
