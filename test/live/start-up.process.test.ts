/**
 * @module
 * Where a node listens, and requests that reach it while it starts: its port is open, and its store is not yet.
 */

import { readdirSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { claimToJson } from '../../src/identity/claim.ts';
import { parsePeers } from '../../src/live/peers.ts';
import { startNode } from '../../src/live/start-node.ts';
import { settingsFor } from './hostile-peer.ts';
import { testNetwork } from './network.ts';

/** By then a request has reached the node. */
const ARRIVAL_MS = 100;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** What an etcd without keys answers. */
const EMPTY_STORE = JSON.stringify({ header: { revision: '1' } });

/** A node of db-lease whose store, an etcd, has not answered its first request yet. */
async function starting() {
  const asked = Promise.withResolvers<ServerResponse>();
  let requests = 0;
  const store = createServer((_request, answer) => {
    requests += 1;
    if (requests === 1) asked.resolve(answer);
    else answer.end(EMPTY_STORE);
  });
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  // A TCP server has an address with a port.
  const { port } = store.address() as AddressInfo;
  const made = await testNetwork(1);
  closing.push(
    () => store.closeAllConnections(),
    () => store.close(),
    () => rmSync(made.folder, { recursive: true }),
  );
  const network = parsePeers(made.peers);
  const [key] = made.keys;
  if (key === undefined) throw new Error('a key was expected');
  const node = startNode(
    {
      ...settingsFor(network, key, join(made.folder, 'node.log')),
      ...{ protocol: 'db-lease', store: `etcd:127.0.0.1:${port}` },
    },
    { onLeader: () => undefined, onRecord: () => undefined },
    new AbortController().signal,
  );
  // The test may end before it waits for the node.
  node.catch(() => undefined);
  return { node, store: await asked.promise, url: `${network.peers[0]?.url}/status` };
}

it('wait, and are answered when the node is ready', async () => {
  const { node, store, url } = await starting();
  const answer = fetch(url);
  await delay(ARRIVAL_MS);

  store.end(EMPTY_STORE);

  expect((await answer).status).toBe(200);
  closing.unshift((await node).close);
});

it('end when the node cannot start, which they do not delay', async () => {
  const { node, store, url } = await starting();
  const answer = fetch(url);
  await delay(ARRIVAL_MS);

  store.writeHead(404).end('{}');

  await expect(node).rejects.toMatchObject({ code: 'storage.unavailable' });
  await expect(answer).rejects.toThrow();
});

it('a founder at a port of the system says where its peers look for it, and keeps the port', async () => {
  const made = await testNetwork(2);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const network = parsePeers(made.peers);
  const [key] = made.keys;
  const listed = network.peers.find(
    ({ claim }) => claimToJson(claim).publicKey === key?.claim.publicKey,
  );
  if (key === undefined || listed === undefined) throw new Error('a key was expected');
  const settings = {
    ...settingsFor(network, key, join(made.folder, 'node.log')),
    ...{ listen: { host: '127.0.0.1', port: 0 }, gatherMs: 0 },
  };
  const start = async () => {
    const events = { onLeader: () => undefined, onRecord: () => undefined };
    const node = await startNode(settings, events, new AbortController().signal);
    await node.close();
    return { url: node.url, listedAt: node.listedAt };
  };

  const first = await start();
  const again = await start();

  expect(first.listedAt).toBe(listed.url);
  expect(first.url).not.toBe(listed.url);
  expect(again).toEqual(first);
});

it.each([
  ['https://192.0.2.1:443', 443],
  ['https://192.0.2.1:8443', 8443],
  ['http://192.0.2.1:80', 80],
])('a founder at %s listens on port %i, and leaves no log if it cannot', async (url, port) => {
  const made = await testNetwork(1);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const network = parsePeers(made.peers.replace(/http:[^"]*/, url));
  const [key] = made.keys;
  if (key === undefined) throw new Error('a key was expected');
  const settings = settingsFor(network, key, join(made.folder, 'node.log'));
  const events = { onLeader: () => undefined, onRecord: () => undefined };

  // No machine has an address of this network, so that the error states the port.
  await expect(startNode(settings, events, new AbortController().signal)).rejects.toThrow(
    `cannot listen on 192.0.2.1 port ${port}: this machine has no such address`,
  );
  expect(readdirSync(made.folder).filter((name) => name.startsWith('node.log'))).toEqual([]);
});
