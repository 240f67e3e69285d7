/**
 * @module
 * The controller of a cluster observes nodes of other machines, which can be hostile.
 */

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';

import { afterEach, describe, expect, it } from 'vitest';

import type { Rank } from '../../../src/election/machine.ts';
import { seenIn } from '../../../src/live/cluster/machines.ts';
import { parsePeers } from '../../../src/live/peers.ts';
import { ask, certify, observingTransport } from '../../../src/live/transport/transport.ts';
import { testNetwork } from '../network.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function oneNode() {
  const made = await testNetwork(1);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const network = parsePeers(made.peers);
  const [peer] = network.peers;
  if (peer === undefined) throw new Error('none');
  return { network, peer };
}

/** What an observer gets from a server that is made for the rank of a node. */
async function observed(serverOf: (rank: Rank) => Server, scheme: 'http' | 'https') {
  const { peer } = await oneNode();
  const { hostname, port } = new URL(peer.url);
  const server = serverOf(peer.rank).listen(Number(port), hostname);
  await once(server, 'listening');
  const transport = observingTransport();
  closing.push(() => {
    transport.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `${scheme}://${hostname}:${port}`;
  return ask(transport, { ...peer, url }, '/status', { waitMs: 700 });
}

/** A server that shows its certificate this many times. */
function securedServer(rank: Rank, copies: number): Server {
  const { key, cert } = certify({ election: 'test', epoch: 0 }, rank, () => '0'.repeat(128));
  return createServer({ key, cert: cert.repeat(copies) }, (_request, response) => {
    response.end('{"life":1}');
  });
}

describe('an observer', () => {
  it('has the answer of a node', async () => {
    expect(await observed((rank) => securedServer(rank, 1), 'https')).toEqual({ life: 1 });
  });

  it('reads no certificates of many kilobytes', async () => {
    expect(await observed((rank) => securedServer(rank, 100), 'https')).toBeNull();
  });

  it('follows no redirection', async () => {
    const paths: unknown[] = [];
    const redirecting = () =>
      createPlainServer(({ url }, response) => {
        paths.push(url);
        response.writeHead(302, { location: '/secret' }).end();
      });

    expect(await observed(redirecting, 'http')).toBeNull();
    expect(paths).toEqual(['/status']);
  });

  it('takes no control characters of the leader that a node reports', async () => {
    const { network, peer } = await oneNode();
    const status = {
      ...{ rank: peer.rank, position: 1, protocol: 'x', election: 'test', members: 1, level: 'L3' },
      ...{ detector: 'x', life: 1, ready: true, leader: '\u001b[2J\u009b\n', leaderPosition: null },
      ...{ epoch: 0, since: '2026-01-01T00:00:00Z', suspects: [], traceComplete: true },
      refused: { flood: 0, sender: 0, malformed: 0, replay: 0, signature: 0, candidacy: 0 },
    };

    expect(seenIn(status, network, peer)).toMatchObject({
      leader: '\\u001b[2J\\u009b\\u000a',
    });
  });
});
