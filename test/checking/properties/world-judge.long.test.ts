/**
 * @module
 * Properties of the user that see everything, against a plain search: the search judges every world, and finds the
 * first one without the property after as few actions.
 */

import { describe, expect, it } from 'vitest';

import { check } from '../../../src/checking/check.ts';
import type { CheckRequest } from '../../../src/checking/check-request.ts';
import { searchOptionsOf } from '../../../src/checking/check-request.ts';
import { canonicalText } from '../../../src/checking/interner.ts';
import type { CheckedWorld, WorldJudge } from '../../../src/checking/properties/world-judge.ts';
import { checkedPropertyOf } from '../../../src/checking/properties/world-judge.ts';
import type { Json } from '../../../src/election/machine.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';
import { drawRequest } from '../drawn.ts';
import { plainLevels } from '../plain-search.ts';
import { withDrawnTicks } from '../ticks/stated-ticks.ts';

const PLAIN_WORLDS = 150;

/** What a property reads of a world, as text. */
function seenText({ nodes, store, inFlight }: CheckedWorld): string {
  return canonicalText({ nodes: nodes.map((node) => ({ ...node })), store, inFlight });
}

/** The same of a plain world. */
function plainText(world: World, request: CheckRequest, store: number | null): string {
  const nodes = world.nodes.slice(0, request.ring.length).map((node, index) => ({
    ...{ rank: index + 1, up: node.up, leader: node.leader, persisted: node.persisted },
    byzantine: request.byzantine?.some(({ rank }) => rank === index + 1) === true,
    state: innermost(node.state),
    timers: node.timers.map(({ timer }) => timer).toSorted(),
  }));
  const flights = world.inFlight.map(({ from, to, message }) => {
    const link = `${String(from).padStart(2)} ${String(to).padStart(2)}`;
    const key = request.links === 'fifo' ? link : `${link} ${canonicalText(message)}`;
    return { key, flight: { from, to, message } };
  });
  const inFlight = flights
    .toSorted((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
    .map(({ flight }) => flight);
  const state = store === null ? null : innermost(world.nodes[store - 1]?.state ?? null);
  return canonicalText({ nodes, store: state, inFlight });
}

function innermost(state: Json): Json {
  if (state === null || typeof state !== 'object' || !('inner' in state)) return state;
  return innermost(state.inner ?? null);
}

/** A property that about one of 40 worlds lacks, whatever they have in common. */
function isRare(text: string, salt: number): boolean {
  let hash = salt;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return (hash >>> 8) % 40 === 0;
}

function judgeOf(
  holds: WorldJudge['holds'],
  reads: WorldJudge['reads'] = 'everything',
): WorldJudge {
  return { kind: 'always', description: 'a test', reads, holds, breach: () => 'a test' };
}

/** Actions of the violation; null without one. */
function violationOf(request: CheckRequest, judge: WorldJudge, statesMax: number): number | null {
  const options = searchOptionsOf(request, { statesMax, bytesMax: 2 ** 28 });
  const steps = check({ ...options, properties: [checkedPropertyOf('own', judge)] });
  for (;;) {
    const { done, value } = steps.next();
    if (done !== true) continue;
    return value.type === 'violated' ? value.trace.address.length : null;
  }
}

describe('a property that reads everything', () => {
  it.each(Array.from({ length: 60 }, (_, index) => index))(
    'is violated after as few actions as in a plain search (%i)',
    (index) => {
      const drawn = drawRequest(index);
      // The plain search starts the initiators in the order in which they are listed.
      const request = { ...drawn, initiators: drawn.initiators.toSorted() };
      const { instance } = searchOptionsOf(request, { statesMax: 1, bytesMax: 1 });
      const depths: number[] = [];
      const levels = withDrawnTicks(request.protocol, [], () =>
        plainLevels(instance, PLAIN_WORLDS, undefined, (world, depth) => {
          if (isRare(plainText(world, request, instance.cast.store), index)) depths.push(depth);
        }),
      );
      const states = levels.worlds.reduce((sum, count) => sum + count);

      const found = violationOf(
        request,
        judgeOf((world) => !isRare(seenText(world), index)),
        states,
      );

      expect(found).toBe(depths.length === 0 ? null : Math.min(...depths));
    },
  );

  it('reads worlds that nothing can change', () => {
    const judge = judgeOf(({ nodes, inFlight }) =>
      [nodes, inFlight, ...nodes.map(({ state }) => state), ...inFlight].every(Object.isFrozen),
    );

    expect(violationOf(drawRequest(1), judge, 500)).toBeNull();
  });
});

describe('a property that holds at rest and not before', () => {
  /** Once all nodes follow a leader and nothing is in flight, the world is at rest. A paused node prevents it. */
  const judge = judgeOf(
    ({ isAtRest, nodes, inFlight }) =>
      isAtRest || inFlight.length > 0 || nodes.some(({ leader }) => leader === null),
  );

  it.each([
    [0, null],
    [1, 12],
  ])('is judged in a world that a pause leads away from rest (%i pauses)', (pause, actions) => {
    const request = requestOf({ protocol: 'cr-join', ring: [1, 2, 3], bounds: { pause } });

    expect(violationOf(request, judge, 100_000)).toBe(actions);
  });
});
