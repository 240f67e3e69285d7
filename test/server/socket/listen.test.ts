/**
 * @module
 * The API on a real socket: behaviour that only bytes on the wire can show.
 */

import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';

import { BODY_BYTES_MAX } from '../../../server/contract/json-body.ts';
import type { ServerFault } from '../../../server/request/refusals.ts';
import { listen } from '../../../server/socket/listen.ts';
import { labUnderTest } from '../lab-under-test.ts';

const faults: ServerFault[] = [];
const lab = labUnderTest();
const ADDRESS = { host: '127.0.0.1', port: 0 };
const listening = await listen(ADDRESS, lab.app, (fault) => void faults.push(fault));
const port = Number(new URL(listening.url).port);
afterAll(() => listening.close());

const HOST = `Host: 127.0.0.1:${port}`;
const POST = `POST /v1/elections HTTP/1.1\r\n${HOST}\r\nContent-Type: application/json\r\n`;
const BODY = '{"protocol":"cr-join","nodes":1}';

/** Sends bytes and collects the answer until the server closes, or `until` has been received. */
function exchange(text: string, until?: RegExp): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')));
  let received = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    received += chunk;
    if (until?.test(received)) socket.destroy();
  });
  // A reset after the answer is one way of closing.
  socket.on('error', () => {});
  socket.on('close', () => resolve(received));
  return promise;
}

/** One request whose answer ends the connection. */
const once = (head: string, body = '') => exchange(`${head}Connection: close\r\n\r\n${body}`);

function problemIn(answer: string): Record<string, unknown> {
  expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i);
  expect(answer).toMatch(/\r\nx-request-id: [\w-]+\r\n/i);
  return JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

describe('listening', () => {
  it('chooses a free port for 0 and answers there', async () => {
    const response = await fetch(`${listening.url}/healthz`);

    expect(listening.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
  });

  it.each([
    ['a port that is taken', { host: '127.0.0.1', port }, /listens there/],
    ['an address of another machine', { host: '192.0.2.1', port: 0 }, /not an address of this/],
  ])('refuses %s and gives the reason', async (_name, address, reason) => {
    const attempt = listen(address, lab.app, () => {});

    await expect(attempt).rejects.toMatchObject({ code: 'arguments', message: reason });
  });

  it('puts an IPv6 address into brackets', async () => {
    const other = await listen({ host: '::1', port: 0 }, lab.app, () => {});

    const response = await fetch(`${other.url}/healthz`);

    await response.text();
    expect(other.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect(response.status).toBe(200);
    await other.close();
  });

  it('lets a request finish while it closes, then refuses connections', async () => {
    const { app } = labUnderTest();
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    app.get('/slow', async (c) => {
      begun.resolve();
      await release.promise;
      return c.text('done');
    });
    const other = await listen(ADDRESS, app, () => {});
    const answering = fetch(`${other.url}/slow`);
    await begun.promise;

    const closing = other.close();
    release.resolve();

    expect(await (await answering).text()).toBe('done');
    await closing;
    await expect(fetch(`${other.url}/healthz`)).rejects.toThrow();
  });
});

describe('a body on the wire', () => {
  it('over the limit is refused by its announced length, and the connection is closed', async () => {
    const answer = await exchange(`${POST}Content-Length: ${BODY_BYTES_MAX + 1}\r\n\r\n`);

    expect(statusOf(answer)).toBe(413);
    expect(problemIn(answer)).toMatchObject({ code: 'body.too_large' });
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('in endless chunks is refused, and the connection is closed', async () => {
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;

    const answer = await exchange(`${POST}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(8)}`);

    expect(statusOf(answer)).toBe(413);
    expect(problemIn(answer)).toMatchObject({ code: 'body.too_large' });
  });

  it('in chunks within the limit is accepted', async () => {
    const half = BODY.length >> 1;
    const chunks = [BODY.slice(0, half), BODY.slice(half), '']
      .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
      .join('');

    const answer = await once(`${POST}Transfer-Encoding: chunked\r\n`, chunks);

    expect(statusOf(answer)).toBe(201);
  });

  it('does not get 100 Continue if its announced length is too large', async () => {
    const head = `${POST}Expect: 100-continue\r\n`;

    const refused = await exchange(`${head}Content-Length: ${BODY_BYTES_MAX + 1}\r\n\r\n`);
    const invited = await exchange(`${head}Content-Length: ${BODY.length}\r\n\r\n`, /100 Continue/);

    expect(statusOf(refused)).toBe(413);
    expect(refused).not.toContain('100 Continue');
    expect(statusOf(invited)).toBe(100);
  });

  it.each([
    ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n'],
    ['a negative length', 'Content-Length: -1\r\n'],
    ['a length beyond every integer', 'Content-Length: 100000000000000000000\r\n'],
  ])('with %s is refused', async (_name, headers) => {
    const answer = await exchange(`${POST}${headers}\r\n{}`);

    expect(statusOf(answer)).toBe(400);
  });

  it('that is compressed is refused, also a decompression bomb', async () => {
    const head = `${POST}Content-Encoding: gzip\r\nContent-Length: 20\r\n`;

    const answer = await once(head, '\x1f\x8b'.padEnd(20, '\0'));

    expect(statusOf(answer)).toBe(415);
    expect(problemIn(answer)).toMatchObject({ code: 'content_encoding' });
  });

  it('that was refused without being read is not taken as the next request', async () => {
    const refused = `POST /v1/elections HTTP/1.1\r\n${HOST}\r\nContent-Type: text/plain\r\n`;
    const body = 'DELETE /v1/runs HTTP/1.1\r\n\r\n';
    const next = `GET /healthz HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`;

    const answer = await exchange(`${refused}Content-Length: ${body.length}\r\n\r\n${body}${next}`);

    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 415', 'HTTP/1.1 200']);
  });

  it('whose sender disconnects is no fault of the server', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`${POST}Content-Length: 100\r\n\r\n{"algo`, () => socket.resetAndDestroy());
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve());

    await promise;
    const response = await fetch(`${listening.url}/healthz`);

    expect(response.status).toBe(200);
    expect([...faults, ...lab.faults]).toEqual([]);
  });
});

describe('a request line or header on the wire', () => {
  it.each([
    ['an unknown method', `FOO /healthz HTTP/1.1\r\n${HOST}\r\n`],
    ['no Host', 'GET /healthz HTTP/1.1\r\n'],
    ['bare line feeds', `GET /healthz HTTP/1.1\n${HOST}\n\n`],
    ['a space in the path', `GET /health z HTTP/1.1\r\n${HOST}\r\n`],
    ['a name without a colon', `GET /healthz HTTP/1.1\r\n${HOST}\r\nX\r\n`],
    ['bytes of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('with %s is answered 400 by the parser', async (_name, head) => {
    const answer = await exchange(`${head}\r\n`);

    expect(statusOf(answer)).toBe(400);
  });

  it.each([
    ['an empty Host', 'GET /healthz HTTP/1.1\r\nHost:\r\n'],
    ['a foreign Host', 'GET /healthz HTTP/1.1\r\nHost: evil.example\r\n'],
    ['a Host that is no host', 'GET /healthz HTTP/1.1\r\nHost: a/b?c\r\n'],
    ['two Hosts', `GET /healthz HTTP/1.1\r\n${HOST}\r\nHost: evil.example\r\n`],
    ['a foreign absolute URL', `GET http://evil.example/healthz HTTP/1.1\r\n${HOST}\r\n`],
    ['a backslash in the path', `GET /v1\\params HTTP/1.1\r\n${HOST}\r\n`],
  ])('with %s is answered 400 with the code host', async (_name, head) => {
    const answer = await once(head);

    expect(statusOf(answer)).toBe(400);
    expect(problemIn(answer)).toMatchObject({ code: 'host' });
  });

  it.each([
    ['its own absolute URL', `GET http://127.0.0.1:${port}/healthz HTTP/1.1\r\n${HOST}\r\n`],
    ['HTTP/1.0 and no Host', 'GET /healthz HTTP/1.0\r\n'],
    ['a header named __proto__', `GET /healthz HTTP/1.1\r\n${HOST}\r\n__proto__: x\r\n`],
    ['an upgrade to WebSocket', `GET /healthz HTTP/1.1\r\n${HOST}\r\nUpgrade: websocket\r\n`],
  ])('with %s is answered', async (_name, head) => {
    const answer = await once(head);

    expect(statusOf(answer)).toBe(200);
  });

  it('with TRACE is answered 405 with the allowed methods', async () => {
    const answer = await once(`TRACE /v1/designs HTTP/1.1\r\n${HOST}\r\n`);

    expect(statusOf(answer)).toBe(405);
    expect(answer).toMatch(/\r\nallow: POST\r\n/i);
    expect(problemIn(answer)).toMatchObject({ code: 'method_not_allowed' });
  });

  it.each([
    ['header', `GET /healthz HTTP/1.1\r\n${HOST}\r\nX-Long: ${'x'.repeat(17_000)}\r\n`],
    ['URL', `GET /healthz?${'x'.repeat(17_000)} HTTP/1.1\r\n${HOST}\r\n`],
  ])('with a %s of 17 KB is answered 431', async (_name, head) => {
    const answer = await exchange(`${head}\r\n`);

    expect(statusOf(answer)).toBe(431);
  });

  it.each(['/v1/elections/..', '/v1/runs/../elections/%2e%2e/params', '/v1//params'])(
    'with the path %s reaches nothing that it does not name',
    async (path) => {
      const answer = await once(`DELETE ${path} HTTP/1.1\r\n${HOST}\r\n`);

      expect([400, 404, 405]).toContain(statusOf(answer));
    },
  );
});
