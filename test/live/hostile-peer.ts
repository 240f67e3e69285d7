/**
 * @module
 * What tests of peers that break the rules share: three honest nodes or two, and messages that a peer signs and sends
 * as it likes.
 */

import { rmSync } from 'node:fs';
import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Keys } from '../../src/election/authentication/authenticated.ts';
import { messageText } from '../../src/election/authentication/authenticated.ts';
import { parseDetector } from '../../src/election/detectors/registry.ts';
import type { Message, Rank } from '../../src/election/machine.ts';
import { schemeOf } from '../../src/identity/keys/scheme.ts';
import { signatureRulesOf } from '../../src/identity/policy.ts';
import type { LiveRecord } from '../../src/live/node-record.ts';
import type { Network } from '../../src/live/peers.ts';
import { parsePeers } from '../../src/live/peers.ts';
import type { NodeSettings, RunningNode } from '../../src/live/start-node.ts';
import { startNode } from '../../src/live/start-node.ts';
import { certify } from '../../src/live/transport/transport.ts';
import type { FiledKey } from '../../src/runtime/files/key-file.ts';
import { signingKeys } from '../../src/runtime/openssl/signing-keys.ts';
import { testNetwork, until } from './network.ts';

const PROTOCOL = 'bully-oneshot';
const never = new AbortController().signal;

export function settingsFor(network: Network, key: FiledKey, data: string): NodeSettings {
  return {
    ...{ network, key, data, protocol: PROTOCOL, timing: { latencyTicksMax: 200 }, level: 'L3' },
    ...{ defences: [], behaviours: [], joins: false, listen: null, amnesia: false, gatherMs: 5000 },
    detector: parseDetector('fd-phi-akka'),
  };
}

/** Which nodes run, and how they are reached. */
interface Started {
  readonly scheme?: 'http' | 'https';
  readonly honest?: readonly number[];
}

const AGREE_MS = 20_000;
const STARTS_MAX = 5;

/**
 * Three nodes of which the honest ones run and follow the highest. The others have keys and no process. The protocol assumes
 * that no live node is suspected. On a busy machine one can be, and then its nodes are started anew.
 */
export async function startedNodes(closing: (() => unknown)[], given: Started = {}) {
  for (let start = 1; start <= STARTS_MAX; start += 1) {
    const own: (() => unknown)[] = [];
    const started = await startNodes(own, given);
    const deadline = Date.now() + AGREE_MS;
    while (!started.allFollow() && Date.now() < deadline) await delay(50);
    if (started.allFollow()) {
      closing.push(...own);
      return started;
    }
    for (const close of own) await close();
  }
  throw new Error(`the nodes agree on no leader after ${STARTS_MAX} starts`);
}

async function startNodes(
  closing: (() => unknown)[],
  { scheme = 'https', honest = [1, 2, 3] }: Started,
) {
  const made = await testNetwork(3);
  const network = parsePeers(made.peers.replaceAll('http://', `${scheme}://`));
  const leaders = new Map<number, number | null>();
  const records: LiveRecord[] = [];
  const nodes = await Promise.all(
    made.keys.flatMap((key, index) => {
      const position = network.ring[index] ?? 0;
      if (!honest.includes(position)) return [];
      const settings = settingsFor(network, key, join(made.folder, `${index}.log`));
      const events = {
        onLeader: (_: unknown, _epoch: number, at: number | null) => void leaders.set(position, at),
        onRecord: (record: LiveRecord) => void records.push(record),
      };
      const gatherMs = honest.length === network.peers.length ? settings.gatherMs : 300;
      return startNode({ ...settings, gatherMs }, events, never);
    }),
  );
  closing.push(...nodes.map((node) => node.close), () => rmSync(made.folder, { recursive: true }));
  const top = Math.max(...honest);
  const allFollow = () => honest.every((position) => leaders.get(position) === top);
  return { made, network, nodes, records, honest, allFollow };
}

const TRIALS_MAX = 5;
/** Far less than the silence after which a node of these tests is suspected. */
const HELD_UP_MS = 300;

/**
 * The honest nodes that are suspected during a trial. If other processes have the cores meanwhile, a node is suspected rightly,
 * and the trial is held again.
 */
export async function suspectedDuring(
  {
    network,
    records,
    honest,
    allFollow,
  }: Pick<Awaited<ReturnType<typeof startNodes>>, 'network' | 'records' | 'honest' | 'allFollow'>,
  trial: () => Promise<void>,
): Promise<readonly Rank[]> {
  const ranks = network.peers.flatMap(({ position, rank }) =>
    position !== null && honest.includes(position) ? rank : [],
  );
  for (let held = 1; ; held += 1) {
    const before = records.length;
    const heldUpMs = watchCores();
    await trial();
    const suspected = records.slice(before).flatMap(({ event }) => {
      const about = event.type === 'suspect' ? event.node : null;
      return ranks.filter((rank) => rank === about);
    });
    if (suspected.length === 0 || heldUpMs() < HELD_UP_MS || held === TRIALS_MAX) return suspected;
    await until('the nodes follow their leader again', allFollow);
  }
}

/** From now on: for how many ms this thread was due and did not run, although this process computed nothing. */
function watchCores(): () => number {
  const everyMs = 20;
  let heldUpMs = 0;
  let [atMs, used] = [performance.now(), process.cpuUsage()];
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    const nowMs = performance.now();
    heldUpMs += Math.max(0, nowMs - atMs - everyMs - (user + system) / 1000);
    [atMs, used] = [nowMs, process.cpuUsage()];
  }, everyMs);
  return () => {
    clearInterval(timer);
    return heldUpMs;
  };
}

export function signerOf({ scheme, secret }: FiledKey, network: Network): Keys['sign'] {
  const publicKey = schemeOf(scheme).publicKeyOf(secret);
  const keys = signingKeys(() => ({ scheme, secret, publicKey }), signatureRulesOf(network.policy));
  const [first] = network.peers;
  if (first === undefined) throw new Error('no peer');
  return keys(first.rank).sign;
}

/** The member at a position, with its key. */
export function memberAt(
  {
    network,
    made,
  }: { readonly network: Network; readonly made: { readonly keys: readonly FiledKey[] } },
  position: number,
) {
  const peer = network.peers[position - 1];
  const key = made.keys[network.ring.indexOf(position)];
  if (peer === undefined || key === undefined) throw new Error(`no member ${position}`);
  return { rank: peer.rank, key, sign: signerOf(key, network) };
}

/** The envelope of a message that its sender has signed for a recipient at L3. */
export function signedFor(
  to: Rank,
  number: number,
  body: Message,
  {
    rank: by,
    sign,
    election,
  }: { readonly rank: Rank; readonly sign: Keys['sign']; readonly election: string },
) {
  const text = messageText({ level: 'L3', protocol: PROTOCOL, election }, { by, to, number, body });
  return {
    from: by,
    message: { ...body, seal: { by, number, signature: sign(text) } },
    stamp: null,
  };
}

/** The answer of a node to a request, over a connection of this agent. */
export function post(
  node: RunningNode,
  body: unknown,
  {
    agent,
    path = '/messages',
    isChunked = false,
    isText = false,
  }: {
    readonly agent: Agent | PlainAgent;
    readonly path?: string;
    /** Whether the length of the body is not stated. */
    readonly isChunked?: boolean;
    /** Whether the body is sent as it is. */
    readonly isText?: boolean;
  },
) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; refusal: string }>();
  const headers = { 'content-type': 'application/json' };
  const send = node.url.startsWith('https:') ? request : plainRequest;
  const outgoing = send(`${node.url}${path}`, { method: 'POST', headers, agent }, (answer) => {
    let text = '';
    answer.on('data', (chunk) => {
      text += chunk;
    });
    answer.on('end', () => {
      resolve({ status: answer.statusCode ?? 0, refusal: JSON.parse(text).refusal });
    });
  });
  outgoing.on('error', reject);
  if (isChunked) outgoing.write(' ');
  outgoing.end(isText ? String(body) : JSON.stringify(body));
  return promise;
}

/** A connection without a certificate. */
export const stranger = { rejectUnauthorized: false, keepAlive: true, maxSockets: 1 };

/** Two honest nodes, and node 1 as an admitted peer that a test plays, with its certificate. */
export async function withPeer(closing: (() => unknown)[], scheme: 'http' | 'https' = 'https') {
  const network = await startedNodes(closing, { scheme, honest: [2, 3] });
  const { election, policy, peers } = network.network;
  const peer = { ...memberAt(network, 1), election };
  const certified = certify({ election, epoch: policy.epoch }, peer.rank, peer.sign);
  const agent =
    scheme === 'https'
      ? new Agent({ ...stranger, maxSockets: 4, ...certified })
      : new PlainAgent({ keepAlive: true, maxSockets: 1 });
  closing.unshift(() => agent.destroy());
  const target = network.nodes.find(({ rank }) => rank === peers[1]?.rank);
  const other = peers[2];
  if (target === undefined || other === undefined) throw new Error('node 2 is missing');
  const sign = (number: number, body: Message, to = target.rank) =>
    signedFor(to, number, body, peer);
  const answers = async (envelopes: readonly unknown[]) => {
    const given = await Promise.all(envelopes.map((each) => post(target, each, { agent })));
    return given.map(({ status, refusal }) => refusal ?? status);
  };
  return { ...network, peer, target, other, agent, sign, answers };
}
