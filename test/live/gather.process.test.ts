/**
 * @module
 * What a node says about peers that have other settings, or another identity than the peers file has.
 */

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { differenceText, gather } from '../../src/live/gather.ts';
import { PEER_PROTOCOL } from '../../src/live/node-status.ts';
import { parsePeers } from '../../src/live/peers.ts';
import type { NodeEvents, NodeSettings } from '../../src/live/start-node.ts';
import { startNode } from '../../src/live/start-node.ts';
import { plainTransport } from '../../src/live/transport/transport.ts';
import { memberAt, settingsFor } from './hostile-peer.ts';
import { testNetwork, until } from './network.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function twoMembers(scheme: 'http' | 'https') {
  const made = await testNetwork(2);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const network = parsePeers(made.peers.replaceAll('http://', `${scheme}://`));
  /** Starts the node of a position. Its warnings come in turn. */
  const start = async (
    position: number,
    changed: Partial<NodeSettings>,
    onUnmet?: NodeEvents['onUnmet'],
  ) => {
    const warnings: string[] = [];
    const { key } = memberAt({ network, made }, position);
    const node = await startNode(
      {
        ...settingsFor(network, key, join(made.folder, `${position}.log`)),
        ...{ gatherMs: 300, ...changed },
      },
      {
        onLeader: () => undefined,
        onRecord: () => undefined,
        onWarning: (text) => void warnings.push(text),
        ...(onUnmet === undefined ? {} : { onUnmet }),
      },
      new AbortController().signal,
    );
    closing.unshift(node.close);
    return warnings;
  };
  const urlOf = (position: number) => network.peers[position - 1]?.url ?? '';
  return { network, start, urlOf, folder: made.folder };
}

it('a node asks two peers at a time, and each of them until it answers', async () => {
  const asked: string[] = [];
  let open = 0;
  let most = 0;
  const server = createServer((incoming, outgoing) => {
    open += 1;
    most = Math.max(most, open);
    const { url = '' } = incoming;
    asked.push(url);
    setTimeout(() => {
      open -= 1;
      // The last one does not answer the first question.
      if (url === '/5/status' && asked.filter((each) => each === url).length === 1) {
        outgoing.destroy();
      } else outgoing.end('{}');
    }, 20);
  }).listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A TCP server has an address with a port.
  const { network } = await twoMembers('http');
  const [peer] = network.peers;
  if (peer === undefined) throw new Error('a peer was expected');
  const peers = Array.from({ length: 6 }, (_, index) => ({
    ...{ ...peer, url: `http://127.0.0.1:${port}/${index}` },
  }));
  const answered: string[] = [];

  await gather(peers, plainTransport().once, {
    ...{ waitMs: 20_000, signal: new AbortController().signal },
    onAnswer: ({ url }) => void answered.push(url.slice(-1)),
  });

  expect(answered.toSorted()).toEqual(['0', '1', '2', '3', '4', '5']);
  expect(answered.at(-1)).toBe('5');
  expect(asked).toHaveLength(7);
  expect(most).toBe(2);
});

it('two peers that accept connections and say nothing hold up no other one', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  const talking = createServer((_, outgoing) => void outgoing.end('{}')).listen(0, '127.0.0.1');
  closing.push(() => [silent, talking].map((server) => server.closeAllConnections()));
  closing.push(() => [silent, talking].map((server) => server.close()));
  await Promise.all([silent, talking].map((server) => once(server, 'listening')));
  const { network } = await twoMembers('http');
  const [peer] = network.peers;
  if (peer === undefined) throw new Error('a peer was expected');
  const peers = [silent, silent, talking, talking].map((server, index) => {
    const { port } = server.address() as AddressInfo; // A TCP server has an address with a port.
    return { ...peer, url: `http://127.0.0.1:${port}/${index}` };
  });
  const answered: string[] = [];

  await gather(peers, plainTransport().once, {
    ...{ waitMs: 2_000, signal: new AbortController().signal },
    onAnswer: ({ url }) => void answered.push(url.slice(-1)),
  });

  expect(answered.toSorted()).toEqual(['2', '3']);
});

it('a node names the settings in which a peer differs, once', async () => {
  const { start, urlOf } = await twoMembers('http');
  await start(1, { protocol: 'raft', level: 'L2' });

  const warnings = await start(2, { protocol: 'bully-oneshot', level: 'L3' });

  expect(warnings).toEqual([
    `node 1 at ${urlOf(1)} runs raft at L2 with a latency of 200 ms, this node bully-oneshot at L3 with 200 ms; all nodes need the same --protocol and --level`,
  ]);
});

it('a node that starts says which peers have not answered yet', async () => {
  const { start } = await twoMembers('http');
  const [first, second]: number[][][] = [[], []];

  await start(1, {}, (positions) => first?.push([...positions]));
  await start(2, {}, (positions) => second?.push([...positions]));

  expect(first).toEqual([[2]]);
  expect(second).toEqual([[1], []]);
});

it('a node says that another identity answers at the address of a peer, once', async () => {
  const { start, urlOf, folder } = await twoMembers('https');
  const { hostname, port } = new URL(urlOf(1));
  // The key of node 2 at the address of node 1.
  await start(2, { listen: { host: hostname, port: Number(port) }, data: join(folder, 'other') });
  const warnings = await start(2, {});

  await until('the warning comes', () => warnings.length > 0);

  expect(warnings).toEqual([
    `the node at ${urlOf(1)} showed another identity than that of node 1 in the peers file; start it with the key and the election of that file`,
  ]);
});

it('the settings of a peer are compared with those of the node, and a text of a peer is one line', async () => {
  const { network } = await twoMembers('http');
  const [peer] = network.peers;
  if (peer === undefined) throw new Error('a peer was expected');
  const own = { election: 'test', protocol: 'raft', level: 'L3', latencyMs: 50 };
  const answer = { rank: String(peer.rank), ...own };

  expect(differenceText(peer, own, answer)).toBeNull();
  expect(differenceText(peer, own, { ...answer, latencyMs: undefined })).toBeNull();
  expect(differenceText(peer, own, 'no status')).toBeNull();
  expect(differenceText(peer, own, { ...answer, latencyMs: 100 })).toContain('the same --latency');
  expect(differenceText(peer, own, { ...answer, election: 'b\n' })).toMatch(
    /^node 1 .* of election b\S* ?, this node of test;/,
  );
  expect(differenceText(peer, own, { ...answer, peerProtocol: PEER_PROTOCOL })).toBeNull();
  expect(differenceText(peer, own, { ...answer, peerProtocol: 2 })).toContain(
    'speaks version 2 of the peer protocol, this node version 1',
  );
  expect(differenceText(peer, own, { ...answer, rank: '00' })).toContain('another identity');
});

it('the metrics of a node contain no statistics of lags that include the time between samples', async () => {
  const { start, urlOf } = await twoMembers('http');
  await start(1, {});

  const metrics = await fetch(`${urlOf(1)}/metrics`).then((answer) => answer.text());

  const lags = metrics.match(/^nodejs_eventloop_lag\w*/gm);
  expect(lags).toEqual(['nodejs_eventloop_lag_seconds']);
});
