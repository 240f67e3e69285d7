/**
 * @module
 * Peers that break the rules: a node with another node's identity, one without any, a flood, and newcomers whose claim,
 * signature or address is wrong. No honest node takes their messages, and none is suspected meanwhile.
 */

import { rmSync } from 'node:fs';
import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterEach, describe, expect, it, vi } from 'vitest';

import type { Rank } from '../../src/election/machine.ts';
import { parseClaim } from '../../src/identity/claim.ts';
import { presentationOf } from '../../src/live/membership.ts';
import type { LiveRecord } from '../../src/live/node-record.ts';
import { MESSAGE_BYTES_MAX } from '../../src/live/peer-api.ts';
import { PEERS_MAX, parsePeers, rankOf } from '../../src/live/peers.ts';
import type { NodeSettings } from '../../src/live/start-node.ts';
import { startNode } from '../../src/live/start-node.ts';
import { certify } from '../../src/live/transport/transport.ts';
import { PEER_ALLOWANCES } from '../../src/live/transport/work-budget.ts';
import {
  post,
  settingsFor,
  signerOf,
  startedNodes,
  stranger,
  suspectedDuring,
  withPeer,
} from './hostile-peer.ts';
import { testKey, testNetwork } from './network.ts';

const never = new AbortController().signal;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('with TLS', () => {
  it('a peer is refused that shows no certificate, or one that another node has certified', async () => {
    const { made, network, nodes } = await startedNodes(closing);
    const [target] = nodes;
    const own = network.peers.find(({ position }) => position === 1);
    const victim = network.peers.find(({ position }) => position === 3);
    if (target === undefined || own === undefined || victim === undefined) throw new Error('none');
    const ownKey = made.keys[network.ring.indexOf(1)];
    if (ownKey === undefined) throw new Error('none');
    const sign = signerOf(ownKey, network);
    const election = { election: network.election, epoch: network.policy.epoch };
    const agents = [
      new Agent(stranger),
      new Agent({ ...stranger, ...certify(election, victim.rank, sign) }),
      new Agent({ ...stranger, ...certify({ ...election, epoch: 1 }, own.rank, sign) }),
      new Agent({ ...stranger, ...certify(election, own.rank, sign) }),
    ];
    const body = { from: victim.rank, message: { type: 'OK', seal: {} }, stamp: null };

    const answers = await Promise.all(agents.map((agent) => post(target, body, { agent })));
    const honest = { ...body, from: own.rank };
    const shown = await post(target, honest, { agent: agents[3] ?? new Agent() });

    for (const agent of agents) agent.destroy();
    expect(answers.map(({ refusal }) => refusal)).toEqual(['sender', 'sender', 'sender', 'sender']);
    // Its own name is accepted, and the message is refused for its seal.
    expect(shown.refusal).toBe('malformed');
  });

  it('nothing is sent to a node that shows the identity of another', async () => {
    const { made, network, nodes } = await startedNodes(closing);
    const [first, second] = nodes;
    const key = made.keys[0];
    if (first === undefined || second === undefined || key === undefined) throw new Error('none');
    const swapped = network.peers.map((peer) => {
      return peer.rank === first.rank ? { ...peer, url: second.url } : peer;
    });
    const joiner: NodeSettings = {
      ...settingsFor(
        { ...network, peers: swapped.filter(({ rank }) => rank === first.rank), ring: [1] },
        testKey(9),
        join(made.folder, 'joiner.log'),
      ),
      ...{ joins: true, listen: { host: '127.0.0.1', port: 0 }, gatherMs: 1500 },
    };
    const node = await startNode(
      joiner,
      { onLeader: () => undefined, onRecord: () => undefined },
      never,
    );
    closing.push(node.close);

    const status = await new Promise<string>((resolve) => {
      request(`${second.url}/status`, { rejectUnauthorized: false }, async (answer) => {
        const chunks = await answer.toArray();
        resolve(Buffer.concat(chunks).toString());
      }).end();
    });

    expect(JSON.parse(status)).toMatchObject({ members: 3 });
  });
});

describe('a flood', () => {
  it('of malformed messages is refused, and no honest node misses a heartbeat', async () => {
    const started = await startedNodes(closing);
    const { network, nodes } = started;
    const [target] = nodes;
    if (target === undefined) throw new Error('none');
    const agent = new Agent({ ...stranger, maxSockets: 8 });
    const body = { from: network.peers[2]?.rank, message: { type: 'OK' }, stamp: null };
    let sent = 0;

    const suspected = await suspectedDuring(started, async () => {
      const answers = await Promise.all(
        Array.from({ length: 1_000 }, () => post(target, body, { agent })),
      );
      sent += answers.length;
      expect(new Set(answers.map(({ refusal }) => refusal))).toEqual(new Set(['sender']));
    });

    agent.destroy();
    expect(target.refused()).toMatchObject({ sender: sent });
    expect(suspected).toEqual([]);
  });

  it.each(['https', 'http'] as const)(
    'with %s, in the name of a member, uses up nothing of what the member can send',
    async (scheme) => {
      const { target, agent, sign, answers } = await withPeer(closing, scheme);
      const others = { ...stranger, maxSockets: 8 };
      const flooding = scheme === 'https' ? new Agent(others) : new PlainAgent(others);
      // A presentation that is too long is not read, and costs as much as a false one.
      const options = { agent: flooding, path: '/peers' };
      const present = () => post(target, '1'.repeat(5_000), options).catch(() => null);
      // Without TLS it shows by this message whose connection this is.
      const first = await answers([sign(1, { type: 'ELECTION' })]);

      const flooded = await Promise.all(Array.from({ length: 200 }, present));
      const later = await answers([2, 3, 4].map((number) => sign(number, { type: 'ELECTION' })));

      flooding.destroy();
      agent.destroy();
      expect(flooded.map((answer) => answer?.refusal)).toContain('flood');
      expect([...first, ...later]).toEqual([202, 202, 202, 202]);
    },
  );
});

describe('a refused request', () => {
  it.each(['/messages', '/peers'])('to %s counts in the status and the metrics', async (path) => {
    const { nodes } = await startedNodes(closing, { scheme: 'http', honest: [3] });
    const [target] = nodes;
    if (target === undefined) throw new Error('none');
    const agent = new PlainAgent();
    const text = async (asked: string) => (await fetch(`${target.url}${asked}`)).text();
    const counts = async () => JSON.parse(await text('/status')).refused;
    const stranger = { from: 'no member', message: { type: 'OK' }, stamp: null };

    await post(target, {}, { agent, path });
    await post(target, '1'.repeat(MESSAGE_BYTES_MAX), { agent, path });
    await post(target, stranger, { agent });
    const before = await counts();
    await flood(target.url, path);

    const others = { replay: 0, signature: 0, candidacy: 0 };
    expect(before).toEqual({ ...others, flood: 0, malformed: 2, sender: 1 });
    // The node still answers the last requests of the flood.
    await vi.waitFor(async () => {
      const { flood: floods, malformed } = await counts();
      expect(floods).toBeGreaterThan(0);
      const metrics = await text('/metrics');
      expect(metrics).toContain(`{outcome="flood"} ${floods}\n`);
      expect(metrics).toContain(`{outcome="malformed"} ${malformed}\n`);
    });
  });
});

/** A node without others at L1, where it takes what a test sends in its name. */
async function loneNode(protocol: NodeSettings['protocol']) {
  const made = await testNetwork(1);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const network = parsePeers(made.peers);
  const [key] = made.keys;
  const [own] = network.peers;
  if (key === undefined || own === undefined) throw new Error('none');
  const records: LiveRecord[] = [];
  const events = {
    onLeader: () => undefined,
    onRecord: (record: LiveRecord) => void records.push(record),
  };
  const settings = settingsFor(network, key, join(made.folder, 'node.log'));
  const node = await startNode({ ...settings, protocol, level: 'L1' }, events, never);
  closing.unshift(node.close);
  const agent = new PlainAgent();
  const send = (message: object) => post(node, { from: own.rank, message, stamp: null }, { agent });
  return { own, send, records };
}

describe('a member of a carried message that its type does not state', () => {
  it('is neither stored nor passed on if it is long', async () => {
    const { own, send, records } = await loneNode('ring-robust');
    const probe = { type: 'PROBE', candidate: own.rank };
    const token = { type: 'PROBE', election: 9, token: [own.rank, 50] };

    const { status } = await send({ ...token, message: { ...probe, junk: 'x'.repeat(100_000) } });

    expect(status).toBe(202);
    const taken = records.map(({ event }) => (event.type === 'deliver' ? event.message : null));
    expect(taken).toContainEqual({ ...token, message: probe });
    expect(JSON.stringify(records)).not.toContain('junk');
  });
});

describe('a list of ranks or a table', () => {
  it('that is longer than honest nodes send is malformed, and is not stored', async () => {
    const testRank = 'ab'.repeat(32);
    const { own, send, records } = await loneNode('ring-collect');
    const election = (ids: readonly unknown[]) =>
      send({ type: 'ELECTION', initiator: own.rank, ids });
    const gossip = (entries: number) =>
      send({ type: 'FD_GOSSIP', table: Array(entries).fill([testRank, 1]) });

    const answers = [
      await election([own.rank, own.rank]),
      await election([own.rank]),
      await gossip(PEERS_MAX + 1),
      await gossip(PEERS_MAX),
    ];

    const taken = answers.map(({ status, refusal }) => refusal ?? status);
    expect(taken).toEqual(['malformed', 202, 'malformed', 202]);
    expect(JSON.stringify(records)).not.toContain(JSON.stringify([own.rank, own.rank]));
  });
});

describe('a body of many parts', () => {
  it.each(['http', 'https'] as const)(
    'is refused with %s: of many values, or in chunks',
    async (scheme) => {
      const { target, agent, peer } = await withPeer(closing, scheme);
      const names = Array.from({ length: 10_000 }, (_, index) => `"${index}":-1`).join();
      const envelope = `{"from":"${peer.rank}","message":{"type":"a"},"stamp":{"id":0,"clock":{${names}}}}`;

      const answers = [
        await post(target, envelope, { agent, isText: true }),
        await post(target, {}, { agent, isChunked: true }),
      ];

      expect(answers).toEqual([
        { status: 400, refusal: 'malformed' },
        { status: 413, refusal: 'malformed' },
      ]);
    },
  );
});

describe('a body that is nested deep', () => {
  it.each(['/messages', '/peers'])('is malformed at %s, also of a member', async (path) => {
    const { target, agent, peer } = await withPeer(closing, 'https');
    const levels = path === '/peers' ? 1_000 : 60_000;
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const envelope = `{"from":"${peer.rank}","message":{"type":"OK","x":${deep}},"stamp":null}`;

    const answers = [
      await post(target, deep, { agent, path, isText: true }),
      await post(target, envelope, { agent, path, isText: true }),
    ];

    expect(answers).toEqual([
      { status: 400, refusal: 'malformed' },
      { status: 400, refusal: 'malformed' },
    ]);
  });
});

/**
 * Begins requests with long bodies that never arrive, until the node refuses one. The node takes the points of a body when
 * it has read its length, so that the refusal does not depend on the speed of the machine.
 */
async function flood(url: string, path: string): Promise<void> {
  const headers = { 'content-length': MESSAGE_BYTES_MAX - 2 };
  const count = PEER_ALLOWANCES.payer.most / 10;
  const { promise: refused, resolve, reject } = Promise.withResolvers<void>();
  let open = count;
  const requests = Array.from({ length: count }, () => {
    const sent = plainRequest(`${url}${path}`, { method: 'POST', agent: false, headers });
    sent.on('response', (answer) => {
      answer.resume();
      if (answer.statusCode === 429) resolve();
    });
    sent
      .on('error', () => undefined)
      .on('close', () => {
        open -= 1;
        if (open === 0) reject(new Error('no request was refused'));
      });
    sent.flushHeaders();
    return sent;
  });
  await refused;
  for (const sent of requests) sent.destroy();
}

/** The address of a server that answers observers as a node of this rank, with a certificate. */
async function listening(rank: Rank, certificate: ReturnType<typeof certify>): Promise<string> {
  const server = createServer(
    certificate,
    (_, answer) => void answer.end(JSON.stringify({ rank })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return `https://127.0.0.1:${port}`;
}

describe('a newcomer', () => {
  it('is refused with a wrong signature, a claim of another, or the address of none', async () => {
    const { network, nodes } = await startedNodes(closing);
    const [target] = nodes;
    if (target === undefined) throw new Error('none');
    const agent = new Agent(stranger);
    const key = testKey(9);
    const claim = parseClaim(key.claim);
    const sign = signerOf(key, network);
    const rank = rankOf(claim, network.policy);
    const certified = { election: network.election, epoch: network.policy.epoch };
    const url = await listening(rank, certify(certified, rank, sign));
    const another = await listening(rank, certify(certified, rank, signerOf(testKey(8), network)));
    const good = presentationOf({ url, claim }, network.election, sign);
    const present = (body: unknown) => post(target, body, { agent, path: '/peers' });

    const answers = [
      await present({ ...good, signature: '00'.repeat(64) }),
      await present(presentationOf({ url, claim }, 'another', sign)),
      await present({ ...good, claim: { ...good.claim, signature: '00'.repeat(64) } }),
      await present(presentationOf({ url: 'http://127.0.0.1:9', claim }, network.election, sign)),
      await present({ ...good, url: 'file:///etc/passwd' }),
      await present(
        presentationOf({ url: 'https://127.0.0.1:99999', claim }, network.election, sign),
      ),
      await present(presentationOf({ url: target.url, claim }, network.election, sign)),
      await present(presentationOf({ url: another, claim }, network.election, sign)),
      await present(good),
      await present(presentationOf({ url: another, claim }, network.election, sign)),
    ];

    agent.destroy();
    expect(answers.map(({ status, refusal }) => refusal ?? status)).toEqual([
      ...['signature', 'signature', 'claim', 'address', 'malformed', 'malformed'],
      ...['address', 'address', 200, 'address'],
    ]);
  });
});
