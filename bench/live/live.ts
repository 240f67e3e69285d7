/**
 * @module
 * This folder measures live nodes: how fast a process is ready, what an idle one takes, how many signed messages one takes, with TLS and
 * without, how long a new leader takes after kill -9 as a multiple of the detector's time, and how long 50 nodes take for
 * their first leader. The times depend on the load of the machine, which is printed.
 */

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { messageText } from '../../src/election/authentication/authenticated.ts';
import { detectionTicks, parseDetector } from '../../src/election/detectors/registry.ts';
import { signatureRulesOf } from '../../src/identity/policy.ts';
import type { Cluster } from '../../src/live/cluster/cluster.ts';
import type { OwnedIdentity } from '../../src/live/cluster/cluster-files.ts';
import {
  clusterPolicy,
  freeAddresses,
  newIdentities,
  nodeFiles,
  peersFile,
  writeClusterFiles,
} from '../../src/live/cluster/cluster-files.ts';
import type { ClusterSettings } from '../../src/live/cluster/cluster-plan.ts';
import { startCluster } from '../../src/live/cluster/cluster-session.ts';
import type { Network, Peer } from '../../src/live/peers.ts';
import { certify } from '../../src/live/transport/transport.ts';
import { signingKeys } from '../../src/runtime/openssl/signing-keys.ts';
import type { Report } from '../measure.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/usurp.js', import.meta.url));
const never = new AbortController().signal;
const LATENCY_MS = 200;
const STARTS = 5;
const KILLS = 20;
const IDLE_MS = 20_000;
/** V8 still compiles what idle nodes run: in the first half minute they take nearly twice as much. */
const SETTLE_MS = 40_000;
const MESSAGES = 6_000;
/** A node bounds the messages of one peer. */
const SENDERS = 4;
const MANY = 50;
/** Heartbeats of 50 nodes to each other are 1 200 messages in a second, more than two cores take. */
const MANY_DETECTOR = 'fd-gossip';
/** Heartbeats at the default rate, at the rate of Akka, and gossip. */
const IDLE_DETECTORS = ['fd-phi-akka', 'fd-phi-akka:every=1000', 'fd-gossip:every=1000'];

/** Parts that take longer are left out below this size. */
const SIZE_OF_MANY = 1;

/** All figures as sentences. */
export async function measureLive({ size }: { readonly size: number }): Promise<Report> {
  const parts: readonly (() => Promise<string>)[] = [
    readiness,
    () => throughput(false),
    () => throughput(true),
    ...IDLE_DETECTORS.map((detector) => () => idle(detector)),
    () => kills(Math.max(3, Math.round(KILLS * size))),
    ...(size < SIZE_OF_MANY ? [] : [manyNodes]),
  ];
  const load = loadavg().map((each) => each.toFixed(1));
  const notes = [`load of the machine: ${load.join(', ')}`];
  for (const part of parts) {
    // On a busy machine a part can fail, and the others are still worth their time.
    notes.push(await part().catch((error: unknown) => `not measured: ${String(error)}`));
  }
  return { rows: [], notes };
}

function settingsOf(more: Partial<ClusterSettings>): ClusterSettings {
  return {
    nodes: 7,
    protocol: 'bully-oneshot',
    timing: { latencyTicksMax: LATENCY_MS },
    level: 'L3',
    detector: 'fd-phi-akka',
    defences: [],
    c1: 0,
    c2: 0,
    tls: true,
    ...more,
  };
}

const sessionOptions = {
  folder: null,
  threads: 1,
  signal: never,
  onFault: (node: number, said: string) => console.error(`node ${node}: ${said}`),
  onRecord: () => undefined,
};

/** From the start of a process until it is ready, over one that does nothing. */
async function readiness(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-bench-'));
  const policy = clusterPolicy({ c1: 0, c2: 0 });
  const ready: number[] = [];
  const bare: number[] = [];
  writeClusterFiles(folder, await newIdentities(1, policy, sessionOptions), {
    policy,
    tls: true,
    addresses: await freeAddresses(1),
  });
  for (let start = 0; start < STARTS; start += 1) {
    const before = performance.now();
    const child = spawnNode(folder, 1);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    ready.push(performance.now() - before);
    await ended(child);
    const beforeBare = performance.now();
    await new Promise((resolve) => spawn(process.execPath, ['-e', '0']).once('exit', resolve));
    bare.push(performance.now() - beforeBare);
  }
  rmSync(folder, { recursive: true });
  const shown = (ms: number[]) => `${median(ms).toFixed(0)} ms`;
  return `ready after ${shown(ready)} (median of ${STARTS}); a process of Node that does nothing takes ${shown(bare)}`;
}

function spawnNode(folder: string, node: number) {
  const { key, log } = nodeFiles(folder, node);
  const files = ['--identity', key, '--peers', peersFile(folder), '--data', log];
  const args = [
    PROGRAM,
    'node',
    ...files,
    '--protocol',
    'bully-oneshot',
    '--gather',
    '0',
    '--quiet',
  ];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function ended(child: ReturnType<typeof spawnNode>): Promise<void> {
  const end = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await end;
}

/** Signed heartbeats of several peers, all through one node. Each peer has one connection. */
async function throughput(tls: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-bench-'));
  const policy = clusterPolicy({ c1: 0, c2: 0 });
  const identities = await newIdentities(1 + SENDERS, policy, sessionOptions);
  const addresses = await freeAddresses(1 + SENDERS);
  const network = writeClusterFiles(folder, identities, { policy, tls, addresses });
  const [target, ...peers] = network.peers;
  if (target === undefined) throw new Error('a peer was expected');
  const senders = peers.map((peer) => senderOf(peer, target, { network, identities, tls }));
  const child = spawnNode(folder, 1);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const url = `${target.url}/messages`;
  const cpuBefore = await metric(target.url, 'process_cpu_seconds_total');
  const before = performance.now();
  const statuses = await Promise.all(
    senders.flatMap(({ bodies, agent }) => bodies.map((body) => posted(url, body, agent))),
  );
  const seconds = (performance.now() - before) / 1000;
  const cpu = (await metric(target.url, 'process_cpu_seconds_total')) - cpuBefore;
  for (const { agent } of senders) agent.destroy();
  await ended(child);
  rmSync(folder, { recursive: true });
  const taken = statuses.filter((status) => status === 202).length;
  const rates = `${(taken / seconds).toFixed(0)}/s by the clock, ${(taken / cpu).toFixed(0)} per CPU second of the node`;
  return `${tls ? 'TLS' : 'plain'}: ${taken} of ${MESSAGES} signed messages of ${SENDERS} peers taken, ${rates}`;
}

/** What a peer sends to the target, and its connection. */
function senderOf(
  sender: Peer,
  target: Peer,
  {
    network: { election, policy },
    identities,
    tls,
  }: {
    readonly network: Network;
    readonly identities: readonly OwnedIdentity[];
    readonly tls: boolean;
  },
) {
  const { scheme, publicKey } = sender.claim;
  const isOwn = ({ claim }: OwnedIdentity) => Buffer.compare(claim.publicKey, publicKey) === 0;
  const { secret = null } = identities.find(isOwn) ?? {};
  const keys = signingKeys(
    () => ({ scheme, publicKey, secret }),
    signatureRulesOf(policy),
  )(sender.rank);
  const authentication = { level: 'L3', protocol: 'bully-oneshot', election };
  const bodies = Array.from({ length: MESSAGES / SENDERS }, (_, index) => {
    const number = index + 1;
    const body = { type: 'FD_HEARTBEAT', seq: number };
    const parts = { by: sender.rank, to: target.rank, number, body };
    const seal = {
      by: sender.rank,
      number,
      signature: keys.sign(messageText(authentication, parts)),
    };
    return JSON.stringify({ from: sender.rank, message: { ...body, seal }, stamp: null });
  });
  const pool = { keepAlive: true, maxSockets: 1 };
  const certified = () => certify({ election, epoch: policy.epoch }, sender.rank, keys.sign);
  const agent = tls
    ? new TlsAgent({ ...pool, rejectUnauthorized: false, ...certified() })
    : new Agent(pool);
  return { bodies, agent };
}

function posted(url: string, body: string, agent: Agent): Promise<number> {
  const send = url.startsWith('https:') ? tlsRequest : request;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { 'content-type': 'application/json' };
  const outgoing = send(url, { method: 'POST', headers, agent }, (answer) => {
    answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
  });
  outgoing.once('error', reject).end(body);
  return promise;
}

async function metric(url: string, name: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const send = url.startsWith('https:') ? tlsRequest : request;
  send(`${url}/metrics`, { rejectUnauthorized: false }, (answer) => resolve(text(answer)))
    .once('error', reject)
    .end();
  const line = (await promise).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

/** What one of seven nodes takes between elections. */
async function idle(detector: string): Promise<string> {
  const { cluster, founders } = await startCluster(settingsOf({ detector }), sessionOptions);
  try {
    await agreed(cluster);
    const url = founders.peers[0]?.url ?? '';
    await delay(SETTLE_MS);
    // A node whose metrics were asked for has loaded what prints them.
    const bytes = median(nodesBytes());
    const cpuBefore = await metric(url, 'process_cpu_seconds_total');
    await delay(IDLE_MS);
    const share = (await metric(url, 'process_cpu_seconds_total')) - cpuBefore;
    const observedBytes = await metric(url, 'process_resident_memory_bytes');
    const percent = ((100_000 * share) / IDLE_MS).toFixed(1);
    const megabytes = (of: number) => `${(of / 1e6).toFixed(0)} MB`;
    return `one of 7 nodes between elections, ${detector}: ${percent} % of a core, ${megabytes(bytes)} (${megabytes(observedBytes)} if its metrics are read)`;
  } finally {
    await cluster.down();
    await cluster.close();
  }
}

/** What the processes of nodes take that this process has started. */
function nodesBytes(): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'ppid=,rss=,args=']).toString().split('\n');
  return lines.flatMap((line) => {
    const [, parent, kibibytes] = /^ *(\d+) +(\d+) .*usurp\.js node --identity/.exec(line) ?? [];
    return Number(parent) === process.pid ? [1024 * Number(kibibytes)] : [];
  });
}

async function kills(count: number): Promise<string> {
  const { cluster } = await startCluster(settingsOf({}), sessionOptions);
  try {
    await agreed(cluster);
    const times: number[] = [];
    for (let kill = 0; kill < count; kill += 1) {
      const leader = cluster.leader() ?? 7;
      const before = performance.now();
      await cluster.kill(leader);
      await agreed(cluster);
      times.push(performance.now() - before);
      cluster.start(leader, false);
      await agreed(cluster);
    }
    const detection = detectionTicks(parseDetector('fd-phi-akka'), { latencyTicksMax: LATENCY_MS });
    const multiple = median(times) / detection;
    return `new leader after kill -9: ${median(times).toFixed(0)} ms (median of ${count}), ${multiple.toFixed(2)} times the ${detection} ms of the detector`;
  } finally {
    await cluster.down();
    await cluster.close();
  }
}

async function manyNodes(): Promise<string> {
  const before = performance.now();
  const session = await startCluster(
    settingsOf({ nodes: MANY, timing: { latencyTicksMax: 1000 }, detector: MANY_DETECTOR }),
    sessionOptions,
  );
  try {
    await agreed(session.cluster, 180_000);
    return `${MANY} nodes with ${MANY_DETECTOR} follow one leader ${((performance.now() - before) / 1000).toFixed(1)} s after the start of the first`;
  } finally {
    await session.cluster.down();
    await session.cluster.close();
  }
}

async function agreed(cluster: Cluster, waitMs = 60_000): Promise<void> {
  const agreement = await cluster.agreedWithin(waitMs, never);
  if (agreement === null) throw new Error('the nodes did not agree');
}

function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
