/**
 * @module
 * The reference semantics, action by action, on protocols and on a machine made for the purpose.
 */

import { describe, expect, it } from 'vitest';
import type { AnyMachine } from '../../src/election/definition/protocol.ts';
import type { Json } from '../../src/election/machine.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { createCast, toRank } from '../../src/election/world/cast.ts';
import type { Action } from '../../src/election/world/world.ts';
import { apply, applyTraced, createWorld, enabled } from '../../src/election/world/world.ts';
import type { World } from '../../src/election/world/world-state.ts';

function castOf(protocol: ProtocolName, nodes: number, machine?: AnyMachine) {
  const ring = Array.from({ length: nodes }, (_, index) => index + 1);
  const options = { protocol, timing: { latencyTicksMax: 1 }, ring, crashedBefore: [] };
  return createCast(options, machine && (() => machine));
}

const BULLY = castOf('bully-oneshot', 3);

function worldAfter(actions: readonly Action[], cast = BULLY): World {
  return actions.reduce((world, action) => apply(cast, world, action), createWorld(cast, []));
}

function leadersOf(world: World): (number | null)[] {
  return world.nodes.map(({ leader }) => leader);
}

/** Counts its starts on disk, forgets nothing, and keeps a heartbeat. */
const DIARIST: AnyMachine = {
  init: () => ({ starts: 0, recalled: null }),
  step(_self, state, event, effects) {
    const diary = state as { starts: number; recalled: Json }; // What init above returns.
    if (event.type === 'start') {
      diary.starts += 1;
      effects.persist(diary);
      effects.setTimer('heartbeat', 2, true);
      effects.setTimer('once', 5, false);
    }
    if (event.type === 'recover') diary.recalled = event.persisted;
    if (event.type === 'request') effects.choose(2);
  },
};

describe('a world', () => {
  it('starts at rest, without leaders', () => {
    const world = createWorld(BULLY, []);

    expect(enabled(world, 'asynchronous')).toEqual([]);
    expect(leadersOf(world)).toEqual([null, null, null]);
  });

  it('remembers the highest of those who died before, and has them down', () => {
    const cast = createCast({
      protocol: 'bully-oneshot',
      timing: { latencyTicksMax: 1 },
      ring: [1, 2, 3, 4],
      crashedBefore: [2, 4],
    });

    const world = createWorld(cast, [2, 4]);

    expect(world.nodes.map(({ up }) => up)).toEqual([true, false, true, false]);
    expect(leadersOf(world)).toEqual([4, null, 4, null]);
  });

  it('is JSON', () => {
    const world = worldAfter([
      { type: 'start', node: 1 },
      { type: 'deliver', message: 0 },
    ]);

    expect(JSON.parse(JSON.stringify(world))).toEqual(world);
  });

  it('is left untouched by what is applied to it', () => {
    const world = worldAfter([{ type: 'start', node: 1 }]);
    const before = structuredClone(world);

    for (const action of enabled(world, 'asynchronous')) apply(BULLY, world, action);
    apply(BULLY, world, { type: 'crash', node: 1 });

    expect(world).toEqual(before);
  });

  it('reaches the same end from a saved middle', () => {
    const middle = worldAfter([{ type: 'start', node: 2 }]);
    const saved: World = JSON.parse(JSON.stringify(middle));

    const action: Action = { type: 'deliver', message: 0 };

    expect(applyTraced(BULLY, saved, action)).toEqual(applyTraced(BULLY, middle, action));
  });
});

describe('enabled', () => {
  it('lists deliveries in send order, then timers', () => {
    const world = worldAfter([{ type: 'start', node: 1 }]);

    expect(enabled(world, 'asynchronous')).toEqual([
      { type: 'deliver', message: 0 },
      { type: 'deliver', message: 1 },
      { type: 'timeout', node: 1, timer: 'answer' },
    ]);
  });

  it('holds timers back under synchronous timing until nothing is in flight', () => {
    const asked = worldAfter([{ type: 'start', node: 1 }]);
    const lost = [0, 1].map((message): Action => ({ type: 'drop', message }));
    const silent = lost.reduce((world, action) => apply(BULLY, world, action), asked);

    expect(enabled(asked, 'synchronous')).not.toContainEqual(
      expect.objectContaining({ type: 'timeout' }),
    );
    expect(enabled(silent, 'synchronous')).toEqual([{ type: 'timeout', node: 1, timer: 'answer' }]);
  });

  it('lists a timer of 0 ticks before the others under synchronous timing', () => {
    const asked = worldAfter([
      { type: 'start', node: 1 },
      { type: 'drop', message: 0 },
      { type: 'deliver', message: 1 },
      { type: 'drop', message: 2 },
    ]);

    expect(enabled(asked, 'synchronous')).toEqual([
      { type: 'timeout', node: 3, timer: 'announce' },
    ]);
    expect(enabled(asked, 'asynchronous')).toEqual([
      { type: 'timeout', node: 1, timer: 'answer' },
      { type: 'timeout', node: 3, timer: 'announce' },
    ]);
  });
});

describe('apply', () => {
  it('describes the effects of a delivery in order', () => {
    const world = worldAfter([{ type: 'start', node: 1 }]);

    const { effects } = applyTraced(BULLY, world, { type: 'deliver', message: 0 });

    expect(effects).toEqual([
      { type: 'send', id: 2, to: toRank(1), message: { type: 'OK' } },
      { type: 'send', id: 3, to: toRank(3), message: { type: 'ELECTION' } },
      { type: 'set-timer', timer: 'answer', ticks: 3, periodic: false },
    ]);
  });

  it('accounts for every message that was sent', () => {
    const world = worldAfter([
      { type: 'start', node: 1 },
      { type: 'deliver', message: 0 },
      { type: 'drop', message: 1 },
    ]);

    const { sent, delivered, dropped, inFlight, sentByType } = world;

    expect({ sent, delivered, dropped, inFlight: inFlight.length }).toEqual({
      sent: 4,
      delivered: 1,
      dropped: 1,
      inFlight: 2,
    });
    expect(sentByType).toEqual({ ELECTION: 3, OK: 1 });
  });

  it('drops what reaches a node that is down', () => {
    const world = worldAfter([
      { type: 'start', node: 2 },
      { type: 'crash', node: 3 },
      { type: 'deliver', message: 0 },
    ]);

    expect(world.dropped).toBe(1);
    expect(world.nodes[2]).toMatchObject({ up: false, state: null, leader: null });
  });

  it('takes a crashed node its state and its timers, but not its disk', () => {
    const cast = castOf('cr-join', 1, DIARIST);

    const world = worldAfter(
      [
        { type: 'start', node: 1 },
        { type: 'crash', node: 1 },
      ],
      cast,
    );

    expect(world.nodes[0]).toEqual({
      up: false,
      state: null,
      timers: [],
      persisted: { starts: 1, recalled: null },
      leader: null,
    });
  });

  it.each([
    { amnesia: false, recalled: { starts: 1, recalled: null } },
    { amnesia: true, recalled: null },
  ])('gives a returning node its disk unless it has amnesia ($amnesia)', (row) => {
    const world = worldAfter(
      [
        { type: 'start', node: 1 },
        { type: 'crash', node: 1 },
        { type: 'recover', node: 1, amnesia: row.amnesia },
      ],
      castOf('cr-join', 1, DIARIST),
    );

    expect(world.nodes[0]?.state).toEqual({ starts: 0, recalled: row.recalled });
  });

  it('fires a timer once, a periodic one again and again', () => {
    const world = worldAfter(
      [
        { type: 'start', node: 1 },
        { type: 'timeout', node: 1, timer: 'once' },
        { type: 'timeout', node: 1, timer: 'heartbeat' },
      ],
      castOf('cr-join', 1, DIARIST),
    );

    expect(world.nodes[0]?.timers).toEqual([{ timer: 'heartbeat', ticks: 2, periodic: true }]);
  });

  it.each<{ action: Action; fault: string }>([
    { action: { type: 'deliver', message: 9 }, fault: '"message" expected one in flight, got 9' },
    { action: { type: 'drop', message: 9 }, fault: '"message" expected one in flight, got 9' },
    { action: { type: 'start', node: 4 }, fault: '"node" expected one that is up, got 4' },
    {
      action: { type: 'recover', node: 1, amnesia: false },
      fault: '"node" expected one that is down, got 1',
    },
    {
      action: { type: 'timeout', node: 1, timer: 'answer' },
      fault: '"timer" expected one that node 1 set, got answer',
    },
    {
      action: { type: 'suspect', node: 1, about: 4 },
      fault: '"rank" expected a member, got 4',
    },
  ])('refuses what cannot happen: $action.type', ({ action, fault }) => {
    const world = createWorld(BULLY, []);

    expect(() => apply(BULLY, world, action)).toThrow(new RangeError(fault));
  });
});

describe('asynchronous timing', () => {
  it('lets a Bully node lead beside a live higher one, which synchronous timing forbids', () => {
    const world = worldAfter([
      { type: 'start', node: 3 },
      { type: 'start', node: 2 },
      { type: 'timeout', node: 2, timer: 'answer' },
    ]);

    expect(leadersOf(world)).toEqual([null, 2, 3]);
  });
});
