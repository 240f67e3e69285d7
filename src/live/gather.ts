/**
 * @module
 * The first look of a node at its peers: it waits until they answer, and compares their settings with its own. Nodes of
 * different settings refuse or ignore each other's messages, so that none would say why they elect no leader.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Rank } from '../election/machine.ts';
import { printableLine } from '../printable.ts';
import { PEER_PROTOCOL, statusSchema } from './node-status.ts';
import type { Peer } from './peers.ts';
import type { Asked } from './transport/peer-connections.ts';
import { ask } from './transport/transport.ts';

/** What all nodes of one election have in common. */
interface SharedSettings {
  readonly election: string;
  readonly protocol: string;
  readonly level: string;
  readonly latencyMs: number;
}

const sharedSchema = statusSchema.pick({
  rank: true,
  election: true,
  protocol: true,
  level: true,
  latencyMs: true,
  peerProtocol: true,
});

/** The version of nodes that state none. */
const PEER_PROTOCOL_FIRST = 1;

/** In what a peer differs from this node, by its answer to `GET /status`; null if in nothing. */
export function differenceText(peer: Peer, own: SharedSettings, answer: unknown): string | null {
  const given = sharedSchema.safeParse(answer);
  if (!given.success) return null;
  const { rank, election, protocol, level, latencyMs = own.latencyMs } = given.data;
  const { peerProtocol: version = PEER_PROTOCOL_FIRST } = given.data;
  if (rank !== String(peer.rank)) return otherIdentityText(peer);
  const named = `node ${peer.position} at ${peer.url}`;
  if (election !== own.election) {
    return `${named} is of election ${shown(election)}, this node of ${own.election}; give all nodes the same peers file`;
  }
  if (version !== PEER_PROTOCOL) {
    return `${named} speaks version ${version} of the peer protocol, this node version ${PEER_PROTOCOL}; they can refuse each other's messages: run the same release of usurp on all nodes`;
  }
  const differing = [
    ...(protocol === own.protocol ? [] : ['--protocol']),
    ...(level === own.level ? [] : ['--level']),
    ...(latencyMs === own.latencyMs ? [] : ['--latency']),
  ];
  if (differing.length === 0) return null;
  const theirs = `${shown(protocol)} at ${shown(level)} with a latency of ${latencyMs} ms`;
  const ours = `${own.protocol} at ${own.level} with ${own.latencyMs} ms`;
  return `${named} runs ${theirs}, this node ${ours}; all nodes need the same ${differing.join(' and ')}`;
}

/** A node with another key answers at the address of a peer. */
export function otherIdentityText({ position, url }: Peer): string {
  return `the node at ${url} showed another identity than that of node ${position} in the peers file; start it with the key and the election of that file`;
}

const SHOWN_CHARACTERS_MAX = 64;

/** A text of a peer cannot control the terminal. */
function shown(text: string): string {
  return printableLine(text.slice(0, SHOWN_CHARACTERS_MAX));
}

/** The peers of a node. Each node begins with another one, so that none has to answer all others at once. */
export function othersOf(own: Rank, peers: readonly Peer[]): readonly Peer[] {
  const at = peers.findIndex(({ rank }) => rank === own);
  return [...peers.slice(at + 1), ...peers.slice(0, Math.max(0, at))];
}

/** For each peer that has not answered. */
const GATHER_POLL_MS = 10;
/**
 * Peers that are asked at the same time. If all nodes of a large cluster asked all others at once, no handshake would end in
 * time on a machine that they share.
 */
const ASKED_MAX = 2;
/** Time after which the next peer is asked although one has not answered. A paused process accepts a connection, and says nothing. */
const PATIENCE_MS = 1_000;

/** Asks these peers in turn until all have answered, or for so long. */
export async function gather(
  peers: readonly Peer[],
  transport: Asked,
  {
    waitMs,
    signal,
    onAnswer,
    onUnmet,
  }: {
    readonly waitMs: number;
    readonly signal: AbortSignal;
    readonly onAnswer: (peer: Peer, answer: unknown) => void;
    /** Receives the positions of the peers that have not answered yet, at first of all. */
    readonly onUnmet?: ((positions: readonly number[]) => void) | undefined;
  },
): Promise<void> {
  const deadline = Date.now() + waitMs;
  const others = new Set(peers);
  const asked = new Set<Peer>();
  const isOver = () => others.size === 0 || Date.now() >= deadline || signal.aborted;
  const reportUnmet = () => onUnmet?.([...others].map(({ position }) => position));
  const askOne = async (peer: Peer) => {
    asked.add(peer);
    const left = Math.max(1, deadline - Date.now());
    const answer = await ask(transport, peer, '/status', { waitMs: left });
    asked.delete(peer);
    if (answer === null || !others.delete(peer)) return;
    reportUnmet();
    onAnswer(peer, answer);
  };
  const askEach = async (waiting: Peer[]) => {
    for (let peer = waiting.shift(); peer !== undefined && !isOver(); peer = waiting.shift()) {
      const patience = Math.max(1, Math.min(PATIENCE_MS, deadline - Date.now()));
      await Promise.race([askOne(peer), delay(patience, undefined, { ref: false })]);
    }
  };
  reportUnmet();
  while (!isOver()) {
    const waiting = [...others].filter((peer) => !asked.has(peer));
    await Promise.all(Array.from({ length: ASKED_MAX }, () => askEach(waiting)));
    if (!isOver()) await delay(GATHER_POLL_MS * others.size);
  }
}
