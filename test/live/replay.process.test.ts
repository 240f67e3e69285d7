/**
 * @module
 * An admitted peer that sends its signed messages again, or in another order, or those of others: what is old is refused,
 * what is new counts once in any order, and no honest node misses a heartbeat meanwhile.
 */

import { Agent as PlainAgent } from 'node:http';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { NUMBERS_WINDOW } from '../../src/election/authentication/authenticated.ts';
import type { Message, Rank } from '../../src/election/machine.ts';
import { MESSAGE_BYTES_MAX } from '../../src/live/peer-api.ts';
import { startNode } from '../../src/live/start-node.ts';
import {
  memberAt,
  post,
  settingsFor,
  signedFor,
  startedNodes,
  suspectedDuring,
  withPeer,
} from './hostile-peer.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const heartbeat = (seq: number): Message => ({ type: 'FD_HEARTBEAT', ...{ seq } });
const ELECTION: Message = { type: 'ELECTION' };

describe('an admitted peer', () => {
  it('is refused if it repeats its messages, and no honest node misses a heartbeat', async () => {
    const started = await withPeer(closing);
    const { sign, answers, allFollow } = started;
    const sent = [1, 2, 3, 4, 5].map((number) => sign(number, heartbeat(number)));
    const first = await answers(sent);

    const suspected = await suspectedDuring(started, async () => {
      const again = await answers(Array.from({ length: 200 }, () => sent.toReversed()).flat());
      expect(new Set(again)).toEqual(new Set(['replay']));
    });

    expect(first).toEqual([202, 202, 202, 202, 202]);
    expect(suspected).toEqual([]);
    expect(allFollow()).toBe(true);
  });

  it('needs no signature for a heartbeat over TLS, in its own name and once', async () => {
    const { peer, other, answers } = await withPeer(closing);
    const unsigned = (by: Rank, number: number, body: Message) => ({
      from: peer.rank,
      message: { ...body, seal: { by, number } },
      stamp: null,
    });

    const first = await answers([unsigned(peer.rank, 1, heartbeat(1))]);
    const later = await answers([
      unsigned(peer.rank, 1, heartbeat(2)),
      unsigned(peer.rank, 2, ELECTION),
      unsigned(other.rank, 3, heartbeat(3)),
    ]);

    expect([...first, ...later]).toEqual([202, 'replay', 'malformed', 'sender']);
  });

  it('may send in any order, so that each message counts once, unless it is late by a window', async () => {
    const { sign, answers, allFollow } = await withPeer(closing);
    const shuffled = [7, 3, 9, 1, 5].map((number) => sign(number, heartbeat(number)));
    const far = sign(9 + NUMBERS_WINDOW, heartbeat(10));

    const counted = await answers(shuffled);
    const repeated = await answers(shuffled);
    const [ahead] = await answers([far]);
    const [behind, within] = await answers([sign(8, heartbeat(8)), sign(10, heartbeat(10))]);

    expect(counted).toEqual([202, 202, 202, 202, 202]);
    expect(repeated).toEqual(['replay', 'replay', 'replay', 'replay', 'replay']);
    expect([ahead, behind, within]).toEqual([202, 'replay', 202]);
    expect(allFollow()).toBe(true);
  });

  it('loses no message to the heartbeats that have overtaken it, however many numbers are between', async () => {
    const { sign, answers } = await withPeer(closing);

    const given = await answers([
      sign(2 * NUMBERS_WINDOW, heartbeat(1)),
      sign(1, ELECTION),
      sign(2, heartbeat(2)),
      sign(1, ELECTION),
    ]);

    expect(given).toEqual([202, 202, 'replay', 'replay']);
  });

  it('begins an election with each new question, which the leader wins, and with no old one', async () => {
    const { sign, answers, records, allFollow } = await withPeer(closing);
    const questions = [1, 2, 3].map((number) => sign(number, ELECTION));
    const received = () =>
      records.filter(({ event }) => event.type === 'deliver' && event.message.type === 'ELECTION');
    const before = received().length;

    const taken = await answers(questions);
    const refused = await answers(questions.toReversed());

    expect([taken, refused]).toEqual([
      [202, 202, 202],
      ['replay', 'replay', 'replay'],
    ]);
    // Those of the peer itself, and those that node 2 then asks node 3.
    const asked = received()
      .slice(before)
      .filter(({ event }) => 'from' in event && event.from === questions[0]?.from);
    expect(asked).toHaveLength(3);
    await expect.poll(allFollow, { timeout: 60_000 }).toBe(true);
  });

  it('has no message of an honest node refused by false stamps, which honest nodes pass on', async () => {
    const { sign, answers, target, other, records, allFollow } = await withPeer(closing);
    const most = Number.MAX_SAFE_INTEGER - 1;
    const invented = Array.from({ length: 256 }, (_, index) => [`f${index}`, most]);
    const clocks = [
      { [String(target.rank)]: 1_000_000 },
      { [String(other.rank)]: most },
      Object.fromEntries(invented),
    ];
    const asked = () =>
      records.filter(
        ({ event }) =>
          event.type === 'deliver' &&
          event.message.type === 'ELECTION' &&
          event.from === target.rank,
      ).length;

    const given = await answers(
      clocks.map((clock, index) => ({ ...sign(index + 1, ELECTION), stamp: { id: 0, clock } })),
    );
    const before = asked();

    expect(given).toEqual([202, 202, 202]);
    // Node 2 asks node 3, which takes its message, unless it has just asked it.
    let number = 3;
    const askAgain = async () => {
      number += 1;
      await answers([sign(number, ELECTION)]);
      return asked();
    };
    await expect.poll(askAgain, { timeout: 60_000, interval: 300 }).toBeGreaterThan(before);
    await expect.poll(allFollow, { timeout: 60_000 }).toBe(true);
  });

  it('is refused with a message that it has signed for another, and with a false form', async () => {
    const { sign, answers, other } = await withPeer(closing);

    const given = await answers([
      sign(1, ELECTION, other.rank),
      sign(3, { type: 'COORDINATOR', ...{ leader: 'no rank' } }),
      { ...sign(4, ELECTION), more: true },
    ]);

    expect(given).toEqual(['signature', 'malformed', 'malformed']);
  });

  it('is refused with the messages of an honest node, also those that it has really sent', async () => {
    const network = await withPeer(closing);
    const { answers, target } = network;
    const honest = { ...memberAt(network, 3), election: network.network.election };

    const given = await answers([signedFor(target.rank, 1, ELECTION, honest)]);

    expect(given).toEqual(['sender']);
  });

  it('is refused if it repeats its messages when the receiver has been killed and is back', async () => {
    const { made, network, target, agent, sign, answers } = await withPeer(closing);
    // Heartbeats are in no record of the log.
    const sent = [1, 2, 4].map((number) => sign(number, heartbeat(number)));
    const before = await answers(sent);
    closing.splice(closing.indexOf(target.close), 1);
    await target.close();
    agent.destroy();
    const index = network.ring.indexOf(2);
    const { key } = memberAt({ network, made }, 2);
    const settings = settingsFor(network, key, join(made.folder, `${index}.log`));
    const events = { onLeader: () => undefined, onRecord: () => undefined };
    const back = await startNode(settings, events, new AbortController().signal);
    closing.unshift(back.close);

    const again = await answers([...sent, sign(3, ELECTION), sign(5, ELECTION)]);

    expect(before).toEqual([202, 202, 202]);
    expect(again).toEqual(['replay', 'replay', 'replay', 'replay', 202]);
  });

  it('fills no log with a message of an unknown type', async () => {
    const { sign, answers, records } = await withPeer(closing);

    const given = await answers([
      sign(1, { type: 'UNKNOWN', ...{ more: 'x'.repeat(100_000) } }),
      sign(2, { ...ELECTION, ...{ more: 'x'.repeat(100_000) } }),
      sign(3, { type: 'UNKNOWN', ...{ more: 'x' } }),
    ]);

    const stored = records.flatMap(({ event }) =>
      event.type === 'deliver' && ['UNKNOWN', 'ELECTION'].includes(event.message.type)
        ? [event.message]
        : [],
    );
    expect(given).toEqual([202, 202, 202]);
    expect(stored).toContainEqual({ type: 'UNKNOWN' });
    expect(stored).toContainEqual({ type: 'UNKNOWN', more: 'x' });
    expect(JSON.stringify(stored).length).toBeLessThan(1_000);
  });

  it('is refused with a message of no stated length that becomes too long', async () => {
    const { target, agent } = await withPeer(closing);

    const body = '1'.repeat(MESSAGE_BYTES_MAX);
    const { status } = await post(target, body, { agent, isChunked: true });

    expect(status).toBe(413);
  });
});

describe('without TLS', () => {
  it('a message of an honest node that a stranger has seen is refused if it is sent again', async () => {
    const network = await startedNodes(closing, { scheme: 'http', honest: [2, 3] });
    const honest = { ...memberAt(network, 3), election: network.network.election };
    const target = network.nodes.find(({ rank }) => rank !== honest.rank);
    if (target === undefined) throw new Error('node 2 is missing');
    const agent = new PlainAgent({ keepAlive: true });

    // Its first message has this number, whatever it was.
    const seen = signedFor(target.rank, 1, ELECTION, honest);
    const { refusal } = await post(target, seen, { agent });

    agent.destroy();
    expect(refusal).toBe('replay');
  });

  it('a message that states another sender than its signer is refused', async () => {
    const { other, sign, answers } = await withPeer(closing, 'http');

    const given = await answers([{ ...sign(1, ELECTION), from: other.rank }, sign(1, ELECTION)]);

    expect(given).toEqual(['sender', 202]);
  });

  it('a heartbeat without a signature is refused', async () => {
    const { peer, answers } = await withPeer(closing, 'http');
    const message = { ...heartbeat(1), seal: { by: peer.rank, number: 1 } };

    const answered = await answers([{ from: peer.rank, message, stamp: null }]);

    expect(answered).toEqual(['malformed']);
  });
});
