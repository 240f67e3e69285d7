/**
 * @module
 * The trace of a path: the reference semantics, which carries out its actions, ends in the world of the search.
 */

import { describe, expect, it } from 'vitest';
import type { Instance } from '../../src/checking/instance.ts';
import { changedAt } from '../../src/checking/json-paths.ts';
import { traceOf } from '../../src/checking/traces/trace.ts';
import { Worlds } from '../../src/checking/worlds.ts';
import { PROTOCOLS } from '../../src/election/registry.ts';
import type { WorldNode } from '../../src/election/world/world-state.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import { drawInstance, randomPath } from './drawn.ts';

describe('the trace of a random path', () => {
  it.each(Array.from({ length: 200 }, (_, index) => index))('ends in its world (%i)', (index) => {
    const { instance, text } = drawInstance(index);
    const worlds = new Worlds(instance, null);
    const { path, world } = randomPath(worlds, createRandom(parseSeed(String(index)), 'path'));

    const traced = traceOf(worlds, path).end.world;

    const locals = traced.nodes.map((_, at) => worlds.steps.localOf(at + 1, world.words[at] ?? 0));
    expect(
      traced.nodes.map((node) => packedTicks(node, instance)),
      text,
    ).toEqual(locals.map(({ node }) => node));
    expect(traced.inFlight.length).toBe(world.length - worlds.layout.fixed);
  });
});

/**
 * Timers in the order of their names, with the ticks that a local state has: only whether they are 0 if that counts. Drawn
 * lengths that are not 0 are 1.
 */
function packedTicks(node: WorldNode, { protocol, timing }: Instance): WorldNode {
  const timers = node.timers.map((timer) => ({
    ...timer,
    ticks: timing === 'synchronous' && timer.ticks === 0 ? 0 : 1,
  }));
  const state = PROTOCOLS[protocol].drawnTicks.reduce(
    (changed, path) => changedAt(changed, path, (ticks) => Math.min(ticks, 1)),
    node.state,
  );
  const sorted = timers.toSorted((left, right) => (left.timer < right.timer ? -1 : 1));
  return { ...node, state, timers: sorted };
}
