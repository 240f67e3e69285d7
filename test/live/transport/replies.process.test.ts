/**
 * @module
 * Messages in the answers of nodes: who gets one, and what a node takes of those that a peer gives.
 */

import { createServer, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

import { afterEach, expect, it } from 'vitest';

import type { Message } from '../../../src/election/machine.ts';
import { certify } from '../../../src/live/transport/transport.ts';
import { memberAt, signedFor, startedNodes } from '../hostile-peer.ts';
import { until } from '../network.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const heartbeat = (seq: number): Message => ({ type: 'FD_HEARTBEAT', ...{ seq } });

it.each(['https', 'http'] as const)(
  'with %s the heartbeat of a higher member is answered with one, if it reads answers',
  async (scheme) => {
    const started = await startedNodes(closing, { scheme, honest: [1, 2] });
    const { election, policy } = started.network;
    const peer = { ...memberAt(started, 3), election };
    const [target] = started.nodes.filter(({ rank }) => rank === started.network.peers[0]?.rank);
    if (target === undefined) throw new Error('node 1 is missing');
    const shown = certify({ election, epoch: policy.epoch }, peer.rank, peer.sign);
    const post = (number: number, body: Message, headers: object = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const type = { 'content-type': 'application/json' };
      const options = { method: 'POST', rejectUnauthorized: false, ...shown };
      const send = scheme === 'https' ? request : plainRequest;
      send(`${target.url}/messages`, { ...options, headers: { ...type, ...headers } }, (answer) => {
        text(answer).then((json) => resolve(JSON.parse(json)), reject);
      })
        .once('error', reject)
        .end(JSON.stringify(signedFor(target.rank, number, body, peer)));
      return promise;
    };
    const reads = { 'usurp-reads': 'envelope' };

    const reply = await post(1, heartbeat(1), reads);
    const early = await post(2, heartbeat(2), reads);
    const other = await post(3, { type: 'OK' }, reads);
    await new Promise((resolve) => setTimeout(resolve, 250));
    const unread = await post(4, heartbeat(4));

    const seal = {
      by: target.rank,
      ...(scheme === 'http' ? { signature: expect.any(String) } : {}),
    };
    expect(reply).toMatchObject({
      from: target.rank,
      message: { type: 'FD_HEARTBEAT', seal },
      stamp: null,
    });
    expect(Object(reply).message.seal.signature === undefined).toBe(scheme === 'https');
    expect([early, other, unread]).toEqual([{}, {}, {}]);
  },
);

it('a message of a detector in an answer is taken if the peer has signed it, and once', async () => {
  const started = await startedNodes(closing, { scheme: 'http', honest: [2, 3] });
  const { election, peers } = started.network;
  const peer = { ...memberAt(started, 1), election };
  const target = started.nodes.find(({ rank }) => rank === peers[1]?.rank);
  const other = peers[2];
  if (target === undefined || other === undefined) throw new Error('node 2 is missing');
  const to = (rank: typeof peer.rank, number: number) =>
    JSON.stringify(signedFor(rank, number, heartbeat(number), peer));
  const answers = [
    to(target.rank, 1),
    to(target.rank, 1),
    to(other.rank, 2),
    JSON.stringify({ ...JSON.parse(to(target.rank, 3)), from: other.rank }),
    'no JSON',
    JSON.stringify(signedFor(target.rank, 4, { type: 'ELECTION' }, peer)),
  ];
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    const isOfTarget = body !== '' && JSON.parse(body).from === target.rank;
    const isRead = incoming.headers['usurp-reads'] === 'envelope';
    outgoing.statusCode = 202;
    outgoing.end((isOfTarget && isRead ? answers.shift() : undefined) ?? '{}');
  });
  closing.unshift(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const before = { ...target.refused() };
  server.listen(Number(new URL(peers[0]?.url ?? '').port), '127.0.0.1');

  const refusedSince = (reason: string) => (target.refused()[reason] ?? 0) - (before[reason] ?? 0);
  await until('all answers are read', () => refusedSince('malformed') === 2);

  expect(['replay', 'signature', 'sender', 'malformed'].map(refusedSince)).toEqual([1, 1, 1, 2]);
  expect(answers).toEqual([]);
});
