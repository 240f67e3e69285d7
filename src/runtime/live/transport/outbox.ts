/**
 * @module
 * Sends a live node's messages to its peers: one connection for each peer, which keeps their order. A message that a peer
 * does not take in time is lost, as on any network; protocols must bear it. Nothing is sent twice.
 */

import type { Peer } from '../peers.ts';
import type { Transport } from './transport.ts';

/** Messages that wait for one peer. If there are more, the newest are lost. */
export const OUTBOX_MAX = 1_000;
/** Also how long a paused peer holds back the messages behind one. */
const SEND_MS_MAX = 1_000;

export interface Outbox {
  send(peer: Peer, body: string): void;
  readonly counts: { sent: number; lost: number; refused: number };
}

/** `onRefused` receives the address of a peer that refused a message. */
export function createOutbox(transport: Transport, onRefused: (url: string) => void): Outbox {
  const waiting = new Map<string, number>();
  const counts = { sent: 0, lost: 0, refused: 0 };
  const end = (url: string, outcome: keyof typeof counts) => {
    waiting.set(url, (waiting.get(url) ?? 1) - 1);
    counts[outcome] += 1;
  };
  return {
    counts,
    send(peer, body) {
      const { url } = peer;
      const before = waiting.get(url) ?? 0;
      if (before >= OUTBOX_MAX) {
        counts.lost += 1;
        return;
      }
      waiting.set(url, before + 1);
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      };
      const outgoing = transport.request(peer, '/messages', { method: 'POST', headers });
      outgoing.setTimeout(SEND_MS_MAX, () => outgoing.destroy());
      outgoing.once('response', (answer) => {
        answer.resume();
        outgoing.off('close', lost);
        const isTaken = answer.statusCode === 202;
        answer.once('close', () => end(url, isTaken ? 'sent' : 'refused'));
        if (!isTaken) onRefused(url);
      });
      const lost = () => end(url, 'lost');
      outgoing.once('close', lost);
      // The loss is counted when the request closes.
      outgoing.on('error', () => undefined);
      outgoing.end(body);
    },
  };
}
