/**
 * @module
 * The history of an election as the browser keeps it: what the columns say of events and messages, the nodes at any
 * moment, and the size of it all.
 */

import { describe, expect, it } from 'vitest';

import { groupsOf, marksOf, slotsOf } from '../../../server/web/elections/layout/groups.ts';
import { TRAVELLING_MAX, travellingAt } from '../../../server/web/elections/layout/travel.ts';
import { Details, Moments } from '../../../server/web/elections/timeline/moment.ts';
import type { ElectionEvent } from '../../../server/web/elections/timeline/timeline.ts';
import { Timeline } from '../../../server/web/elections/timeline/timeline.ts';
import { parseSeed } from '../../../src/random.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { TraceReader } from '../../../src/simulation/trace/events.ts';

type Given = Partial<ElectionEvent> & Pick<ElectionEvent, 'event' | 'action'>;

function eventsOf(given: readonly Given[]): ElectionEvent[] {
  return given.map((event, seq) => ({
    ...{ v: 1, election: 'e_1', seq, t: seq, node: null, effects: [] },
    ...event,
  }));
}

function timelineOf(given: readonly Given[]): Timeline {
  const timeline = new Timeline();
  for (const event of eventsOf(given)) timeline.add(event);
  return timeline;
}

const send = (id: number, to: number, type = 'PROBE') => ({
  ...{ type: 'send', id, to },
  message: { type },
});
const START = { event: 'node.started', action: { type: 'start', node: 1 }, node: 1 };
const deliver = (message: number, node: number): Given => ({
  ...{ event: 'message.delivered', action: { type: 'deliver', message }, node, from: 1 },
});

describe('Timeline', () => {
  it('knows where a message was sent and where it arrived', () => {
    const timeline = timelineOf([{ ...START, effects: [send(0, 2), send(1, 3)] }, deliver(1, 3)]);

    expect(timeline.message(1)).toEqual({
      ...{ id: 1, from: 1, to: 3, type: 0, sent: 0, ended: 1, fate: 'delivered' },
    });
    expect(timeline.message(0)).toMatchObject({ ended: null, fate: 'in flight' });
    expect(timeline.sentBy(0)).toEqual([0, 2]);
    expect(timeline.sentBy(1)).toEqual([2, 2]);
  });

  it.each([
    ['lost', { event: 'message.dropped', action: { type: 'drop', message: 0 } }],
    [
      'recipient down',
      { event: 'message.dropped', action: { type: 'deliver', message: 0 }, dropped: true },
    ],
    ['refused', { ...deliver(0, 2), refused: 'signature' }],
  ] as const)('says that a message is %s', (fate, event) => {
    const timeline = timelineOf([{ ...START, effects: [send(0, 2)] }, event]);

    expect(timeline.message(0).fate).toBe(fate);
  });

  it('numbers copies from -1, and leaves the original in flight', () => {
    const timeline = timelineOf([
      { ...START, effects: [send(0, 2)] },
      { event: 'message.duplicated', action: { type: 'duplicate', message: 0 } },
      deliver(-1, 2),
    ]);

    expect(timeline.message(1)).toMatchObject({ id: -1, from: 1, to: 2, ended: 2 });
    expect(timeline.message(0).fate).toBe('in flight');
  });

  it('ignores an event that it has, and messages that an outline left out', () => {
    const timeline = timelineOf([{ ...START, effects: [send(5, 2)] }, deliver(3, 2)]);
    for (const event of eventsOf([START])) timeline.add(event);

    expect(timeline.length).toBe(2);
    expect(timeline.messageWith(5)).toBe(0);
    expect(timeline.messageWith(3)).toBeNull();
    expect(timeline.event(1).message).toBeNull();
  });

  it('agrees with the trace of a simulation about every message', () => {
    const latency = { type: 'uniform', ticksMin: 1, ticksMax: 9 } as const;
    const plan = { protocol: 'bully-oneshot', nodes: 6, seed: parseSeed('3'), latency } as const;
    const simulation = createSimulation({ ...plan, trace: true });
    simulation.start();
    simulation.advance({ until: 'idle' });
    const reader = new TraceReader();
    const timeline = new Timeline();
    for (const record of simulation.takeRecords()) {
      const { node, flight, made } = reader.read(record);
      const { seq, t, action } = record;
      const effects = record.effects.map((effect) => ({ ...effect }));
      const event = action.type === 'deliver' ? 'message.delivered' : action.type;
      timeline.add({ v: 1, election: 'e_1', seq, t, event, action, node, effects });

      const [first, next] = timeline.sentBy(seq);
      expect(made.map(({ id }) => id)).toEqual(
        Array.from({ length: next - first }, (_, index) => timeline.message(first + index).id),
      );
      if (flight === null) continue;
      const index = timeline.messageWith(flight.id);
      expect(timeline.message(index ?? -1)).toMatchObject({ from: flight.from, ended: seq });
    }

    expect(timeline.length).toBeGreaterThan(30);
  });

  it('takes at most 50 bytes for each event of a long election', () => {
    const timeline = new Timeline();
    const count = 300_000;
    for (let seq = 0; seq < count; seq += 1) {
      const effects = [send(seq, 2)];
      const event = seq === 0 ? START : deliver(seq - 1, 2);
      for (const each of eventsOf([{ ...event, effects }])) timeline.add({ ...each, seq, t: seq });
    }

    expect(timeline.bytes / count).toBeLessThan(50);
  });
});

describe('Moments', () => {
  const elect = (leader: number) => ({ type: 'elect', leader, epoch: 0 });

  it('has each node as it was then', () => {
    const timeline = timelineOf([
      { ...START, effects: [elect(1)] },
      { event: 'node.crashed', action: { type: 'crash', node: 1 }, node: 1 },
      { event: 'node.recovered', action: { type: 'recover', node: 2 }, node: 2 },
    ]);
    const moments = new Moments(timeline, 2, [2]);

    expect(moments.at(1)[1]).toEqual({ isUp: true, isPaused: false, follows: 1 });
    expect(moments.at(2)[1]).toEqual({ isUp: false, isPaused: false, follows: 0 });
    expect(moments.at(2)[2]?.isUp).toBe(false);
    expect(moments.at(3)[2]?.isUp).toBe(true);
  });

  it('is the same with checkpoints as without', () => {
    const given = Array.from({ length: 10_000 }, (_, seq) => ({
      ...{ event: 'timer.fired', action: { type: 'timeout', node: 1 + (seq % 3) } },
      ...{ node: 1 + (seq % 3), effects: [elect(1 + (seq % 5))] },
    }));
    const timeline = timelineOf(given);
    const moments = new Moments(timeline, 3, []);
    moments.at(10_000);

    for (const count of [0, 1, 4_095, 4_096, 4_097, 9_999]) {
      const follows = moments.at(count).map((node) => node.follows);
      const expected = [1, 2, 3].map((node) => {
        const last = given.slice(0, count).findLast((event) => event.node === node);
        return last?.effects[0]?.leader ?? 0;
      });
      expect(follows.slice(1), `after ${count} events`).toEqual(expected);
    }
  });
});

describe('Details', () => {
  it('keeps the newest events and forgets the oldest', () => {
    const details = new Details(100_000);
    for (const event of eventsOf(Array.from({ length: 3_000 }, () => START))) details.add(event);

    expect(details.event(2_999)?.seq).toBe(2_999);
    expect(details.event(2_800)?.seq).toBe(2_800);
    expect(details.event(0)).toBeNull();
    expect(details.event(3_000)).toBeNull();
  });
});

describe('groupsOf', () => {
  const ranks = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  it.each([
    [60, 60],
    [61, 31],
    [500, 50],
  ])('draws %i nodes as %i', (count, groups) => {
    expect(groupsOf(ranks(count), null)).toHaveLength(groups);
  });

  it('has a slot for each node and for the store', () => {
    const slots = slotsOf(groupsOf(ranks(100), 101));

    expect([slots[1], slots[2], slots[3], slots[100], slots[101]]).toEqual([0, 0, 1, 49, 50]);
  });
});

describe('marksOf', () => {
  it('gives each type other letters', () => {
    const types = ['ELECTION', 'ECHO', 'OK', 'ok', 'VOTE', 'VOTE-REPLY', 'E', '<b>'];
    const letters = marksOf(types).map((mark) => mark.letters);

    expect(letters.slice(0, 3)).toEqual(['E', 'Ec', 'O']);
    expect(new Set(letters).size).toBe(types.length);
  });
});

describe('the messages in the picture', () => {
  const slots = slotsOf(groupsOf([1, 2, 3], null));
  const timeline = timelineOf([
    { ...START, effects: [send(0, 2), send(1, 3, 'OK')] },
    deliver(0, 2),
    { ...deliver(1, 3), refused: 'signature' },
  ]);
  const at = (position: number) =>
    travellingAt(timeline, position, slots).map(({ message, way, fate }) => [message, way, fate]);

  it('leave with the event that sends them, arrive in that in which they end, and are gone then', () => {
    expect(at(0)).toEqual([]);
    expect(at(1)).toEqual([
      [1, 1 / 3, 'in flight'],
      [0, 1 / 2, 'in flight'],
    ]);
    expect(at(2)).toEqual([
      [1, 2 / 3, 'in flight'],
      [0, 1, 'delivered'],
    ]);
    expect(at(3)).toEqual([[1, 1, 'refused']]);
  });

  it('are between the places of their nodes, and not within a group', () => {
    expect(travellingAt(timeline, 1, slots)).toMatchObject([
      { from: 0, to: 2, type: 1 },
      { from: 0, to: 1, type: 0 },
    ]);
    expect(travellingAt(timeline, 1, Int32Array.from([-1, 0, 0, 1]))).toHaveLength(1);
  });

  it('come nearer with each event while their end is not known, and do not arrive', () => {
    const waiting = timelineOf([
      { ...START, effects: [send(0, 2)] },
      ...Array.from({ length: 9 }, () => START),
    ]);
    const travelled = [1, 2, 5, 10].map(
      (position) => travellingAt(waiting, position, slots)[0]?.way,
    );

    expect(travelled).toEqual(travelled.toSorted((one = 0, other = 0) => one - other));
    expect(travelled.at(-1)).toBeLessThan(1);
  });

  it('are the newest if they are too many', () => {
    const sends = Array.from({ length: TRAVELLING_MAX + 5 }, (_, id) => send(id, 2));
    const shown = travellingAt(timelineOf([{ ...START, effects: sends }]), 1, slots);

    expect(shown).toHaveLength(TRAVELLING_MAX);
    expect(shown[0]?.message).toBe(TRAVELLING_MAX + 4);
  });
});
