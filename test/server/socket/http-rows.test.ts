/**
 * @module
 * Hostile clients on the wire that other suites do not cover: many and unusual headers, slow senders,
 * disconnects, upgrades, tunnels, requests of other origins, wrong pages.
 */

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, describe, expect, it, vi } from 'vitest';

import { listen, PATIENCE } from '../../../server/socket/listen.ts';
import { labUnderTest } from '../lab-under-test.ts';

const lab = labUnderTest();
const IMPATIENT = {
  ...{ headersTimeout: 600, requestTimeout: 900, keepAliveTimeout: 300 },
  connectionsCheckingInterval: 20,
};
const listening = await listen(
  { host: '127.0.0.1', port: 0 },
  lab.app,
  (fault) => void lab.faults.push(fault),
  IMPATIENT,
);
const port = Number(new URL(listening.url).port);
const errors = vi.spyOn(console, 'error');
afterAll(async () => {
  await listening.close();
  errors.mockRestore();
});

const HOST = `Host: 127.0.0.1:${port}\r\n`;
const GET = `GET /healthz HTTP/1.1\r\n${HOST}`;
const POST = `POST /v1/elections HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

interface Sender {
  /** Sends more bytes. */
  write(text: string): void;
  /** Ends the sending side and continues to read. */
  end(): void;
  /** Resets the connection. */
  reset(): void;
  /** Everything received until the server closed the connection, or until `until`. */
  readonly received: Promise<string>;
}

function send(text: string, until?: RegExp): Sender {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(Buffer.from(text, 'latin1'));
  let received = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    received += chunk;
    if (until?.test(received)) socket.destroy();
  });
  socket.on('end', () => socket.end());
  // A reset after the answer is one way of closing.
  socket.on('error', () => {});
  socket.on('close', () => resolve(received));
  return {
    write: (more) => void socket.write(more),
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    received: promise,
  };
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

async function expectAlive(): Promise<void> {
  const response = await fetch(`${listening.url}/healthz`);
  await response.text();
  expect(response.status).toBe(200);
  expect(lab.faults.splice(0)).toEqual([]);
  expect(errors).not.toHaveBeenCalled();
}

describe('headers', () => {
  it.each([
    ['1 500 of them', `${GET}${'a:b\r\n'.repeat(1500)}\r\n`, 431],
    ['a Last-Event-ID of a megabyte', `${GET}Last-Event-ID: ${'1'.repeat(2 ** 20)}\r\n\r\n`, 431],
    ['a line that is folded', `${GET}X-A: b\r\n c\r\n\r\n`, 400],
    ['a NUL', `${GET}X-A: a\0b\r\n\r\n`, 400],
    ['a space before the colon', `${GET}X-A : b\r\n\r\n`, 400],
    ['a name that is empty', `${GET}: b\r\n\r\n`, 400],
    ['a length that is a sum', `${POST}Content-Length: 1+1\r\n\r\n{}`, 400],
    ['a length in hexadecimal', `${POST}Content-Length: 0x2\r\n\r\n{}`, 400],
    ['a transfer coding of its own', `${POST}Transfer-Encoding: cow\r\n\r\n`, 400],
    ['chunked in front of another', `${POST}Transfer-Encoding: chunked, cow\r\n\r\n`, 400],
    ['a chunk of no size', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    [
      'a chunk of a size beyond all',
      `${POST}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\n`,
      400,
    ],
    ['another version of HTTP', `GET /healthz HTTP/3.0\r\n${HOST}\r\n`, 400],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ])('with %s are refused', async (_what, text, status) => {
    const answer = await send(text).received;

    expect(statusOf(answer)).toBe(status);
    await expectAlive();
  });

  it('in Latin-1 and with unusual names are accepted', async () => {
    const strange = '__proto__: x\r\nconstructor: y\r\ntoString: z\r\nX-\xe9: \xe9\r\n';

    const answer = await send(`${GET}${strange.replace('X-\xe9', 'X-E')}Connection: close\r\n\r\n`)
      .received;

    expect(statusOf(answer)).toBe(200);
  });
});

describe('an answer without a body', () => {
  it.each([
    ['an expectation', `${GET}Expect: foo\r\nConnection: close\r\n\r\n`, 417],
    [
      'a long chunk extension',
      `${POST}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      413,
    ],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 501],
    ['another version', `${GET.replace('HTTP/1.1', 'HTTP/2.0')}Connection: close\r\n\r\n`, 505],
    ['a line that is no request', 'x\r\n\r\n', 400],
    ['long headers', `${GET}X: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
  ])('for %s is named in the guide', async (_what, text, status) => {
    const guide = readFileSync(new URL('../../../docs/http.md', import.meta.url), 'utf8');
    const exceptions = /The only exceptions are.*?These answers have no body/s.exec(guide)?.[0];

    const answer = await send(text).received;

    expect(statusOf(answer)).toBe(status);
    expect(answer).toMatch(/\r\n\r\n$/);
    expect(exceptions).toContain(String(status));
  });
});

describe('a slow sender', () => {
  it('of nothing is disconnected after the timeout for headers', async () => {
    const answer = await send('').received;

    expect(answer === '' || statusOf(answer) === 408).toBe(true);
  });

  it('of headers is answered 408 and disconnected', async () => {
    const { write, received } = send(GET);
    const drip = setInterval(() => write('X: y\r\n'), 20);

    const answer = await received;

    clearInterval(drip);
    expect(statusOf(answer)).toBe(408);
    await expectAlive();
  });

  it('of a body is answered 408 and disconnected', async () => {
    const { write, received } = send(`${POST}Content-Length: 1000\r\n\r\n`);
    const drip = setInterval(() => write(' '), 20);

    const answer = await received;

    clearInterval(drip);
    expect(statusOf(answer)).toBe(408);
    await expectAlive();
  });

  it('has ten seconds for headers and thirty for a whole request', () => {
    expect(PATIENCE).toEqual({
      ...{ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 },
      ...{ connectionsCheckingInterval: 1_000, answerTimeout: 10_000 },
    });
  });
});

describe('a sender that disconnects', () => {
  it.each([
    ['a body', 'Content-Length: 100\r\n\r\n{"protocol":'],
    ['a chunk', 'Transfer-Encoding: chunked\r\n\r\n20\r\n{"protocol":'],
  ])(
    'by closing its half in the middle of %s receives 400, without an effect',
    async (_of, text) => {
      const { end, received } = send(`${POST}${text}`);
      end();

      const answer = await received;

      expect([0, 400]).toContain(statusOf(answer));
      expect(lab.elections.kept).toBe(0);
      await expectAlive();
    },
  );

  it('in the middle of an answer leaves nothing open', async () => {
    const { json } = await lab.post('/v1/elections', {
      ...{ protocol: 'bully-oneshot', nodes: 30, run: true },
    });
    const { received } = send(
      `GET /v1/elections/${json.id}/events HTTP/1.1\r\n${HOST}Accept: text/event-stream\r\n\r\n`,
      /id: 3/,
    );

    await received;

    await vi.waitFor(() => expect(lab.elections.streams.open).toBe(0), { timeout: 20_000 });
    await lab.call('DELETE', `/v1/elections/${json.id}`);
    await expectAlive();
  });

  it.each([
    ['a WebSocket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
    [
      'a WebSocket with a key',
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n',
    ],
    [
      'HTTP/2',
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n',
    ],
  ])('after %s leaves nothing open', async (_what, headers) => {
    const senders = Array.from({ length: 20 }, () => send(`${GET}${headers}\r\n`));
    for (const { reset } of senders) reset();
    await Promise.all(senders.map(({ received }) => received));
    const answer = await send(`${GET}${headers}\r\n`, /\r\n\r\n/).received;

    // No connection is upgraded: the request is answered or refused.
    expect([200, 400, 426]).toContain(statusOf(answer));
    await expectAlive();
  });
});

describe('a tunnel', () => {
  it('is refused', async () => {
    const answer = await send(`CONNECT example.org:80 HTTP/1.1\r\n${HOST}\r\n`).received;

    expect(statusOf(answer)).not.toBe(200);
    await expectAlive();
  });
});

describe('a page of another origin', () => {
  it.each(['http://evil.example', 'null', 'http://127.0.0.1.evil.example'])(
    'at %s is not allowed to ask',
    async (origin) => {
      const asked = { 'Access-Control-Request-Method': 'POST', Origin: origin };

      const preflight = await lab.call('OPTIONS', '/v1/elections', { headers: asked });
      const simple = await lab.call('POST', '/v1/elections', {
        headers: { Origin: origin, 'Content-Type': 'text/plain' },
        body: '{"protocol":"cr-join","nodes":3}',
      });
      const read = await lab.call('GET', '/v1/elections', { headers: { Origin: origin } });

      expect(preflight.status).toBe(405);
      expect(simple.status).toBe(415);
      for (const { headers } of [preflight, simple, read]) {
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    },
  );
});

describe('a page of a list', () => {
  const LISTS = ['elections', 'jobs', 'protocols', 'threat-models'];
  const queries = [
    ...['pageSize=-1', 'pageSize=1e9', 'pageSize=abc', 'pageSize=', 'pageSize=0x10'],
    ...['pageSize=2&pageSize=2', 'pageSize[]=2', 'pageToken=%00', 'pageToken=', 'pageToken=..'],
    ...['sort=(select%201)', 'limit=3', '__proto__=1', 'constructor=1', 'pageToken=%ff', '%ff=1'],
  ];

  it.each(LISTS)('of %s is refused if its query is not known', async (name) => {
    for (const query of queries) {
      const answer = await lab.call('GET', `/v1/${name}?${query}`);

      expect(answer, query).toMatchObject({ status: 400, json: { code: 'schema' } });
    }
  });
});

describe('a text of 60 000 characters', () => {
  it.each([
    ['/v1/elections', { protocol: 'x'.repeat(60_000), nodes: 3 }],
    ['/v1/elections', { protocol: 'cr-join', nodes: 3, seed: '1'.repeat(60_000) }],
    ['/v1/runs', { threatModel: 'x'.repeat(60_000) }],
    ['/v1/sweeps', { threatModel: 'top-id', axes: { work: 'x'.repeat(60_000) } }],
    ['/v1/forgeries', { goal: 'x'.repeat(60_000) }],
  ])('sent to %s is refused and not repeated in the answer', async (path, body) => {
    const answer = await lab.post(path, body);

    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(2000);
  });
});
