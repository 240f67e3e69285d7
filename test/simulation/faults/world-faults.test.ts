/**
 * @module
 * The reference semantics of faults: copies, pauses and newcomers as actions on a world.
 */

import { describe, expect, it } from 'vitest';

import { createCast } from '../../../src/election/world/cast.ts';
import { castWithout } from '../../../src/election/world/membership.ts';
import type { Action } from '../../../src/election/world/world.ts';
import { apply, createWorld, enabled } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import { countLinks } from '../link-counts.ts';

const RING = createCast({
  protocol: 'cr-join',
  timing: { latencyTicksMax: 1 },
  ring: [1, 4, 2, 3],
  crashedBefore: [],
});

function worldAfter(world: World, ...actions: readonly Action[]): World {
  return actions.reduce((next, action) => apply(RING, next, action), world);
}

const STARTED = worldAfter(createWorld(RING, []), { type: 'start', node: 1 });

describe('a copied message', () => {
  it('is in flight twice under ids of its own, and accounted for', () => {
    const copied = worldAfter(
      STARTED,
      { type: 'duplicate', message: 0 },
      { type: 'duplicate', message: -1 },
    );
    const { sent, duplicated, delivered, dropped, inFlight } = worldAfter(
      copied,
      { type: 'deliver', message: -2 },
      { type: 'drop', message: 0 },
    );

    expect(copied.inFlight.map(({ id }) => id)).toEqual([0, -1, -2]);
    expect(sent + duplicated).toBe(delivered + dropped + inFlight.length);
    expect(() => worldAfter(STARTED, { type: 'duplicate', message: 7 })).toThrow(RangeError);
  });
});

describe('a paused node', () => {
  const paused = worldAfter(STARTED, { type: 'pause', node: 4 });

  it('has nothing enabled until it resumes', () => {
    expect(enabled(paused, 'asynchronous')).toEqual([]);
    expect(() => worldAfter(paused, { type: 'deliver', message: 0 })).toThrow(RangeError);
    expect(() => worldAfter(paused, { type: 'start', node: 4 })).toThrow(RangeError);
    expect(enabled(worldAfter(paused, { type: 'resume', node: 4 }), 'synchronous')).toEqual([
      { type: 'deliver', message: 0 },
    ]);
  });

  it('is up, and a crash ends its pause', () => {
    const crashed = worldAfter(paused, { type: 'crash', node: 4 });

    expect(paused.nodes[3]?.up).toBe(true);
    expect(crashed.paused).toEqual([]);
    expect(() => worldAfter(crashed, { type: 'pause', node: 4 })).toThrow(RangeError);
    expect(() => worldAfter(STARTED, { type: 'resume', node: 4 })).toThrow(RangeError);
  });
});

describe('a newcomer', () => {
  const without = createWorld(RING, [], [4]);

  it('is unknown to everybody before it enters', () => {
    const { selfOf } = castWithout(RING, [4]);

    expect(selfOf(1)).toMatchObject({ members: [1, 2, 3], successors: [2] });
    expect(selfOf(2).predecessor).toBe(1);
    expect(worldAfter(without, { type: 'start', node: 1 }).inFlight[0]?.to).toBe(2);
  });

  it('has its place in the ring from then on', () => {
    const entered = worldAfter(without, { type: 'enter', node: 4 }, { type: 'start', node: 1 });

    expect(entered.inFlight[0]?.to).toBe(4);
    expect(() => worldAfter(entered, { type: 'enter', node: 4 })).toThrow(RangeError);
    expect(() => worldAfter(without, { type: 'recover', node: 4, amnesia: true })).toThrow(
      RangeError,
    );
  });

  it('alone in its ring is its own neighbour', () => {
    expect(castWithout(RING, [1, 2, 3]).selfOf(4)).toMatchObject({
      ...{ members: [4], successors: [4], predecessor: 4 },
    });
  });
});

describe('countLinks', () => {
  it('refuses a trace in which a message arrives twice', () => {
    const record = { seq: 0, t: 0, action: { type: 'deliver', message: 0 }, effects: [] } as const;

    expect(() => countLinks([record])).toThrow(RangeError);
  });
});
