/**
 * @module
 * Messages to a peer that is silent: they are lost after a bounded time, also those that wait behind others.
 */

import { afterEach, expect, it, vi } from 'vitest';
import type { Peer } from '../../../src/live/peers.ts';
import {
  createOutbox,
  OUTBOX_MAX,
  PAUSE_MS,
  WAIT_MS_MAX,
} from '../../../src/live/transport/outbox.ts';

/** A message that was posted. Its answer has a status, or there is none. */
interface Posted {
  readonly body: string;
  readonly answer: (status: number | null, body?: string) => void;
}

function played() {
  const clock = { now: 0 };
  const requests: Posted[] = [];
  const refusing: string[] = [];
  const transport = {
    post(_peer: Peer, body: string, onEnd: (status: number | null, body: string) => void) {
      requests.push({ body, answer: (status, answer = '') => onEnd(status, answer) });
    },
  };
  const answers: string[] = [];
  const outbox = createOutbox(transport, {
    onRefused: (url) => refusing.push(url),
    onAnswer: (_peer, body) => answers.push(body),
    now: () => clock.now,
  });
  // It uses only the address.
  const peer = { url: 'http://127.0.0.1:1' } as Peer;
  const sent = () => requests.map(({ body }) => body);
  return { clock, requests, refusing, answers, outbox, peer, sent };
}

it('messages go out one at a time, in their order', () => {
  const { outbox, peer, requests, refusing, answers, sent } = played();
  for (const body of ['1', '2', '3']) outbox.send(peer, body, false);
  expect(sent()).toEqual(['1']);

  requests[0]?.answer(202, 'reply');
  requests[1]?.answer(403, 'refusal');
  requests[2]?.answer(null);

  expect(sent()).toEqual(['1', '2', '3']);
  expect(refusing).toEqual([peer.url]);
  expect(answers).toEqual(['reply']);
  expect(outbox.counts).toEqual({ sent: 1, refused: 1, lost: 1 });
});

afterEach(() => vi.useRealTimers());

it('messages of detectors go out before all others that wait, also if too many wait', () => {
  const { outbox, peer, requests, sent } = played();
  for (let message = 0; message <= OUTBOX_MAX; message += 1) outbox.send(peer, 'other', false);

  outbox.send(peer, 'heartbeat', true);
  requests[0]?.answer(202);
  requests[1]?.answer(202);

  expect(sent()).toEqual(['other', 'heartbeat', 'other']);
  expect(outbox.counts.lost).toBe(0);
});

it('a peer that refuses a flood gets only messages of detectors for some time', () => {
  vi.useFakeTimers();
  const { outbox, peer, requests, sent } = played();
  for (const body of ['1', '2']) outbox.send(peer, body, false);

  requests[0]?.answer(429);
  outbox.send(peer, '3', false);
  outbox.send(peer, 'heartbeat', true);
  requests[1]?.answer(202);
  expect(sent()).toEqual(['1', 'heartbeat']);

  vi.advanceTimersByTime(PAUSE_MS);
  requests[2]?.answer(202);

  expect(sent()).toEqual(['1', 'heartbeat', '2', '3']);
});

it('messages that wait too long behind a silent peer are lost', () => {
  const { clock, outbox, peer, requests, sent } = played();
  for (const body of ['1', '2', '3']) outbox.send(peer, body, false);
  clock.now = WAIT_MS_MAX + 1;
  outbox.send(peer, '4', false);
  expect(outbox.counts.lost).toBe(2);

  requests[0]?.answer(null);

  expect(sent()).toEqual(['1', '4']);
  expect(outbox.counts).toEqual({ sent: 0, refused: 0, lost: 3 });
});

it('the newest messages are lost if too many wait, and all if the node ends', () => {
  const { outbox, peer, requests } = played();
  for (let message = 0; message < OUTBOX_MAX + 3; message += 1) outbox.send(peer, 'body', false);
  expect(outbox.counts.lost).toBe(2);

  outbox.close();
  requests[0]?.answer(202);

  expect(requests).toHaveLength(1);
  expect(outbox.counts).toEqual({ sent: 1, refused: 0, lost: OUTBOX_MAX + 2 });
});
