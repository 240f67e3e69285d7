/**
 * @module
 * The process `usurp serve`: how it stops, and what it logs about requests.
 */

import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CLOSE_GRACE_MS } from '../../../server/socket/listen.ts';
import { ended, spawnUsurp, usurp } from '../../cli/shell.ts';

const BODY = '{"protocol":"cr-join","nodes":3,"seed":"1"}';

/** Starts the server and waits for its address. */
async function start(...flags: readonly string[]) {
  const child = spawnUsurp(['serve', '--port', '0', ...flags]);
  const end = ended(child);
  const url = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
  });
  return { child, end, url, port: Number(new URL(url).port) };
}

/** A POST without its last byte; `finish` sends it and reads the answer. */
async function halfPost(port: number) {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const head =
    `POST /v1/elections HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nExpect: 100-continue\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;
  socket.write(head + BODY.slice(0, -1));
  // The interim answer means that the request is being answered.
  while (!received.includes('100 Continue')) await delay(5);
  return {
    closed,
    async finish(): Promise<string> {
      socket.write(BODY.slice(-1));
      await closed;
      return received;
    },
  };
}

async function untilDraining(url: string): Promise<Response> {
  for (;;) {
    const response = await fetch(`${url}/readyz`);
    if (response.status === 503) return response;
    await response.text();
    await delay(5);
  }
}

/** The JSON lines on stderr. */
function logged(stderr: string): Record<string, unknown>[] {
  return stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function secondsUntil(end: Promise<unknown>): Promise<number> {
  const started = performance.now();
  return end.then(() => (performance.now() - started) / 1e3);
}

describe('SIGTERM', () => {
  it('lets a half-sent POST finish, refuses new requests, cancels jobs, and exits with 0', async () => {
    const { child, end, url, port } = await start();
    const job = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"threatModel":"top-id","runs":1000000}',
    });
    const post = await halfPost(port);

    child.kill('SIGTERM');
    const unready = await untilDraining(url);
    const refused = await fetch(`${url}/v1/params`);
    const health = await fetch(`${url}/healthz`);
    const seconds = secondsUntil(end);
    const answer = await post.finish();
    const { code, stderr } = await end;

    expect(job.status).toBe(202);
    expect(unready.headers.get('Retry-After')).toBe('10');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('Connection')).toBe('close');
    expect(await refused.json()).toMatchObject({ code: 'server.unready' });
    expect(health.status).toBe(200);
    expect(answer).toContain('HTTP/1.1 201 Created');
    expect(code).toBe(0);
    expect(await seconds).toBeLessThan(10);
    expect(stderr).toContain('stopping');
    expect(stderr).not.toContain('fault');
  });

  it('does not wait forever for a POST that never ends', async () => {
    const { child, end, port } = await start('--quiet');
    const post = await halfPost(port);

    child.kill('SIGTERM');
    const seconds = await secondsUntil(end);
    await post.closed;

    expect((await end).code).toBe(0);
    expect(seconds).toBeLessThan(10);
  });

  it('stops the server at once when it is sent again', async () => {
    const { child, end, url, port } = await start();
    await halfPost(port);
    child.kill('SIGTERM');
    await untilDraining(url);

    child.kill('SIGTERM');
    const seconds = await secondsUntil(end);

    expect((await end).code).toBe(130);
    // Without a second signal it would wait for the request as long as this.
    expect(seconds).toBeLessThan(CLOSE_GRACE_MS / 1e3);
  });
});

describe('serve --log', () => {
  it('json writes one line of JSON for the start, each request, and the stop', async () => {
    const { child, end, url } = await start('--log', 'json');
    const secret = 'e_thisopensanelection';
    const headers = { Authorization: 'Bearer hunter2' };
    await fetch(`${url}/v1/elections/${secret}?token=hunter2`, { headers });
    await fetch(`${url}/v1/${secret}%1b[31m`);
    await fetch(`${url}/v1/elections`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: BODY,
    });
    child.kill('SIGTERM');

    const { stderr } = await end;

    const lines = logged(stderr);
    expect(lines.map(({ event }) => event)).toEqual([
      'started',
      ...['request', 'request', 'request'],
      'stopping',
    ]);
    expect(lines[0]).toMatchObject({ level: 'info', url, time: expect.stringMatching(/Z$/) });
    expect(lines.slice(1, 4)).toMatchObject([
      {
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        method: 'GET',
        route: '/v1/elections/{id}',
        status: 400,
      },
      { method: 'GET', route: null, status: 404 },
      { method: 'POST', route: '/v1/elections', status: 201, isComplete: true },
    ]);
    expect(lines[3]?.bytes).toBeGreaterThan(300);
    expect(lines[3]?.durationMs).toBeGreaterThan(0);
    expect(stderr).not.toMatch(/hunter2|thisopens|cr-join|\p{Cc}(?<!\n)/u);
  });

  it('text does not log requests', async () => {
    const { child, end, url } = await start('--log', 'text', '--quiet');
    await fetch(`${url}/healthz`);
    child.kill('SIGTERM');

    const { stderr } = await end;

    expect(stderr).toBe('');
  });

  it('refuses other forms', async () => {
    const { code, stderr } = await usurp(['serve', '--log', 'xml']);

    expect(code).toBe(254);
    expect(stderr).toContain('Allowed choices are text, json');
  });
});
