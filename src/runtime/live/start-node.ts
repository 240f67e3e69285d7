/**
 * @module
 * Starts one live node in this process: its log, its address, its keys and its machine. A node that starts for the first
 * time waits a moment until its peers answer, because messages to a process that does not listen yet are lost.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Level } from '../../election/authentication/authenticated.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { detectorText } from '../../election/detectors/registry.ts';
import type { Rank, Self } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import type { Cast } from '../../election/world/cast.ts';
import { createCast, fromRank } from '../../election/world/cast.ts';
import { LabError } from '../../errors.ts';
import type { SchemeName, Secret } from '../../identity/keys/scheme.ts';
import { schemeOf } from '../../identity/keys/scheme.ts';
import { signatureRulesOf } from '../../identity/policy.ts';
import { signingKeys } from '../openssl/signing-keys.ts';
import { LiveNode } from './live-node.ts';
import type { Envelope } from './node-api.ts';
import { nodeApi } from './node-api.ts';
import { openNodeLog } from './node-log.ts';
import { createOutbox } from './outbox.ts';
import type { Network, Peer } from './peers.ts';
import { peerOf } from './peers.ts';

/** Levels of live nodes. L1 needs a network that knows who sends. */
export const LIVE_LEVELS = ['L0', 'L2', 'L3'] as const satisfies readonly Level[];

export interface NodeSettings {
  readonly network: Network;
  readonly key: { readonly scheme: SchemeName; readonly secret: Secret };
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  readonly level: Level;
  readonly detector: DetectorSpec;
  /** Where to listen; the address of the peers file by default. */
  readonly listen: { readonly host: string; readonly port: number } | null;
  readonly data: string;
  readonly amnesia: boolean;
  /** How long the first life waits for its peers, in ms. */
  readonly gatherMs: number;
}

export interface RunningNode {
  readonly url: string;
  readonly own: Peer;
  /** Whether an earlier life was found on disk. */
  readonly isBack: boolean;
  /** Loses all messages to the nodes at these positions, and to no others. */
  cut(positions: readonly number[]): void;
  /** Makes its clock run at this rate. */
  skew(rate: number): void;
  close(): Promise<void>;
}

/** Receives each change of the leader, by position. */
export type OnLeader = (leader: number | null, epoch: number) => void;

/** Resolves when the node has begun. Throws LabError `arguments` and `file.unreadable`. */
export async function startNode(
  settings: NodeSettings,
  onLeader: OnLeader,
  signal: AbortSignal,
): Promise<RunningNode> {
  const { network, key, protocol, timing, level, detector } = settings;
  const own = peerOf(network, schemeOf(key.scheme).publicKeyOf(key.secret));
  const cast = liveCast(protocol, timing, network);
  const { election } = network;
  const latency = timing.latencyTicksMax;
  const owner = { rank: String(own.rank), protocol, election, latency };
  const log = openNodeLog(settings.data, owner);
  const outbox = createOutbox();
  let isCut: ReadonlySet<number> = new Set();
  const peersByRank = new Map(network.peers.map((peer) => [peer.rank, peer]));
  const self = liveSelf(cast, network, own);
  const node = new LiveNode({ protocol, timing, level, election, detector, self }, log, {
    keysOf: signingKeys((rank) => {
      const peer = network.peers.find((each) => each.rank === rank);
      if (peer === undefined) return null;
      const { scheme, publicKey } = peer.claim;
      return { scheme, publicKey, secret: rank === own.rank ? key.secret : null };
    }, signatureRulesOf(network.policy)),
    send(to, message, stamp) {
      const envelope: Envelope = { from: own.rank, message, stamp };
      const peer = peersByRank.get(to);
      if (peer === undefined || isCut.has(peer.position)) return;
      outbox.send(peer.url, JSON.stringify(envelope));
    },
    onLeader: (leader, epoch) => onLeader(positionOf(network, leader), epoch),
  });
  const isBack = log.lives > 0;
  let hasBegun = isBack;
  const about = { protocol, level, detector: detectorText(detector) };
  const served = { node, own, network, log, outbox, about, hasBegun: () => hasBegun };
  if (isBack) node.begin(settings.amnesia);
  const server = createServer(getRequestListener(nodeApi(served).fetch));
  const close = async () => {
    node.close();
    outbox.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    log.close();
  };
  try {
    const url = await listenAt(server, settings.listen ?? addressOf(own));
    if (!isBack) {
      await gather(network, own, settings.gatherMs, signal);
      if (!signal.aborted) node.begin(false);
      hasBegun = true;
    }
    const cut = (positions: readonly number[]) => {
      isCut = new Set(positions);
    };
    return { url, own, isBack, cut, skew: (rate) => node.skew(rate), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws LabError `arguments` for a protocol with a store. */
export function assertLive(protocol: ProtocolName): void {
  if (PROTOCOLS[protocol].store === null) return;
  const detail = `${protocol} needs a store, which live nodes do not have; choose a protocol without one`;
  throw new LabError('arguments', detail);
}

/** The cast of the model that corresponds to a network. Throws LabError as `assertLive`. */
export function liveCast(protocol: ProtocolName, timing: Timing, network: Network): Cast {
  assertLive(protocol);
  return createCast({ protocol, timing, ring: network.ring, crashedBefore: [] });
}

function liveSelf(cast: Cast, { peers }: Network, own: Peer): Self {
  const self = cast.selfOf(own.position);
  const liveOf = (rank: Rank): Rank => {
    const peer = peers[fromRank(rank) - 1];
    if (peer === undefined) throw new RangeError(`"rank" expected a member, got ${rank}`);
    return peer.rank;
  };
  return {
    ...self,
    rank: own.rank,
    members: self.members.map(liveOf),
    successors: self.successors.map(liveOf),
    predecessor: liveOf(self.predecessor),
  };
}

function positionOf({ peers }: Network, rank: Rank | null): number | null {
  return peers.find((peer) => peer.rank === rank)?.position ?? null;
}

function addressOf({ url }: Peer): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? 80 : port) };
}

async function listenAt(
  server: ReturnType<typeof createServer>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen({ host, port }, resolve);
  try {
    await promise;
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown cause';
    throw new LabError('arguments', `cannot listen on ${host} port ${port}: ${why}`);
  }
  // A TCP server has an address with a port.
  const bound = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}

const GATHER_POLL_MS = 25;

/** Waits until all peers answer, or for so long. */
async function gather(
  { peers }: Network,
  own: Peer,
  gatherMs: number,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + gatherMs;
  const others = new Set(peers.filter((peer) => peer !== own));
  while (others.size > 0 && Date.now() < deadline && !signal.aborted) {
    await Promise.all(
      [...others].map(async (peer) => {
        const timeout = AbortSignal.timeout(Math.max(1, deadline - Date.now()));
        const answer = await fetch(`${peer.url}/status`, { signal: timeout }).catch(() => null);
        await answer?.body?.cancel();
        if (answer?.ok === true) others.delete(peer);
      }),
    );
    if (others.size > 0) await delay(GATHER_POLL_MS);
  }
}
