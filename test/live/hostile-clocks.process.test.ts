/**
 * @module
 * Clocks that accompany messages and count what no node did. No signature protects them, and their names can be any.
 */

import { afterEach, expect, it } from 'vitest';
import type { Message, Rank } from '../../src/election/machine.ts';
import type { LiveClock } from '../../src/live/node-record.ts';
import { createLiveRecorder, storedClock } from '../../src/live/node-record.ts';
import { withPeer } from './hostile-peer.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A clock of which one name is a member of every object, and the others are of no node. */
function inventedClock(own: string): LiveClock {
  const invented = Array.from({ length: 200 }, (_, index) => [`${'x'.repeat(100)}${index}`, 1]);
  return JSON.parse(
    JSON.stringify({ ...Object.fromEntries(invented), constructor: 1, toString: 2, [own]: 3 }),
  );
}

it('a clock with invented names is taken, and only its counts of members are kept', async () => {
  const { network, peer, sign, answers, records } = await withPeer(closing, 'http');
  const stamped = (number: number) => ({
    ...sign(number, { type: 'ELECTION' }),
    stamp: { id: number, clock: inventedClock(String(peer.rank)) },
  });

  const given = await answers([stamped(1), stamped(2)]);

  expect(given).toEqual([202, 202]);
  const members = new Set(network.peers.map(({ rank }) => String(rank)));
  const clocks = records.map(({ clock }) => clock);
  expect(new Set(clocks.flatMap((clock) => Object.keys(clock)))).toEqual(members);
  expect(clocks.flatMap((clock) => Object.values(clock)).every(Number.isSafeInteger)).toBe(true);
});

it('the steps of a newcomer are counted as soon as the node knows it, and its own always', () => {
  const own = 'a1' as string as Rank;
  const names = new Set(['a1', 'b2']);
  const state = { sent: 0, clock: {} };
  const isMember = (name: string) => names.has(name);
  const recorder = createLiveRecorder(own, state, { now: () => 0, isMember });
  const machine = recorder.around({ init: () => ({}), step: () => undefined });
  const receive = () => {
    recorder.receiving({ id: 0, clock: { b2: 4, c3: 5 } });
    const message: Message = { type: 'OK' };
    const event = { type: 'deliver', from: 'b2' as string as Rank, message } as const;
    // The machine does nothing.
    machine.step({} as never, {}, event, {} as never);
  };

  receive();
  const before = state.clock;
  names.add('c3');
  receive();

  expect(before).toEqual({ a1: 1, b2: 4 });
  expect(state.clock).toEqual({ a1: 2, b2: 4, c3: 5 });
});

it('a stored clock loses the entries that are no counts, and what is no clock is refused', () => {
  const stored = JSON.parse('{"a1":7,"constructor":null,"b2":-1,"c3":0.5,"d4":"1"}');

  expect(storedClock(stored)).toEqual({ a1: 7 });
  expect([storedClock(null), storedClock([1]), storedClock(3)]).toEqual([null, null, null]);
});
