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
import type { Network } from '../../../src/runtime/live/peers.ts';
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
