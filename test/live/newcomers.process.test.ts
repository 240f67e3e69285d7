/**
 * @module
 * Nodes that ask a live node to be admitted: when it answers, how many it admits, and at which addresses.
 */

import { rmSync } from 'node:fs';
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, expect, it } from 'vitest';

import { parseClaim } from '../../src/identity/claim.ts';
import { NamedMembers } from '../../src/live/entrance.ts';
import type { Refused } from '../../src/live/membership.ts';
import { addressFault, presentationOf } from '../../src/live/membership.ts';
import type { Network } from '../../src/live/peers.ts';
import { parsePeers, rankOf } from '../../src/live/peers.ts';
import { startNode } from '../../src/live/start-node.ts';
import { ADMISSION_ALLOWANCE } from '../../src/live/transport/work-budget.ts';
import { post, settingsFor, signerOf, startedNodes } from './hostile-peer.ts';
import { testKey, testNetwork } from './network.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** What a newcomer with this number presents at an address. */
function presented(network: Network, number: number, url: string) {
  const key = testKey(number);
  return presentationOf(
    { url, claim: parseClaim(key.claim) },
    network.election,
    signerOf(key, network),
  );
}

/** The address of a node with this number that answers after a time. `onAnswer` is called for observers. */
async function listening(
  network: Network,
  number: number,
  { answerMs = 0, onAnswer = (): void => undefined } = {},
): Promise<string> {
  const rank = rankOf(parseClaim(testKey(number).claim), network.policy);
  const server = createServer(({ method }, answer) => {
    setTimeout(() => {
      // A message of the protocol, such as a heartbeat, is a POST.
      if (method === 'GET') onAnswer();
      answer.end(JSON.stringify({ rank }));
    }, answerMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

it('a member has connected to a newcomer when it answers it, so that its next message is not late', async () => {
  const { network, nodes } = await startedNodes(closing, { scheme: 'http', honest: [3] });
  const [target] = nodes;
  if (target === undefined) throw new Error('none');
  let answered = 0;
  const onAnswer = () => {
    answered += 1;
  };
  const url = await listening(network, 9, { answerMs: 300, onAnswer });
  const agent = new Agent();

  const { status } = await post(target, presented(network, 9, url), { agent, path: '/peers' });

  // Once to be admitted, and once over the connection for messages.
  expect({ status, answered }).toEqual({ status: 200, answered: 2 });
});

it('a newcomer is refused if no node, or another one, answers at its address', async () => {
  const { network, nodes } = await startedNodes(closing, { scheme: 'http', honest: [3] });
  const [target] = nodes;
  if (target === undefined) throw new Error('none');
  const agent = new Agent();
  const present = async (url: string) => {
    const body = presented(network, 9, url);
    const { status, refusal } = await post(target, body, { agent, path: '/peers' });
    return refusal ?? status;
  };

  const answers = [
    await present('http://127.0.0.1:1'),
    await present(await listening(network, 10)),
    await present(await listening(network, 9)),
  ];

  expect(answers).toEqual(['address', 'address', 200]);
});

it('an address can present few new nodes at once, and those that are known at any time', async () => {
  const { network, nodes } = await startedNodes(closing, { scheme: 'http', honest: [3] });
  const [target] = nodes;
  if (target === undefined) throw new Error('none');
  const agent = new Agent();
  const numbers = Array.from({ length: 2 * ADMISSION_ALLOWANCE.most }, (_, index) => 10 + index);
  const urls = await Promise.all(numbers.map((number) => listening(network, number)));
  const present = async (index: number) => {
    const body = presented(network, numbers[index] ?? 0, urls[index] ?? '');
    const { status, refusal } = await post(target, body, { agent, path: '/peers' });
    return refusal ?? status;
  };

  const answers = [];
  for (const index of numbers.keys()) answers.push(await present(index));
  const again = await present(0);

  expect(answers.slice(0, ADMISSION_ALLOWANCE.most)).toEqual(
    Array.from({ length: ADMISSION_ALLOWANCE.most }, () => 200),
  );
  expect(answers.at(-1)).toBe('flood');
  expect(again).toBe(200);
  expect(target.refused().flood).toBeGreaterThan(0);
});

/** A founder that answers presentations like this, and observers as its rank. Returns what starts a newcomer. */
async function withFounder(answer: (network: Network) => readonly [status: number, body: unknown]) {
  const made = await testNetwork(1);
  const network = parsePeers(made.peers);
  const [founder] = network.peers;
  if (founder === undefined) throw new Error('none');
  let presentations = 0;
  const server = createServer((request, response) => {
    const isPresented = request.method === 'POST';
    if (isPresented) presentations += 1;
    const [status, body] = isPresented ? answer(network) : [200, { rank: founder.rank }];
    request.resume();
    response.writeHead(status).end(JSON.stringify(body));
  });
  const { hostname, port } = new URL(founder.url);
  await new Promise<void>((resolve) => server.listen(Number(port), hostname, resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
    () => rmSync(made.folder, { recursive: true }),
  );
  const warnings: string[] = [];
  const join = async (gatherMs: number) => {
    const node = await startNode(
      {
        ...settingsFor(network, testKey(9), path.join(made.folder, 'newcomer.log')),
        ...{ joins: true, listen: { host: '127.0.0.1', port: 0 }, gatherMs },
      },
      {
        onLeader: () => undefined,
        onRecord: () => undefined,
        onWarning: (text) => void warnings.push(text),
      },
      new AbortController().signal,
    );
    closing.unshift(node.close);
    return node;
  };
  return { network, founder, warnings, join, presentations: () => presentations };
}

it('a newcomer that a member does not reach says so once, at once, and asks again at times', async () => {
  const answer = [403, { refusal: 'address', fault: 'silent' }] as const;
  const { founder, warnings, join, presentations } = await withFounder(() => answer);

  await expect(join(1_300)).rejects.toThrow(
    'the members refuse this node: it does not answer there at its address; give one that the members reach with --listen',
  );

  expect(warnings).toEqual([
    `node 1 at ${founder.url} refuses this node: it does not answer there at its address; give one that the members reach with --listen. It is asked again`,
  ]);
  expect(presentations()).toBe(2);
});

it('a newcomer whose address no member can take ends at once and says what to do', async () => {
  const answer = [403, { refusal: 'address', fault: 'taken' }] as const;
  const { join, presentations } = await withFounder(() => answer);
  const begun = performance.now();

  await expect(join(60_000)).rejects.toThrow(
    'the members refuse this node: its address is that of another member; give another one with --listen',
  );

  expect(performance.now() - begun).toBeLessThan(30_000);
  expect(presentations()).toBe(1);
});

it('of the members that an answer names, a newcomer admits only those that answer at their addresses', async () => {
  const urls: string[] = [];
  const named = (network: Network) => [
    presented(network, 10, urls[0] ?? ''),
    presented(network, 11, 'http://127.0.0.1:1'),
    presented(network, 12, urls[0] ?? ''),
  ];
  const { join, network } = await withFounder((own) => [200, { peers: named(own) }]);
  urls.push(await listening(network, 10));

  const node = await join(1_500);

  const status = await fetch(`${node.url}/status`).then((answer) => answer.json());
  // The founder, node 10, and itself.
  expect(status).toMatchObject({ members: 3 });
});

it('a member that was named and does not answer is asked again, less and less often, until it does', async () => {
  let now = 0;
  const asked: number[] = [];
  const answers: (Refused | null)[] = Array(3).fill({ refusal: 'address', fault: 'silent' });
  const named = new NamedMembers(
    async () => {
      asked.push(now);
      return answers.shift() ?? null;
    },
    () => now,
  );
  const made = await testNetwork(1);
  rmSync(made.folder, { recursive: true });
  const network = parsePeers(made.peers);

  named.note([presented(network, 9, 'http://127.0.0.1:7009')]);
  const before = named.areAsked;
  for (; now < 20_000; now += 500) {
    named.askDue();
    await new Promise(setImmediate);
  }

  expect([before, named.areAsked]).toEqual([false, true]);
  expect(asked).toEqual([0, 1_000, 3_000, 7_000]);
});

it('a node that returns names the members that it no longer admits, and what to do', async () => {
  const made = await testNetwork(1);
  const network = parsePeers(made.peers);
  const [key] = made.keys;
  const [own] = network.peers;
  if (key === undefined || own === undefined) throw new Error('none');
  const data = path.join(made.folder, 'node.log');
  const settings = settingsFor(network, key, data);
  const warnings: string[] = [];
  const events = {
    onLeader: () => undefined,
    onRecord: () => undefined,
    onWarning: (text: string) => void warnings.push(text),
  };
  const { signal } = new AbortController();
  await startNode(settings, events, signal).then((node) => node.close());
  const former = presented(network, 9, 'http://old.example:7009');
  const database = new DatabaseSync(data);
  database.prepare('INSERT INTO joined VALUES (?, ?)').run('x', JSON.stringify(former));
  database.close();

  const node = await startNode(settings, events, signal);

  closing.push(node.close, () => rmSync(made.folder, { recursive: true }));
  expect(warnings).toEqual([
    `this node no longer takes the member at http://old.example:7009 with the node ID ${former.claim.nodeId} for a member: the host of its address is neither the IP address of another machine nor the host of a founder; give such an address with --listen, and a new key, since others know the old address`,
  ]);
});

it.each([
  ['http://127.0.0.1:7001', 'taken'],
  ['http://[::ffff:127.0.0.1]:7001', 'taken'],
  ['http://localhost:7001', 'host'],
  ['http://alpha.:7002', 'taken'],
  ['http://wildcard.example:7001', 'host'],
  ['http://127.0.0.9:7001', 'host'],
  ['http://0.0.0.0:7001', 'host'],
  ['http://[::]:7001', 'host'],
  ['http://[::1]:7001', 'host'],
  ['http://10.1.0.1:7001', 'taken'],
  ['http://127.0.0.1:7003', null],
  ['http://alpha:7003', null],
  ['http://10.1.0.1:7002', null],
  ['http://[2001:db8::1]:7001', null],
])('what is wrong with the address %s of a newcomer: %s', (url, fault) => {
  const peers = [
    { url: 'http://127.0.0.1:7001', isFounder: true },
    { url: 'http://alpha:7002', isFounder: true },
    { url: 'http://10.1.0.1:7001', isFounder: false },
  ];

  expect(addressFault(url, peers)).toBe(fault);
});
