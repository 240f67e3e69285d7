/**
 * @module
 * What a machine asks a driver to choose: in the reference semantics any value may fall, and nothing
 * else happens before it has; in the simulator the seed decides.
 */

import { describe, expect, it } from 'vitest';

import type { Cast } from '../../src/election/world/cast.ts';
import { createCast } from '../../src/election/world/cast.ts';
import type { Action } from '../../src/election/world/world.ts';
import { apply, applyTraced, createWorld, enabled } from '../../src/election/world/world.ts';
import type { World } from '../../src/election/world/world-state.ts';
import { parseSeed } from '../../src/random.ts';
import { createChoices } from '../../src/simulation/engine/engine-options.ts';
import { sum } from '../simulation/ring/rings.ts';

const CAST: Cast = createCast({
  protocol: 'itai-rodeh',
  timing: { latencyTicksMax: 1 },
  ring: [1, 2, 3],
  crashedBefore: [],
});

function worldAfter(actions: readonly Action[]): World {
  return actions.reduce((world, action) => apply(CAST, world, action), createWorld(CAST, []));
}

describe('a choice in a world', () => {
  it('is one action for each value, the first that asked first, and alone', () => {
    const world = worldAfter([
      { type: 'start', node: 1 },
      { type: 'choose', node: 1, value: 0 },
      { type: 'start', node: 3 },
      { type: 'start', node: 2 },
    ]);

    expect(world.inFlight.length).toBe(1);
    expect(enabled(world, 'asynchronous')).toEqual([
      { type: 'choose', node: 3, value: 0 },
      { type: 'choose', node: 3, value: 1 },
      { type: 'choose', node: 3, value: 2 },
    ]);
  });

  it('is sent to the node that asked, with its effects', () => {
    const asked = worldAfter([{ type: 'start', node: 2 }]);

    const { world, effects } = applyTraced(CAST, asked, { type: 'choose', node: 2, value: 1 });

    expect(world.choices).toEqual([]);
    expect(effects).toEqual([
      {
        type: 'send',
        id: 0,
        to: 3,
        message: { type: 'TOKEN', round: 1, id: 1, hops: 1, unique: true },
      },
    ]);
    expect(asked.choices).toEqual([{ node: 2, below: 3 }]);
  });

  it('is forgotten with the node that asked', () => {
    const world = worldAfter([
      { type: 'start', node: 2 },
      { type: 'crash', node: 2 },
    ]);

    expect(world.choices).toEqual([]);
    expect(enabled(world, 'asynchronous')).toEqual([]);
  });

  it.each([
    { value: 3, node: 2, wanted: '0..2' },
    { value: -1, node: 2, wanted: '0..2' },
    { value: 0.5, node: 2, wanted: '0..2' },
    { value: 0, node: 1, wanted: 'no choice' },
  ])('refuses $value at node $node', ({ value, node, wanted }) => {
    const world = worldAfter([{ type: 'start', node: 2 }]);

    expect(() => apply(CAST, world, { type: 'choose', node, value })).toThrow(
      new RangeError(`"value" expected ${wanted} at node ${node}, got ${value}`),
    );
  });

  it('leads to every end that three nodes can choose: who is highest alone leads', () => {
    const ends: Record<string, number> = {};
    for (const ids of allIds()) {
      const choices = ids.flatMap((value, index): Action[] => [
        { type: 'start', node: index + 1 },
        { type: 'choose', node: index + 1, value },
      ]);

      const leader = leaderAfterRound(worldAfter(choices));

      const highest = Math.max(...ids);
      const isAlone = ids.filter((id) => id === highest).length === 1;
      expect(leader, `${ids}`).toBe(isAlone ? ids.indexOf(highest) + 1 : null);
      ends[`${leader}`] = (ends[`${leader}`] ?? 0) + 1;
    }

    // 15 of 27: 5/9, as summed over k by 3·(1/3)·(k/3)².
    expect(ends).toEqual({ 1: 5, 2: 5, 3: 5, null: 12 });
  });
});

describe('the choices of a seed', () => {
  it('are one stream for each node, whichever other nodes choose', () => {
    const alone = createChoices(parseSeed('1'));
    const among = createChoices(parseSeed('1'));

    const own = Array.from({ length: 20 }, () => alone(2, 100));
    const mixed = Array.from({ length: 20 }, () => {
      among(1, 100);
      return among(2, 100);
    });

    expect(mixed).toEqual(own);
  });

  it('are uniform', () => {
    const choices = createChoices(parseSeed('1'));
    const draws = Array.from({ length: 3000 }, () => choices(1, 3));

    expect(Math.abs(sum(draws) - 3000)).toBeLessThan(4 * Math.sqrt(3000 * (2 / 3)));
    expect(new Set(draws).size).toBe(3);
  });
});

/** Every triple of IDs 0..2. */
function allIds(): number[][] {
  const values = [0, 1, 2];
  return values.flatMap((one) => values.flatMap((two) => values.map((three) => [one, two, three])));
}

/** Delivers in order until somebody leads or wants to choose again. */
function leaderAfterRound(start: World): number | null {
  let world = start;
  for (;;) {
    const [next] = enabled(world, 'asynchronous');
    const leaders = world.nodes.flatMap(({ leader }) => leader ?? []);
    if (next === undefined || next.type === 'choose') return leaders[0] ?? null;
    world = apply(CAST, world, next);
  }
}
