/**
 * @module
 * Nodes that ask a live node to be admitted: when it answers, how many it admits, and at which addresses.
 */

import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { parseClaim } from '../../../src/identity/claim.ts';
import { presentationOf } from '../../../src/runtime/live/membership.ts';
import { isFree } from '../../../src/runtime/live/newcomer-address.ts';
import type { Network } from '../../../src/runtime/live/peers.ts';
import { rankOf } from '../../../src/runtime/live/peers.ts';
import { ADMISSION_ALLOWANCE } from '../../../src/runtime/live/transport/work-budget.ts';
import { post, signerOf, startedNodes } from './hostile-peer.ts';
import { testKey } from './network.ts';

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

/** The address of a node with this number that answers observers after a time. */
async function listening(
  network: Network,
  number: number,
  { answerMs = 0, onAnswer = (): void => undefined } = {},
): Promise<string> {
  const rank = rankOf(parseClaim(testKey(number).claim), network.policy);
  const server = createServer((_, answer) => {
    setTimeout(() => {
      onAnswer();
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

it.each([
  ['http://127.0.0.1:7001', false],
  ['http://[::ffff:127.0.0.1]:7001', false],
  ['http://localhost:7001', false],
  ['http://alpha.:7002', false],
  ['http://wildcard.example:7001', false],
  ['http://127.0.0.9:7001', false],
  ['http://0.0.0.0:7001', false],
  ['http://[::]:7001', false],
  ['http://[::1]:7001', false],
  ['http://10.1.0.1:7001', false],
  ['http://127.0.0.1:7003', true],
  ['http://alpha:7003', true],
  ['http://10.1.0.1:7002', true],
  ['http://[2001:db8::1]:7001', true],
])('the address %s of a newcomer is free: %s', (url, isOpen) => {
  const peers = [
    { url: 'http://127.0.0.1:7001', isFounder: true },
    { url: 'http://alpha:7002', isFounder: true },
    { url: 'http://10.1.0.1:7001', isFounder: false },
  ];

  expect(isFree(url, peers)).toBe(isOpen);
});
