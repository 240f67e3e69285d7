/**
 * @module
 * Live nodes of several protocols and levels, in this process: each elects one leader, the model takes every step, and
 * messages that no honest peer sends are refused.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseDetector } from '../../src/election/detectors/registry.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { replayLogs } from '../../src/live/check/live-trace.ts';
import { readRecords } from '../../src/live/check/read-log.ts';
import type { LIVE_LEVELS } from '../../src/live/live-machine.ts';
import { liveCast } from '../../src/live/live-machine.ts';
import type { LiveLog } from '../../src/live/node-record.ts';
import { parseLiveRecord } from '../../src/live/node-record.ts';
import { MESSAGE_BYTES_MAX } from '../../src/live/peer-api.ts';
import { parsePeers } from '../../src/live/peers.ts';
import type { NodeEvents, RunningNode } from '../../src/live/start-node.ts';
import { startNode } from '../../src/live/start-node.ts';
import type { TestNetwork } from './network.ts';
import { testNetwork, until } from './network.ts';

type LiveLevel = (typeof LIVE_LEVELS)[number];

const timing = { latencyTicksMax: 150 };
let ending: (() => Promise<void>) | null = null;

afterEach(async () => {
  await ending?.();
  ending = null;
});

async function startAll(protocol: ProtocolName, level: LiveLevel) {
  const made = await testNetwork(3);
  const network = parsePeers(made.peers);
  const leaders = new Map<number, number | null>();
  const signal = new AbortController().signal;
  const nodes = await Promise.all(
    made.keys.map((key, index) => {
      const settings = {
        ...{ network, key, protocol, timing, level, listen: null, amnesia: false, gatherMs: 2000 },
        ...{ defences: [], behaviours: [], joins: false },
        ...{ detector: parseDetector('fd-phi-akka'), data: join(made.folder, `${index}.log`) },
      };
      const position = network.ring[index] ?? 0;
      const onLeader: NodeEvents['onLeader'] = (_leader, _epoch, at) => leaders.set(position, at);
      return startNode(settings, { onLeader, onRecord: () => undefined }, signal);
    }),
  );
  const close = () => Promise.all(nodes.map((node) => node.close()));
  ending = async () => {
    await close();
    rmSync(made.folder, { recursive: true });
  };
  return {
    made,
    network,
    leaders,
    nodes,
    close,
    cast: liveCast({ protocol, timing, defences: [] }, network),
  };
}

function logsOf({ folder }: TestNetwork, ring: readonly number[]): LiveLog[] {
  return ring.map((position, index) => {
    const { records } = readRecords(join(folder, `${index}.log`), (line) => line);
    return { position, records: records.map(parseLiveRecord), isByzantine: false };
  });
}

function agreed(leaders: ReadonlyMap<number, number | null>): boolean {
  const [first] = leaders.values();
  return (
    leaders.size === 3 && first !== null && [...leaders.values()].every((each) => each === first)
  );
}

describe('live nodes', () => {
  it.each<[ProtocolName, LiveLevel]>([
    ['bully-oneshot', 'L0'],
    ['bully-2phase', 'L2'],
    ['cr-always', 'L3'],
    ['franklin', 'L3'],
    ['raft', 'L3'],
  ])('of %s at %s elect a leader, and the model takes every step', async (protocol, level) => {
    const { made, network, leaders, close, cast } = await startAll(protocol, level);
    await until('all follow one', () => agreed(leaders));
    ending = null;
    await close();

    const { defect, world } = replayLogs(cast, network, logsOf(made, network.ring));

    rmSync(made.folder, { recursive: true });
    expect(defect).toBeNull();
    const [leader] = leaders.values();
    expect(world.nodes.map((node) => node.leader)).toEqual([leader, leader, leader]);
  });

  it('refuse malformed, oversized, unsigned, forged and replayed messages', async () => {
    const { network, nodes, leaders } = await startAll('bully-oneshot', 'L3');
    await until('all follow one', () => agreed(leaders));
    const [lowest, , highest] = network.peers;
    const post = (body: string) => postTo(nodes[0], body);
    const envelope = (seal: unknown) =>
      JSON.stringify({ from: highest?.rank, message: { type: 'COORDINATOR', seal }, stamp: null });

    const answers = [
      await post('{'),
      await post(JSON.stringify({ from: 'stranger', message: { type: 'OK' }, stamp: null })),
      await post(envelope({ by: highest?.rank })),
      await post(envelope({ by: highest?.rank, number: 1, signature: '00'.repeat(64) })),
      await post(envelope({ by: lowest?.rank, number: 2 ** 40, signature: '00'.repeat(64) })),
      await post('1'.repeat(MESSAGE_BYTES_MAX + 1)),
    ];

    expect(answers.map(({ status }) => status)).toEqual([400, 403, 403, 403, 403, 413]);
    const refusals = answers.map(({ refusal }) => refusal);
    expect(refusals.slice(0, 3)).toEqual(['malformed', 'sender', 'malformed']);
    expect(agreed(leaders)).toBe(true);
  });
});

async function postTo(node: RunningNode | undefined, body: string) {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${node?.url}/messages`, { method: 'POST', headers, body });
  const { refusal } = Object(await answer.json());
  return { status: answer.status, refusal };
}
