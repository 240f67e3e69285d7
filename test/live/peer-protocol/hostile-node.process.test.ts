/**
 * @module
 * `usurp conform --url` against a node that is hostile to the tester: it neither holds it up, nor uses up its memory, nor
 * leads it to another address, nor controls the terminal.
 */

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { recordFinding, testPeer } from '../../../src/live/peer-protocol/peer-checks.ts';
import type { Network } from '../../../src/live/peers.ts';
import { parsePeers } from '../../../src/live/peers.ts';
import { ask, plainTransport } from '../../../src/live/transport/transport.ts';
import { usurp } from '../../cli/shell.ts';
import { testKey, testNetwork } from '../network.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answering = (response: ServerResponse, network: Network) => void;

/** A server in the place of the middle node of three. */
async function hostileNode(answer: Answering) {
  const made = await testNetwork(3);
  const network = parsePeers(made.peers);
  const url = network.peers[1]?.url ?? '';
  const server = await serving((_path, response) => answer(response, network), url);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  return { ...made, network, url, server };
}

async function serving(
  answer: (path: string, response: ServerResponse) => void,
  url = 'http://127.0.0.1:0',
): Promise<Server> {
  const server = createServer((request, response) => answer(request.url ?? '', response));
  const { hostname, port } = new URL(url);
  server.listen(Number(port), hostname);
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

/** What the tester finds first. It waits longer than a busy machine takes to answer. */
async function findingOf(answer: Answering, patienceMs = 5000): Promise<string> {
  const { network, keys, url } = await hostileNode(answer);
  const { findings } = await testPeer({
    ...{ url, network, keys, level: 'L3', latencyMs: 200, patienceMs },
    ...{ stranger: testKey(9).secret, signal: new AbortController().signal },
  });
  const [finding] = findings;
  expect(finding?.holds).toBe(false);
  return finding?.detail ?? '';
}

/** Sends the same piece again until the connection is closed. */
function sendForEver(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const piece = 'x'.repeat(64 * 1024);
  const send = () => {
    if (response.destroyed) return;
    if (response.write(piece)) setImmediate(send);
    else response.once('drain', send);
  };
  send();
}

/** Status 101, for a request without `Upgrade`. */
function switchProtocols(response: ServerResponse): void {
  response.socket?.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
  );
}

const STATUS = {
  ...{ position: 2, protocol: 'bully-oneshot', members: 3, level: 'L3', detector: 'x', life: 1 },
  ...{ ready: false, leaderPosition: 1, epoch: 0, since: '2026-01-01T00:00:00Z', suspects: [] },
  refused: { flood: 0, sender: 0, malformed: 0, replay: 0, signature: 0, candidacy: 0 },
  traceComplete: true,
};

describe('a tested node', () => {
  it('that gives no answer deviates in this, and the test ends', async () => {
    expect(await findingOf(() => undefined, 400)).toContain('received no whole answer in 400 ms');
  });

  it.each<[string, Answering, string]>([
    ['changes to another protocol', switchProtocols, 'no answer'],
    ['sends its status for ever', sendForEver, 'an answer of more than 65536 bytes'],
  ])('that %s deviates in this, and the test ends', async (_what, answer, detail) => {
    expect(await findingOf(answer)).toContain(`received ${detail}`);
  });

  it('that redirects the tester deviates in this, and the other address gets no request', async () => {
    const paths: string[] = [];
    const other = await serving((path, response) => {
      paths.push(path);
      response.end('{}');
    });
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : 0;

    const detail = await findingOf((response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end();
    });

    expect(detail).toContain('received 302, a redirection');
    expect(paths).toEqual([]);
  });

  it('has no control sequences in the output', async () => {
    const { folder, url, network } = await hostileNode((response, { peers, election }) => {
      const status = { ...STATUS, rank: peers[1]?.rank, election };
      response.end(JSON.stringify({ ...status, leader: '\u001b[2J\u0007\u009b31m\u202e\nFAILS' }));
    });
    const keyOf = (position: number) =>
      join(folder, `key-${network.ring.indexOf(position) + 1}.json`);

    const { stdout, code } = await usurp([
      ...['conform', '--url', url, '--peers', join(folder, 'peers.json'), '--wait', '300ms'],
      ...['--identity', keyOf(1), '--identity', keyOf(3)],
    ]);

    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    expect(stdout).toContain(`node 2 at ${url} does not conform\n`);
    // What the node says begins no line: each further line is a part of the finding.
    const [, , ...further] = stdout.trimEnd().split('\n');
    expect(further.filter((line) => !line.startsWith('  '))).toEqual([]);
    expect(stdout).toContain('\\u009b31m\\u202e');
    expect(code).toBe(1);
  });
});

describe('a node', () => {
  it('does not wait for a peer that changes to another protocol', async () => {
    const { network } = await hostileNode(switchProtocols);
    const [, peer] = network.peers;
    if (peer === undefined) throw new TypeError('the network has no second node');
    const transport = plainTransport();
    closing.push(() => transport.close());

    expect(await ask(transport, peer, '/status', { waitMs: 600_000 })).toBeNull();
  });
});

describe('the records of a tested node', () => {
  const record = (type: string) =>
    JSON.stringify({ t: 1, event: { type }, effects: [], clock: {} });
  const shown = (id: string, data: string) => `event: record\ndata: ${data}\n${id}\n\n`;

  it('do not come if it changes to another protocol', async () => {
    const server = await serving((_path, response) => switchProtocols(response));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;

    const { detail } = await recordFinding(`http://127.0.0.1:${port}`, 600_000);

    expect(detail).toContain('received status 0');
  });

  it.each([
    ['are events with ids', shown('id: 0', record('start')), null],
    ['have no ids', shown('x: 0', record('start')), 'event record with the id '],
    ['begin later', shown('id: 0', record('timeout')), 'a record of another form'],
    ['are no records', shown('id: 0', '{}'), 'a record of another form'],
    ['are other than its start', shown('id: 0', record('crash')), 'crash as the first record'],
    ['do not come', '', 'no event'],
  ])('that %s', async (_what, text, fault) => {
    const server = await serving((_path, response) => {
      response.writeHead(200).write(text === '' ? '\n' : text);
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;

    const { holds, detail } = await recordFinding(`http://127.0.0.1:${port}`, 300);

    expect(holds).toBe(fault === null);
    expect(detail).toContain(fault ?? 'GET /events');
  });
});
