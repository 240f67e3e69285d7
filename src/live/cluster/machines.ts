/**
 * @module
 * A cluster on several machines, as one of them runs it: its nodes are processes here, and those of other machines are
 * observed over HTTP. They report their own state, which nothing proves: it is used only to wait and to print.
 */

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { printableLine } from '../../printable.ts';
import { readWithin } from '../../runtime/files/bounded-file.ts';
import { KEY_FILE_BYTES_MAX, parseKeyFile } from '../../runtime/files/key-file.ts';
import { foldJournal } from '../node-log.ts';
import { statusSchema } from '../node-status.ts';
import type { Network, Peer } from '../peers.ts';
import type { Asked } from '../transport/peer-connections.ts';
import { ask, observingTransport } from '../transport/transport.ts';
import { Cluster } from './cluster.ts';
import type { PlacedCluster, PlacedNode } from './cluster-document.ts';
import { peersFile } from './cluster-files.ts';
import type { ClusterSession, SessionOptions } from './cluster-session.ts';
import { argumentsOf } from './cluster-session.ts';
import { removal, votersIn } from './members.ts';
import type { Seen } from './node-state.ts';
import { watchedTemporaryFolder } from './watchdog.ts';

/** The part of a cluster that runs on this machine. */
export interface Here {
  readonly machine: string;
  /** Paths of keys are relative to it. */
  readonly keys: string;
  /** How long nodes that start for the first time wait for those of other machines, in ms. */
  readonly gatherMs: number;
}

const LOOK_MS = 200;
const ANSWER_MS_MAX = 1_000;

/**
 * Starts the nodes of this machine. Their logs are beside their keys, so that they return with them. Throws LabError
 * `arguments` or `file.missing` if the file names no node or no key of this machine.
 */
export function startHere(
  { settings, network, peers, nodes }: PlacedCluster,
  { machine, keys, gatherMs }: Here,
  options: SessionOptions,
): ClusterSession {
  const own = nodes.filter((node) => node.machine === machine);
  if (own.length === 0) {
    const machines = [...new Set(nodes.map((node) => node.machine))].join(', ');
    throw refusal(`no node is on the machine ${machine}; the machines of the file are ${machines}`);
  }
  const paths = new Map(own.map((node) => [node.position, keyOf(node, keys)]));
  const { folder, watchdog } = watchedTemporaryFolder();
  writeFileSync(peersFile(folder), peers);
  const founders = nodes.map(({ position, rank, listen, machine }) => {
    const key = paths.get(position);
    if (key === undefined) return { machine, rank: String(rank) };
    const files = { key, log: logOf(key), peers: peersFile(folder) };
    const listening = listen === undefined ? [] : ['--listen', listen];
    return [...argumentsOf(settings, files), '--gather', `${gatherMs}ms`, ...listening];
  });
  const hasStore = settings.store !== null;
  const { onFault, onWarning, onRecord, onChange } = options;
  const founderRanks = network.peers.map(({ rank }) => String(rank));
  const known = { votersIn: votersIn(settings.protocol), founderRanks };
  const hooks = { onFault, onWarning, onRecord, onChange, ...known };
  const electsInStore = PROTOCOLS[settings.protocol].store !== null;
  const plan = { founders, folder: null, watchdog, hasStore, electsInStore, ...hooks };
  const cluster = new Cluster(plan);
  const others = network.peers.filter(({ position }) => !paths.has(position));
  const observers = new AbortController();
  const transport = observingTransport();
  const observing = { cluster, network, transport, signal: observers.signal };
  for (const peer of others) void observe(peer, observing);
  const refuse = (): never => {
    throw refusal('only usurp node --join adds a node to a cluster of several machines');
  };
  return {
    settings,
    policy: network.policy,
    founders: network,
    cluster,
    options,
    startedMs: Date.now(),
    isBack: false,
    machines: nodes.map(({ machine }) => machine),
    urls: () => network.peers.map(({ url }) => url),
    store: null,
    namespaces: null,
    join: async () => refuse(),
    remove: (node, within = options.signal) => removal(settings.protocol, cluster, node, within),
    logs: () => [],
    async close() {
      observers.abort();
      transport.close();
      await cluster.down();
      for (const key of paths.values()) foldJournal(logOf(key));
      await cluster.close();
    },
    check() {
      throw refusal('the logs of other machines are needed; use usurp cluster trace');
    },
  };
}

/** The path of the log of a node. */
function logOf(key: string): string {
  return `${key}.log`;
}

/** The path of the key of a node. */
function keyOf({ position, key, claim }: PlacedNode, folder: string): string {
  const path = resolve(folder, key);
  const bytes = readWithin(path, {
    kind: 'a key file',
    bytesMax: KEY_FILE_BYTES_MAX,
    role: `the key of node ${position}`,
    remedy: 'correct `key` of this node in the file',
  });
  const isOwn = parseKeyFile(bytes.toString('utf8')).keys.some(
    (each) => each.claim.publicKey === claim.publicKey,
  );
  if (isOwn) return path;
  throw refusal(
    `${path} is not the key of node ${position}; use the key from which its entry was made`,
  );
}

interface Observing {
  readonly cluster: Cluster;
  readonly network: Network;
  readonly transport: Asked;
  readonly signal: AbortSignal;
}

/** Passes the reported state of a node of another machine to the cluster, until the signal aborts. */
async function observe(
  peer: Peer,
  { cluster, network, transport, signal }: Observing,
): Promise<void> {
  while (!signal.aborted) {
    const answer = await ask(transport, peer, '/status', { waitMs: ANSWER_MS_MAX });
    if (!signal.aborted) cluster.observe(peer.position, seenIn(answer, network, peer));
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

const RANK_CHARACTERS_MAX = 128;

/**
 * Null if the node is down, or if another node answers at its address. The leader that it reports can be any text, which is
 * made printable.
 */
export function seenIn(
  answer: unknown,
  { election, peers }: Network,
  peer: Peer,
): Seen | 'starting' | null {
  const given = statusSchema.safeParse(answer);
  if (!given.success) return null;
  const { rank, leader, epoch, ready, refused, suspects, ...about } = given.data;
  if (rank !== String(peer.rank) || about.election !== election) return null;
  if (!ready) return 'starting';
  const suspected = suspects.flatMap((position) => String(peers[position - 1]?.rank ?? ''));
  const followed = leader === null ? null : printableLine(leader.slice(0, RANK_CHARACTERS_MAX));
  return { leader: followed, epoch, refused, suspects: new Set(suspected) };
}

function refusal(detail: string): LabError {
  return new LabError('arguments', detail);
}
