/**
 * @module
 * Peterson's ring without time: any FIFO schedule whatever, elections one after the other, and what
 * the paper leaves out: a node that forgets, a link that reorders.
 */

import { describe, expect, it } from 'vitest';

import type { Cast } from '../../../src/election/world/cast.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import type { Action } from '../../../src/election/world/world.ts';
import { apply, createWorld, enabled } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import type { Random } from '../../../src/random.ts';
import { createRandom, shuffled } from '../../../src/random.ts';
import { allRings, SEED } from '../../simulation/ring/rings.ts';

const RUNS = 1000;

function castOf(ring: readonly number[]): Cast {
  return createCast({
    protocol: 'peterson',
    timing: { latencyTicksMax: 1 },
    ring,
    crashedBefore: [],
  });
}

function run(cast: Cast, world: World, actions: readonly Action[]): World {
  return actions.reduce((before, action) => apply(cast, before, action), world);
}

function startAll(cast: Cast): World {
  const starts = Array.from({ length: cast.nodes }, (_, index): Action => {
    return { type: 'start', node: index + 1 };
  });
  return run(cast, createWorld(cast, []), starts);
}

/** What a FIFO network may deliver next: the oldest message of each link. */
function fifoDeliveries(world: World): Action[] {
  const links = new Map<number, Action>();
  for (const { id, from } of world.inFlight) {
    if (!links.has(from)) links.set(from, { type: 'deliver', message: id });
  }
  return [...links.values()];
}

function settle(
  cast: Cast,
  world: World,
  choices: (world: World) => readonly Action[],
  random: Random,
): World {
  for (let now = world; ; ) {
    const actions = choices(now);
    const action = actions[random.below(Math.max(1, actions.length))];
    if (action === undefined) return now;
    now = apply(cast, now, action);
  }
}

function deliverSome(
  cast: Cast,
  world: World,
  { stepsBelow, random }: { readonly stepsBelow: number; readonly random: Random },
): World {
  let now = world;
  for (let steps = random.below(stepsBelow); steps > 0; steps -= 1) {
    const actions = fifoDeliveries(now);
    const action = actions[random.below(Math.max(1, actions.length))];
    if (action !== undefined) now = apply(cast, now, action);
  }
  return now;
}

function inOrder(cast: Cast, world: World): World {
  return settle(cast, world, fifoDeliveries, createRandom(SEED, 'in-order'));
}

function randomRing(random: Random): number[] {
  const nodes = 1 + random.below(6);
  return shuffled(
    Array.from({ length: nodes }, (_, index) => index + 1),
    random,
  );
}

function leadersOf(world: World): (number | null)[] {
  return world.nodes.map(({ leader }) => leader);
}

describe('peterson under random schedules', () => {
  it('has the same counts and the highest leader on FIFO links', () => {
    const random = createRandom(SEED, 'schedules', 'FIFO');
    for (let number = 0; number < RUNS; number += 1) {
      const ring = randomRing(random);
      const cast = castOf(ring);
      const orderly = inOrder(cast, startAll(cast));

      const world = settle(cast, startAll(cast), fifoDeliveries, random);

      expect(world.sentByType, ring.join()).toEqual(orderly.sentByType);
      expect(new Set(leadersOf(world))).toEqual(new Set([ring.length]));
    }
  });

  it('agrees on a wrong leader in some schedules of links that reorder', () => {
    const random = createRandom(SEED, 'schedules', 'reordering');
    const wrong: (readonly number[])[] = [];
    for (let number = 0; number < RUNS; number += 1) {
      const ring = randomRing(random);
      const cast = castOf(ring);
      const anyOrder = (world: World) => enabled(world, 'asynchronous');

      const [leader, ...others] = leadersOf(settle(cast, startAll(cast), anyOrder, random));

      const agreed = leader !== null && others.every((other) => other === leader);
      if (agreed && leader !== ring.length) wrong.push(ring);
    }

    expect(wrong).not.toEqual([]);
  });
});

describe('elections one after the other', () => {
  it('cost the same and have the same leader, whichever node begins the next', () => {
    for (const ring of [1, 2, 3, 4, 5].flatMap(allRings)) {
      const cast = castOf(ring);
      const first = inOrder(cast, startAll(cast));
      for (const node of ring) {
        const second = inOrder(cast, apply(cast, first, { type: 'start', node }));

        expect(second.sent, `${ring}, then ${node}`).toBe(2 * first.sent);
        expect(leadersOf(second)).toEqual(leadersOf(first));
      }
    }
  });

  it('do not begin while one runs', () => {
    const cast = castOf([1, 2]);
    const once = apply(cast, createWorld(cast, []), { type: 'start', node: 1 });

    expect(apply(cast, once, { type: 'start', node: 1 })).toEqual(once);
  });
});

describe('a node that crashes and returns', () => {
  const crash = (node: number): Action => ({ type: 'crash', node });

  it('sends its ID in no election for the second time', () => {
    const cast = castOf([1, 2, 3]);
    const actions: Action[] = [crash(2), { type: 'recover', node: 2, amnesia: false }];

    const world = run(cast, startAll(cast), actions);

    expect(world.inFlight.filter(({ from }) => from === 2).map(({ message }) => message)).toEqual([
      { type: 'TID', tid: 2, election: 1 },
      { type: 'TID', tid: 2, election: 2 },
    ]);
  });

  it.each([false, true])('is led by the highest in the end (amnesia %s)', (amnesia) => {
    const random = createRandom(SEED, 'returns', String(amnesia));
    for (let number = 0; number < RUNS; number += 1) {
      const ring = randomRing(random);
      const cast = castOf(ring);
      const node = 1 + random.below(cast.nodes);
      const during = deliverSome(cast, startAll(cast), { stepsBelow: 40, random });
      const down = apply(cast, during, crash(node));
      const world = deliverSome(cast, down, { stepsBelow: 10, random });
      const others = ring.filter((rank) => rank !== node);
      const words = others.map((rank): Action => ({ type: 'trust', node: rank, about: node }));

      const returned = run(cast, world, [...words, { type: 'recover', node, amnesia }]);
      const end = settle(cast, returned, fifoDeliveries, random);

      expect(new Set(leadersOf(end)), `${ring}, ${node} returns`).toEqual(new Set([ring.length]));
    }
  });
});
