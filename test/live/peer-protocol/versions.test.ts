/**
 * @module
 * Messages and logs of each version of the peer protocol. Nodes of this release take the messages that nodes of earlier releases
 * sent, so that the nodes of a cluster can be replaced one after the other. `RECORD=1` writes the messages of the present
 * version again; recorded versions before it stay as they are.
 */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseDetector } from '../../../src/election/detectors/registry.ts';
import type { Effects, Message, Rank } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { signatureRulesOf } from '../../../src/identity/policy.ts';
import { liveMachine } from '../../../src/live/live-machine.ts';
import { LiveNode } from '../../../src/live/live-node.ts';
import { Membership } from '../../../src/live/membership.ts';
import type { NodeLog } from '../../../src/live/node-log.ts';
import { openNodeLog } from '../../../src/live/node-log.ts';
import { PEER_PROTOCOL } from '../../../src/live/node-status.ts';
import { envelopeSchema, MESSAGE_VALUES_MAX } from '../../../src/live/peer-api.ts';
import { parsePeers } from '../../../src/live/peers.ts';
import { parseExchanged } from '../../../src/live/transport/bounded-json.ts';
import { signingKeys } from '../../../src/runtime/openssl/signing-keys.ts';
import { testKey, testNetwork } from '../network.ts';

const NODES = 3;
const TIMING = { latencyTicksMax: 50 };
const FOLDER = new URL('../../golden/peer-protocol/', import.meta.url);
const LIVE = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].store === null);
const versionSchema = z.record(z.string(), z.array(z.object({ to: z.string(), text: z.string() })));

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function networkOf(protocol: ProtocolName) {
  const made = await testNetwork(NODES);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const network = parsePeers(made.peers);
  const live = { protocol, timing: TIMING, defences: [], store: null };
  const noLog: Pick<NodeLog, 'joined'> = { joined: [] };
  const membership = new Membership(live, network, noLog as NodeLog); // The membership reads only `joined` of a log.
  const keysOf = signingKeys((rank) => {
    const claim = membership.peer(rank)?.claim;
    if (claim === undefined) return null;
    const own = made.keys.findIndex(({ claim: { nodeId } }) => nodeId === String(rank));
    return { ...claim, secret: own < 0 ? null : testKey(own + 1).secret };
  }, signatureRulesOf(network.policy));
  const planOf = (rank: Rank) => ({
    ...({
      ...live,
      level: 'L3',
      election: 'test',
      detector: parseDetector('fd-phi-akka'),
    } as const),
    ...{ behaviours: [], rank, provesSenders: false },
  });
  const ownerOf = (rank: Rank) => ({
    ...{ rank: String(rank), protocol, election: 'test', latency: 50, level: 'L3' as const },
    ...{ detector: null, defences: [], behaviours: [], workload: null },
  });
  return { folder: made.folder, membership, keysOf, planOf, ownerOf };
}

interface Waiting {
  readonly at: number;
  readonly act: () => void;
}

/** The first message of each type that nodes send in an election, and in one after its leader has crashed. */
async function recorded(protocol: ProtocolName) {
  const { membership, keysOf, planOf } = await networkOf(protocol);
  const { peers } = membership.network;
  const sent = new Map<string, { readonly to: string; readonly text: string }>();
  const down = new Set<Rank | undefined>();
  const queue: Waiting[] = [];
  let now = 0;
  const soon = (ms: number, act: () => void) => queue.push({ at: now + ms, act });
  const nodes = new Map(
    peers.map(({ rank, position }) => {
      const machine = liveMachine(planOf(rank), {
        ...{ keysOf, record: (inner) => inner, clock: () => now, onReport: () => undefined },
      });
      const self = membership.selfOf(rank);
      const state = machine.init(self);
      const timers = new Map<string, number>();
      let sets = 0;
      const step = (event: Parameters<typeof machine.step>[2]): void => {
        if (down.has(rank)) return;
        const arm = (timer: string, ticks: number, periodic: boolean) => {
          const own = ++sets;
          timers.set(timer, own);
          soon(ticks, () => {
            if (timers.get(timer) !== own) return;
            if (periodic) arm(timer, ticks, true);
            step({ type: 'timeout', timer });
          });
        };
        const nothing = () => undefined;
        const effects: Effects<Message> = {
          setTimer: (timer, ticks, periodic) => arm(timer, ticks, periodic === true),
          cancelTimer: (timer) => void timers.delete(timer),
          choose: (below) =>
            soon(0, () => step({ type: 'chosen', value: (now * 7 + position * 31) % below })),
          send: (to, message) => {
            const text = JSON.stringify({ from: rank, message, stamp: null });
            if (!sent.has(message.type)) sent.set(message.type, { to: String(to), text });
            soon(10, () => nodes.get(to)?.({ type: 'deliver', from: rank, message }));
          },
          ...{ persist: nothing, call: nothing, elect: nothing, stepDown: nothing },
          ...{ accuse: nothing, respond: nothing },
        };
        machine.step(self, state, event, effects);
      };
      return [rank, step] as const;
    }),
  );
  for (const step of nodes.values()) soon(0, () => step({ type: 'start' }));
  soon(2_000, () => down.add(peers.at(-1)?.rank));
  while (now < 6_000) {
    queue.sort((one, other) => one.at - other.at);
    const next = queue.shift();
    if (next === undefined) break;
    now = next.at;
    next.act();
  }
  return [...sent.values()];
}

const present = new URL(`${PEER_PROTOCOL}.json`, FOLDER);
if (process.env.RECORD === '1') {
  const all: Record<string, Awaited<ReturnType<typeof recorded>>> = {};
  for (const protocol of LIVE) all[protocol] = await recorded(protocol);
  writeFileSync(present, `${JSON.stringify(all, null, 1)}\n`);
}

describe.each(readdirSync(FOLDER))('the messages of version %s', (name) => {
  const messages = versionSchema.parse(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));

  it.each(Object.keys(messages))('are taken by a node of %s', async (protocol) => {
    const known = LIVE.find((each) => each === protocol);
    if (known === undefined)
      throw new Error(`${protocol} has gone: nodes of it cannot be replaced`);
    const { folder, membership, keysOf, planOf, ownerOf } = await networkOf(known);
    const nodes = new Map(
      membership.network.peers.map(({ rank, position }) => {
        const log = openNodeLog(join(folder, `${position}.log`), ownerOf(rank));
        const node = new LiveNode(planOf(rank), membership.selfOf(rank), log, {
          ...{ keysOf, send: () => undefined, call: () => undefined },
          ...{ onLeader: () => undefined, onRecord: () => undefined, die: () => undefined },
        });
        closing.unshift(
          () => node.close(),
          () => log.close(),
        );
        node.begin(false);
        return [String(rank), node] as const;
      }),
    );

    const refused = (messages[protocol] ?? []).map(({ to, text }) => {
      const { from, message } = envelopeSchema.parse(parseExchanged(text, MESSAGE_VALUES_MAX));
      const sender = membership.peer(from)?.rank;
      if (sender === undefined) throw new Error(`${from} is no member`);
      return nodes.get(to)?.receive(sender, message, null);
    });

    expect(refused.length).toBeGreaterThan(1);
    expect(refused).toEqual(refused.map(() => null));
  });
});

it('the present version is recorded, with messages of all protocols of live nodes', () => {
  expect(existsSync(present)).toBe(true);
  const messages = versionSchema.parse(JSON.parse(readFileSync(present, 'utf8')));

  expect(Object.keys(messages)).toEqual(LIVE);
});

describe('a log', () => {
  it('of a later version is refused, and not changed', async () => {
    const { folder, membership, ownerOf } = await networkOf('raft');
    const [rank] = membership.network.peers.map((peer) => peer.rank);
    if (rank === undefined) throw new Error('three peers were expected');
    const owner = ownerOf(rank);
    const path = join(folder, 'later.log');
    const log = openNodeLog(path, owner);
    log.notePort(7);
    log.close();
    const later = new DatabaseSync(path);
    later.exec('PRAGMA user_version=99');
    later.close();

    expect(() => openNodeLog(path, owner)).toThrow(/later release .*version 99/);
    expect(() => openNodeLog(path, owner)).toThrow(/later release .*version 99/);
  });
});
