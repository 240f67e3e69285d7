/**
 * @module
 * Who pays for what a message makes a node send, and what is left for heartbeats of a member that has used up its points.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { parseDetector } from '../../../src/election/detectors/registry.ts';
import type { Message, Rank } from '../../../src/election/machine.ts';
import type { LiveMachinePlan } from '../../../src/live/live-machine.ts';
import { LiveNode } from '../../../src/live/live-node.ts';
import { openNodeLog } from '../../../src/live/node-log.ts';
import { MESSAGE_BYTES_MAX } from '../../../src/live/peer-api.ts';
import { parsePeers } from '../../../src/live/peers.ts';
import { PEER_ALLOWANCES } from '../../../src/live/transport/work-budget.ts';
import { withPeer } from '../hostile-peer.ts';
import { testNetwork } from '../network.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

it('what a message makes a node send to others counts, also from a timer that expires at once', async () => {
  const made = await testNetwork(4);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const members = parsePeers(made.peers).peers.map(({ rank }) => rank);
  const [lowest] = members;
  const rank = members.at(-1);
  if (lowest === undefined || rank === undefined) throw new Error('four peers were expected');
  const plan: LiveMachinePlan = {
    ...{ protocol: 'bully-oneshot', timing: { latencyTicksMax: 10_000 }, level: 'L0' },
    ...{ defences: [], behaviours: [], election: 'test', rank, provesSenders: false },
    detector: parseDetector('fd-heartbeat'),
  };
  const log = openNodeLog(join(made.folder, 'log'), {
    ...{ rank: String(rank), protocol: plan.protocol, election: 'test', latency: 10_000 },
    ...{ level: 'L0', detector: null, defences: [], behaviours: [], workload: null },
  });
  const self = {
    rank,
    members,
    founders: members,
    successors: [],
    predecessor: lowest,
    ringNodes: 4,
    links: null,
    incumbent: null,
  };
  const sent: [Message['type'], Rank][] = [];
  const node = new LiveNode(plan, self, log, {
    keysOf: () => ({ sign: () => '', verify: () => true }),
    send: (to, { type }) => void sent.push([type, to]),
    call: () => undefined,
    onLeader: () => undefined,
    onRecord: () => undefined,
    die: () => undefined,
  });
  closing.unshift(
    () => node.close(),
    () => log.close(),
  );
  node.begin(false);
  await nextTurn();
  sent.length = 0;
  const counts: number[] = [];

  node.receive(lowest, { type: 'ELECTION' }, null, (messages) => counts.push(messages));
  await nextTurn();

  const others = sent.filter(([type, to]) => type === 'COORDINATOR' && to !== lowest);
  expect(others).toHaveLength(2);
  // The answer to the sender is part of the cost of its message.
  expect(sent).toContainEqual(['OK', lowest]);
  expect(sumOf(counts)).toBe(2);

  // Over plain HTTP a member can name another one as the sender of what it signs.
  const [, second = lowest] = members;
  const named = { type: 'ELECTION', seal: { by: lowest, number: 1 } };
  sent.length = 0;
  counts.length = 0;
  node.receive(second, named, null, (messages) => counts.push(messages));
  await nextTurn();

  expect(sent.length).toBeGreaterThan(2);
  expect(sumOf(counts)).toBe(sent.filter(([, to]) => to !== lowest).length);
});

function sumOf(counts: readonly number[]): number {
  return counts.reduce((one, other) => one + other, 0);
}

it('a member without points can still send heartbeats, and nothing else', async () => {
  const { peer, sign, answers, target } = await withPeer(closing);
  const long = 'x'.repeat(MESSAGE_BYTES_MAX - 1_000);
  const flood = { from: peer.rank, message: { type: 'ELECTION', long }, stamp: null };
  const heartbeat = (number: number) => ({
    from: peer.rank,
    message: { type: 'FD_HEARTBEAT', seq: number, long, seal: { by: peer.rank, number } },
    stamp: null,
  });

  let refusals: readonly (string | number)[] = [];
  for (let sent = 0; !refusals.includes('flood') && sent < PEER_ALLOWANCES.payer.most; sent += 1) {
    refusals = await answers([flood]);
  }
  const beats = await answers([heartbeat(1), heartbeat(2)]);
  const { flood: before = 0 } = target.refused();
  // On a busy machine it gets points back while it sends, which soon are used up again.
  let others: readonly (string | number)[] = [];
  for (let sent = 0; !others.includes('flood') && sent < PEER_ALLOWANCES.payer.most; sent += 1) {
    others = await answers([sign(3 + sent, { type: 'ELECTION', ...{ long } })]);
  }

  expect(refusals).toEqual(['flood']);
  expect(beats).toEqual([202, 202]);
  expect(before).toBe(1);
  expect(others).toEqual(['flood']);
});
