/**
 * @module
 * quorum-lease and zk-slide-quorum without time: any message may come at any moment, twice or never,
 * any timer may fire, nodes crash and return and suspect each other at random. While disks keep what
 * was written, an epoch has one leader.
 */

import { describe, expect, it } from 'vitest';

import { createCast, fromRank } from '../../../src/election/world/cast.ts';
import type { Action } from '../../../src/election/world/world.ts';
import { applyTraced, createWorld, enabled } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import type { Random } from '../../../src/random.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';

const WALKS = 150;
const STEPS = 400;

describe.each(['quorum-lease', 'zk-slide-quorum'] as const)('%s', (protocol) => {
  it('has one leader an epoch, whatever the schedule', () => {
    let epochs = 0;

    for (let number = 0; number < WALKS; number += 1) {
      const leaders = walk(protocol, number, false);
      epochs += leaders.size;

      for (const [epoch, ranks] of leaders) {
        expect([...ranks], `walk ${number}, epoch ${epoch}`).toHaveLength(1);
      }
    }
    expect(epochs).toBeGreaterThan(WALKS);
  });

  it('has two in some epoch of some walk once nodes forget their disks', () => {
    const walks = Array.from({ length: WALKS }, (_, number) => walk(protocol, number, true));

    const broken = walks.filter((leaders) => [...leaders.values()].some(({ size }) => size > 1));
    expect(broken.length).toBeGreaterThan(0);
  });
});

/** Who led in which epoch. */
function walk(
  protocol: 'quorum-lease' | 'zk-slide-quorum',
  number: number,
  amnesia: boolean,
): Map<number, Set<number>> {
  const random = createRandom(parseSeed(String(number)), 'walk');
  const nodes = 3 + random.below(2);
  const ring = Array.from({ length: nodes }, (_, index) => index + 1);
  const timing = { latencyTicksMax: 1 };
  // Nothing is chosen here, and few values are quick to list.
  const flags = { retryTicks: '1' };
  const cast = createCast({ protocol, timing, ring, crashedBefore: [], flags });
  const leaders = new Map<number, Set<number>>();
  let world = createWorld(cast, []);
  for (let step = 0; step < STEPS; step += 1) {
    const action = draw(world, random, amnesia);
    const { world: next, effects } = applyTraced(cast, world, action);
    for (const [index, { leader }] of next.nodes.entries()) {
      if (leader !== index + 1) continue;
      for (const effect of effects) {
        if (effect.type !== 'elect' || fromRank(effect.leader) !== leader) continue;
        const ranks = leaders.get(effect.epoch) ?? new Set();
        leaders.set(effect.epoch, ranks.add(leader));
      }
    }
    world = next;
  }
  return leaders;
}

/** Mostly what the network and the timers may do; now and then what befalls nodes and messages. */
function draw(world: World, random: Random, amnesia: boolean): Action {
  const possible = enabled(world, 'asynchronous');
  const [first] = possible;
  if (first?.type === 'choose') return first;
  const node = 1 + random.below(world.nodes.length);
  const about = 1 + random.below(world.nodes.length);
  const isUp = world.nodes[node - 1]?.up === true;
  const message = world.inFlight[random.below(Math.max(1, world.inFlight.length))]?.id;
  const lot = random.below(40);
  if (lot <= 1 && isUp) return { type: 'crash', node };
  if (lot <= 4 && !isUp) return { type: 'recover', node, amnesia };
  if (lot === 4) return { type: 'start', node };
  if (lot <= 6 && isUp && about !== node) {
    return { type: lot === 5 ? 'suspect' : 'trust', node, about };
  }
  if (lot <= 8 && message !== undefined) return { type: 'drop', message };
  if (lot <= 10 && message !== undefined) return { type: 'duplicate', message };
  const action = possible[random.below(Math.max(1, possible.length))];
  if (action !== undefined) return action;
  return isUp ? { type: 'start', node } : { type: 'recover', node, amnesia };
}
