/**
 * @module
 * Sends a live node's messages to its peers: one at a time to each peer. Messages of detectors come first, so that they never
 * wait behind what a node passes on for others. The others keep their order. A peer that has refused one as too much gets only
 * messages of detectors for some time. A message that a peer does not take in time is lost, as on any network, also if it waits
 * behind others; protocols must bear it. Nothing is sent twice.
 */

import { isDetectorType } from '../../election/detectors/detector.ts';
import type { Rank } from '../../election/machine.ts';
import type { NodeHooks } from '../live-node.ts';
import type { Membership } from '../membership.ts';
import type { Envelope } from '../peer-api.ts';
import type { Peer } from '../peers.ts';
import type { Links } from './links.ts';
import type { Posting } from './peer-connections.ts';
import type { Replies } from './replies.ts';

/** Messages that wait for one peer, of detectors and others each. If there are more, the newest are lost. */
export const OUTBOX_MAX = 1_000;
/** How long a message waits for those before it. */
export const WAIT_MS_MAX = 2_000;
/** How long a peer gets only messages of detectors after it has refused one for a flood. */
export const PAUSE_MS = 1_000;
export interface Outbox {
  /** `goesFirst` if it is a detector's. */
  send(peer: Peer, body: string, goesFirst: boolean): void;
  readonly counts: { sent: number; lost: number; refused: number };
  /** Drops what waits. */
  close(): void;
}

interface Waiting {
  readonly peer: Peer;
  readonly body: string;
  readonly since: number;
}

interface Queue {
  /** Messages of detectors, which are sent first. */
  readonly first: Waiting[];
  readonly others: Waiting[];
  /** Runs while the others wait for a peer that had too much. */
  pause: NodeJS.Timeout | null;
  isSending: boolean;
}

interface OutboxHooks {
  /** Receives the address of a peer that refused a message. */
  readonly onRefused: (url: string) => void;
  /** Receives what a peer answers to a message that it took. */
  readonly onAnswer: (peer: Peer, body: string) => void;
  /** In ms. */
  readonly now: () => number;
}

export function createOutbox(
  transport: Posting,
  { onRefused, onAnswer, now }: OutboxHooks,
): Outbox {
  const queues = new Map<string, Queue>();
  const counts = { sent: 0, lost: 0, refused: 0 };
  const dropOld = ({ first, others }: Queue) => {
    for (const waiting of [first, others]) {
      const recent = waiting.findIndex(({ since }) => now() - since <= WAIT_MS_MAX);
      counts.lost += waiting.splice(0, recent < 0 ? waiting.length : recent).length;
    }
  };
  const pause = (queue: Queue) => {
    queue.pause ??= setTimeout(() => {
      queue.pause = null;
      if (!queue.isSending) sendNext(queue);
    }, PAUSE_MS).unref();
  };
  const sendNext = (queue: Queue) => {
    dropOld(queue);
    const next = queue.first.shift() ?? (queue.pause === null ? queue.others.shift() : undefined);
    queue.isSending = next !== undefined;
    if (next === undefined) return;
    transport.post(next.peer, next.body, (status, answer) => {
      const outcome = outcomeOf(status);
      counts[outcome] += 1;
      if (outcome === 'refused') onRefused(next.peer.url);
      if (outcome === 'sent') onAnswer(next.peer, answer);
      if (status === FLOOD_STATUS) pause(queue);
      sendNext(queue);
    });
  };
  return {
    counts,
    send(peer, body, goesFirst) {
      const before = queues.get(peer.url);
      const queue = before ?? { first: [], others: [], pause: null, isSending: false };
      queues.set(peer.url, queue);
      dropOld(queue);
      const waiting = goesFirst ? queue.first : queue.others;
      if (waiting.length >= OUTBOX_MAX) {
        counts.lost += 1;
        return;
      }
      waiting.push({ peer, body, since: now() });
      if (!queue.isSending) sendNext(queue);
    },
    close() {
      for (const { first, others, pause: running } of queues.values()) {
        counts.lost += first.splice(0).length + others.splice(0).length;
        if (running !== null) clearTimeout(running);
      }
    },
  };
}

const FLOOD_STATUS = 429;

function outcomeOf(status: number | null): keyof Outbox['counts'] {
  if (status === null) return 'lost';
  return status === 202 ? 'sent' : 'refused';
}

/** Sends the messages of a node: as replies, or in requests. */
export function sendingFrom({
  rank,
  membership,
  links,
  outbox,
  replies,
}: {
  readonly rank: Rank;
  readonly membership: Membership;
  readonly links: Links;
  readonly outbox: Outbox;
  readonly replies: Replies;
}): NodeHooks['send'] {
  return (to, message, stamp) => {
    const envelope: Envelope = { from: rank, message, stamp };
    const peer = membership.peer(to);
    if (peer === null) return;
    const body = JSON.stringify(envelope);
    const goesFirst = isDetectorType(message.type);
    for (let copies = links.copies(to); copies > 0; copies -= 1) {
      if (replies.take(to, message, body)) outbox.counts.sent += 1;
      else outbox.send(peer, body, goesFirst);
    }
  };
}
