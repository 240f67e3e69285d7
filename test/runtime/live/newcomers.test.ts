/**
 * @module
 * Nodes that ask a live node to be admitted: when it answers, how many it admits, and at which addresses.
 */

import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { parseClaim } from '../../../src/identity/claim.ts';
import { presentationOf } from '../../../src/runtime/live/membership.ts';
import { isFree } from '../../../src/runtime/live/newcomer-address.ts';
import type { Network } from '../../../src/runtime/live/peers.ts';
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

it('a member has connected to a newcomer when it answers it, so that its next message is not late', async () => {
  const { network, nodes } = await startedNodes(closing, { scheme: 'http', honest: [3] });
  const [target] = nodes;
  if (target === undefined) throw new Error('none');
  const answerMs = 300;
  let answered = false;
  const newcomer = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      setTimeout(() => {
        answered = true;
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
      }, answerMs);
    });
  });
  await new Promise<void>((resolve) => newcomer.listen(0, '127.0.0.1', resolve));
  closing.push(() => newcomer.close());
  // A TCP server has an address with a port.
  const { port } = newcomer.address() as AddressInfo;
  const agent = new Agent();

  const body = presented(network, 9, `http://127.0.0.1:${port}`);
  const { status } = await post(target, body, { agent, path: '/peers' });

  expect({ status, answered }).toEqual({ status: 200, answered: true });
});

it('an address can present few new nodes at once, and those that are known at any time', async () => {
  const { network, nodes } = await startedNodes(closing, { scheme: 'http', honest: [3] });
  const [target] = nodes;
  if (target === undefined) throw new Error('none');
  const agent = new Agent();
  const present = async (number: number) => {
    // Nothing listens at these low ports.
    const body = presented(network, number, `http://127.0.0.1:${number - 9}`);
    const { status, refusal } = await post(target, body, { agent, path: '/peers' });
    return refusal ?? status;
  };
  const numbers = Array.from({ length: 2 * ADMISSION_ALLOWANCE.most }, (_, index) => 10 + index);

  const answers = [];
  for (const number of numbers) answers.push(await present(number));
  const again = await present(numbers[0] ?? 0);

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
