/**
 * @module
 * Sends a live node's messages to its peers: one at a time to each peer, which keeps their order. A message that a peer
 * does not take in time is lost, as on any network, also if it waits behind others; protocols must bear it. Nothing is
 * sent twice.
 */

import type { Rank } from '../../../election/machine.ts';
import type { NodeHooks } from '../live-node.ts';
import type { Membership } from '../membership.ts';
import type { Envelope } from '../peer-api.ts';
import type { Peer } from '../peers.ts';
import type { Links } from './links.ts';
import type { Posting } from './peer-connections.ts';
import type { Replies } from './replies.ts';

/** Messages that wait for one peer. If there are more, the newest are lost. */
export const OUTBOX_MAX = 1_000;
/** How long a message waits for those before it. */
export const WAIT_MS_MAX = 2_000;
export interface Outbox {
  send(peer: Peer, body: string): void;
  readonly counts: { sent: number; lost: number; refused: number };
  /** Drops what waits. */
  close(): void;
}

interface Queue {
  readonly waiting: { readonly peer: Peer; readonly body: string; readonly since: number }[];
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
  const dropOld = ({ waiting }: Queue) => {
    const first = waiting.findIndex(({ since }) => now() - since <= WAIT_MS_MAX);
    counts.lost += waiting.splice(0, first < 0 ? waiting.length : first).length;
  };
  const sendNext = (queue: Queue) => {
    dropOld(queue);
    const next = queue.waiting.shift();
    queue.isSending = next !== undefined;
    if (next === undefined) return;
    transport.post(next.peer, next.body, (status, answer) => {
      const outcome = outcomeOf(status);
      counts[outcome] += 1;
      if (outcome === 'refused') onRefused(next.peer.url);
      if (outcome === 'sent') onAnswer(next.peer, answer);
      sendNext(queue);
    });
  };
  return {
    counts,
    send(peer, body) {
      const queue = queues.get(peer.url) ?? { waiting: [], isSending: false };
      queues.set(peer.url, queue);
      dropOld(queue);
      if (queue.waiting.length >= OUTBOX_MAX) {
        counts.lost += 1;
        return;
      }
      queue.waiting.push({ peer, body, since: now() });
      if (!queue.isSending) sendNext(queue);
    },
    close() {
      for (const { waiting } of queues.values()) counts.lost += waiting.splice(0).length;
    },
  };
}

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
    for (let copies = links.copies(to); copies > 0; copies -= 1) {
      if (replies.take(to, message, body)) outbox.counts.sent += 1;
      else outbox.send(peer, body);
    }
  };
}
