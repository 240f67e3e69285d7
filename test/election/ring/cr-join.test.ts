/**
 * @module
 * Chang and Roberts' ring without time: under any schedule whatever, not only those that latencies
 * can make.
 */

import { describe, expect, it } from 'vitest';

import type { Cast } from '../../../src/election/world/cast.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import type { Action } from '../../../src/election/world/world.ts';
import { apply, createWorld, enabled } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import type { Random } from '../../../src/random.ts';
import { createRandom, shuffled } from '../../../src/random.ts';
import { probeHops, SEED, sum } from '../../simulation/ring/rings.ts';

const RUNS = 1000;

function castOf(ring: readonly number[]): Cast {
  return createCast({
    protocol: 'cr-join',
    timing: { latencyTicksMax: 1 },
    ring,
    crashedBefore: [],
  });
}

function startAll(cast: Cast): World {
  let world = createWorld(cast, []);
  for (let node = 1; node <= cast.nodes; node += 1)
    world = apply(cast, world, { type: 'start', node });
  return world;
}

/** What a FIFO network may deliver next: the oldest message of each link. */
function fifoDeliveries(world: World): Action[] {
  const links = new Map<number, Action>();
  for (const { id, from } of world.inFlight) {
    if (!links.has(from)) links.set(from, { type: 'deliver', message: id });
  }
  return [...links.values()];
}

function runAtRandom(
  cast: Cast,
  choices: (world: World) => readonly Action[],
  random: Random,
): World {
  let world = startAll(cast);
  for (;;) {
    const actions = choices(world);
    const action = actions[random.below(Math.max(1, actions.length))];
    if (action === undefined) return world;
    world = apply(cast, world, action);
    const leaders = world.nodes.filter(({ leader }, index) => leader === index + 1);
    expect(leaders.length).toBeLessThanOrEqual(1);
  }
}

function randomRing(random: Random): number[] {
  const nodes = 1 + random.below(6);
  return shuffled(
    Array.from({ length: nodes }, (_, index) => index + 1),
    random,
  );
}

describe('cr-join under random schedules', () => {
  it.each([
    { links: 'FIFO', choices: fifoDeliveries },
    { links: 'reordering', choices: (world: World) => enabled(world, 'asynchronous') },
  ])('has the same counts and the highest leader on $links links', ({ links, choices }) => {
    const random = createRandom(SEED, 'schedules', links);
    for (let run = 0; run < RUNS; run += 1) {
      const ring = randomRing(random);

      const world = runAtRandom(castOf(ring), choices, random);

      expect(world.sentByType, `${ring}`).toEqual({
        PROBE: sum(probeHops(ring)),
        SELECTED: ring.length,
      });
      expect(world.nodes.every(({ leader }) => leader === ring.length)).toBe(true);
    }
  });

  it('elects no node when every PROBE of the highest is lost, so that none is wrong', () => {
    const cast = castOf([1, 2, 3, 4]);
    let world = startAll(cast);
    for (;;) {
      const flight = world.inFlight[0];
      if (flight === undefined) break;
      const isOfHighest = JSON.stringify(flight.message) === '{"type":"PROBE","candidate":4}';
      const type = isOfHighest ? 'drop' : 'deliver';
      world = apply(cast, world, { type, message: flight.id });
    }

    expect(world.nodes.map(({ leader }) => leader)).toEqual([null, null, null, null]);
  });
});

describe('a node of cr-join', () => {
  it('absorbs a second copy of its own PROBE', () => {
    const cast = castOf([1]);
    const started = apply(cast, createWorld(cast, []), { type: 'start', node: 1 });
    const [probe] = started.inFlight;
    if (probe === undefined) throw new RangeError('"inFlight" expected a PROBE, got nothing');
    const duplicated = { ...started, inFlight: [probe, { ...probe, id: 99 }] };

    const once = apply(cast, duplicated, { type: 'deliver', message: 0 });
    const twice = apply(cast, once, { type: 'deliver', message: 99 });

    expect(once.sentByType).toEqual({ PROBE: 1, SELECTED: 1 });
    expect(twice.sentByType).toEqual({ PROBE: 1, SELECTED: 1 });
  });

  it('starts once, after any number of starts', () => {
    const cast = castOf([1, 2]);
    const once = apply(cast, createWorld(cast, []), { type: 'start', node: 1 });

    const twice = apply(cast, once, { type: 'start', node: 1 });

    expect(twice).toEqual(once);
  });
});
