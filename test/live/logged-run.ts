/**
 * @module
 * Runs the machines of live nodes without sockets, at times of the test, and writes their logs to files.
 */

import { join } from 'node:path';
import { parseDetector } from '../../src/election/detectors/registry.ts';
import type { Event, Message, Rank } from '../../src/election/machine.ts';
import type { EffectRecord } from '../../src/election/world/effect-record.ts';
import { recordingEffects } from '../../src/election/world/effect-record.ts';
import type { LiveProtocol } from '../../src/live/live-machine.ts';
import { liveMachine } from '../../src/live/live-machine.ts';
import { Membership } from '../../src/live/membership.ts';
import type { NodeLog } from '../../src/live/node-log.ts';
import { openNodeLog } from '../../src/live/node-log.ts';
import type { LiveRecord, Stamp } from '../../src/live/node-record.ts';
import { createLiveRecorder } from '../../src/live/node-record.ts';
import { parsePeers } from '../../src/live/peers.ts';
import { testNetwork } from './network.ts';

export interface LoggedRunOptions {
  readonly nodes: number;
  readonly level: 'L0' | 'L2';
  /** The behaviours of Byzantine nodes by number. */
  readonly behaviours?: Readonly<Record<number, readonly string[]>>;
}

interface Sent {
  readonly from: number;
  readonly to: Rank;
  readonly message: Message;
  readonly stamp: Stamp | null;
}

const LIVE: LiveProtocol = {
  ...{ protocol: 'bully-oneshot', timing: { latencyTicksMax: 10 }, defences: [] },
};

/** Nodes of bully-oneshot. Each step takes a millisecond. */
export async function loggedRun({ nodes, level, behaviours = {} }: LoggedRunOptions) {
  const { folder, peers } = await testNetwork(nodes);
  const network = parsePeers(peers);
  const noLog: Pick<NodeLog, 'joined'> = { joined: [] };
  const membership = new Membership(LIVE, network, noLog as NodeLog); // It reads nothing else.
  let now = 1_000;
  const sent: Sent[] = [];
  const keys = { sign: () => 'signed', verify: () => true };
  const all = network.peers.map(({ rank, position }) => {
    const own = behaviours[position] ?? [];
    const recorder = createLiveRecorder(rank, { sent: 0, clock: {} }, { now: () => now });
    const machine = liveMachine(
      {
        ...{ ...LIVE, level, election: 'test', detector: parseDetector('fd-oracle'), rank },
        ...{ behaviours: own, provesSenders: false },
      },
      {
        keysOf: () => keys,
        record: (inner) => recorder.around(inner),
        clock: () => now,
        onReport: () => undefined,
      },
    );
    const self = membership.selfOf(rank);
    return { rank, position, own, recorder, machine, self, state: machine.init(self) };
  });
  const nodeAt = (position: number) => {
    const node = all[position - 1];
    if (node === undefined) throw new Error(`there is no node ${position}`);
    return node;
  };
  const step = (position: number, event: Event<Message>): readonly EffectRecord[] => {
    const { machine, self, recorder, ...node } = nodeAt(position);
    const effects: EffectRecord[] = [];
    now += 1;
    machine.step(self, node.state, event, {
      ...recordingEffects(effects),
      send: (to, message) => sent.push({ from: position, to, message, stamp: recorder.stampOf() }),
    });
    return effects;
  };
  const receive = ({ from, to, message, stamp }: Sent) => {
    const node = all.find(({ rank }) => rank === to);
    if (node === undefined) return;
    node.recorder.receiving(stamp);
    step(node.position, { type: 'deliver', from: nodeAt(from).rank, message });
  };
  return {
    ...{ folder, network, sent, step, receive },
    wait: (ms: number) => {
      now += ms;
    },
    now: () => now,
    rankOf: (position: number) => nodeAt(position).rank,
    /** The node is back after a crash. */
    recover(position: number) {
      const node = nodeAt(position);
      node.recorder.crashed();
      node.state = node.machine.init(node.self);
      step(position, { type: 'recover', persisted: null });
    },
    /** Delivers all messages in the order of their sending. */
    settle() {
      for (let next = sent.shift(); next !== undefined; next = sent.shift()) receive(next);
    },
    /** Writes the logs of these nodes, all by default. Returns the paths. */
    logs(positions: readonly number[] = all.map(({ position }) => position)): readonly string[] {
      return positions.map((position) => {
        const { rank, own, recorder } = nodeAt(position);
        const path = join(folder, `${position}.log`);
        const { protocol } = LIVE;
        const log = openNodeLog(path, {
          ...{ rank: String(rank), protocol, election: network.election, latency: 10 },
          ...{ level, defences: [], behaviours: own, workload: null },
        });
        const records: readonly LiveRecord[] = recorder.take();
        log.append({ records, recorder: recorder.state, persisted: undefined, heard: null });
        log.close();
        return path;
      });
    },
  };
}
