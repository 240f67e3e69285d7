/**
 * @module
 * The events of running nodes: a message is sent before it arrives, whatever the order of the reports, and ranks are the
 * numbers of nodes.
 */

import { describe, expect, it } from 'vitest';
import type { Rank } from '../../src/election/machine.ts';
import { LiveEvents } from '../../src/live/cluster/live-events.ts';
import type { LiveEvent, LiveRecord } from '../../src/live/node-record.ts';

const RANKS = ['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(64)].map(
  (rank) => rank as string as Rank,
);
const [LOW, HIGH, NEW] = RANKS as [Rank, Rank, Rank]; // There are three.
const START_MS = 1_000;

interface Nodes {
  readonly byzantine?: readonly number[];
  readonly down?: readonly number[];
}

function eventsOf({ byzantine = [], down = [] }: Nodes = {}) {
  return new LiveEvents(
    2,
    {
      numberOf: (rank) => RANKS.findIndex((each) => each === rank) + 1 || undefined,
      reaches: (_from, to) => !down.includes(to),
      behavioursOf: (node) => (byzantine.includes(node) ? ['spoof-coordinator'] : []),
    },
    START_MS,
  );
}

function record(t: number, event: LiveEvent, effects: LiveRecord['effects'] = []): LiveRecord {
  return { t: START_MS + t, event, effects, clock: {} };
}

const MESSAGE = { type: 'COORDINATOR', leader: HIGH };
const SENDING = record(5, { type: 'start' }, [
  { type: 'elect', leader: HIGH, epoch: 0 },
  { type: 'send', id: 7, to: LOW, message: MESSAGE },
  { type: 'set-timer', timer: `lease:${HIGH}`, ticks: 9, periodic: false },
]);
const RECEIVING = record(4, { type: 'deliver', from: HIGH, id: 7, message: MESSAGE });

describe('the events of live nodes', () => {
  it('have a message sent before it arrives, if the arrival is reported first', () => {
    const events = eventsOf();

    events.note(1, RECEIVING, 0);
    const early = events.take(1);
    events.note(2, SENDING, 2);

    expect(early).toEqual([]);
    expect(events.take(3)).toEqual([
      {
        ...{ seq: 0, t: 5, action: { type: 'start', node: 2 }, node: 2 },
        effects: [
          { type: 'elect', leader: 2, epoch: 0 },
          { type: 'send', id: 0, to: 1, message: { type: 'COORDINATOR', leader: 2 } },
          { type: 'set-timer', timer: 'lease:2', ticks: 9, periodic: false },
        ],
      },
      { seq: 1, t: 5, action: { type: 'deliver', message: 0 }, node: 1, from: 2, effects: [] },
    ]);
  });

  it.each<readonly [string, readonly number[], number]>([
    ['of which the sender has reported nothing for a time', [], 500],
    ['of a Byzantine node', [2], 0],
  ])('have a message sent when it arrives, %s', (_which, byzantine, waitMs) => {
    const events = eventsOf({ byzantine });

    events.note(1, RECEIVING, 0);
    const taken = events.take(waitMs);

    expect(taken.map(({ action }) => action.type)).toEqual(['inject', 'deliver']);
    expect(taken[0]).toMatchObject({ node: 2, effects: [{ type: 'send', id: 0, to: 1 }] });
  });

  it('have a message that a Byzantine node receives, without what the node does', () => {
    const events = eventsOf({ byzantine: [1] });
    const reacting: LiveRecord = {
      ...RECEIVING,
      t: START_MS + 6,
      effects: [{ type: 'step-down' }],
    };

    events.note(2, SENDING, 0);
    events.note(1, reacting, 0);
    events.note(1, reacting, 0);

    const taken = events.take(1_000);
    expect(taken.map(({ action }) => action.type)).toEqual(['start', 'deliver']);
    expect(taken[1]).toMatchObject({ node: 1, from: 2, effects: [] });
  });

  it('have a forged message without a wait for the record of the node that it names', () => {
    const events = eventsOf();
    const forged = { type: 'deliver', from: HIGH, id: -1, message: MESSAGE } as const;

    events.note(1, record(4, forged), 0);

    expect(events.take(0).map(({ action }) => action.type)).toEqual(['inject', 'deliver']);
  });

  it('have one crash of a node that is killed, although its log has it again after the return', () => {
    const events = eventsOf();
    events.note(1, record(1, { type: 'start' }, [{ type: 'persist', fields: { term: 1 } }]), 0);
    events.take(0);

    events.noteDisturbance({ type: 'end', node: 1, t: START_MS + 10 });
    events.noteDisturbance({ type: 'end', node: 1, t: START_MS + 11 });
    events.note(1, record(20, { type: 'crash' }), 0);
    events.note(1, record(21, { type: 'recover', persisted: null }), 0);

    expect(events.take(0).map(({ action, t }) => [action, t])).toEqual([
      [{ type: 'crash', node: 1 }, 10],
      [{ type: 'recover', node: 1, amnesia: true }, 21],
    ]);
  });

  it('have the pauses and partitions of the controller', () => {
    const events = eventsOf();
    const sides = [[1], [2]];

    events.noteDisturbance({ type: 'pause', node: 1, t: START_MS + 3 });
    events.noteDisturbance({ type: 'resume', node: 1, t: START_MS + 4 });
    events.noteDisturbance({ type: 'partition', sides, t: START_MS + 5 });
    events.noteDisturbance({ type: 'heal', t: START_MS + 6 });

    expect(events.take(0).map(({ action, t, node }) => [action, t, node])).toEqual([
      [{ type: 'pause', node: 1 }, 3, 1],
      [{ type: 'resume', node: 1 }, 4, 1],
      [{ type: 'partition', sides }, 5, null],
      [{ type: 'heal' }, 6, null],
    ]);
  });

  it('have a message to a node that is down lost', () => {
    const events = eventsOf({ down: [1] });

    events.note(2, SENDING, 0);

    expect(events.take(0).map(({ action, node }) => [action, node])).toEqual([
      [{ type: 'start', node: 2 }, 2],
      [{ type: 'drop', message: 0 }, null],
    ]);
  });

  it('have a newcomer enter with the first record that concerns it', () => {
    const events = eventsOf();

    events.note(1, record(1, { type: 'join', node: NEW }), 0);
    events.note(3, record(2, { type: 'start' }), 0);

    expect(events.take(0).map(({ action }) => action)).toEqual([
      { type: 'enter', node: 3 },
      { type: 'join', node: 1, about: 3 },
      { type: 'start', node: 3 },
    ]);
  });
});
