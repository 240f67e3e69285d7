/**
 * @module
 * Where the rings of Chang and Roberts stop, whatever their rule: a PROBE without an owner, and a node
 * that swallows what it should pass on. No hop limit, no signatures.
 */

import { describe, expect, it } from 'vitest';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { CR_JOIN } from '../../../src/election/ring/chang-roberts.ts';
import { createRingRobust } from '../../../src/election/ring/ring-robust.ts';
import type { Cast } from '../../../src/election/world/cast.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { apply, applyTraced, createWorld } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';

const RULES = ['cr-join', 'cr-replace', 'cr-always'] as const;
const TIMING = { latencyTicksMax: 1 };
const NODES = 5;
const LAPS = 40;
const PHANTOM = { type: 'PROBE', candidate: toRank(99) };

function castOf(protocol: ProtocolName, machineOf?: (rank: number) => AnyMachine): Cast {
  const ring = [3, 5, 1, 4, 2];
  return createCast({ protocol, timing: TIMING, ring, crashedBefore: [] }, machineOf);
}

function startAll(cast: Cast, before: World = createWorld(cast, [])): World {
  let world = before;
  for (let node = 1; node <= NODES; node += 1) world = apply(cast, world, { type: 'start', node });
  return world;
}

/** Delivers the oldest message in flight, up to `steps` times. */
function deliverInOrder(cast: Cast, start: World, steps: number): World {
  let world = start;
  for (let step = 0; step < steps; step += 1) {
    const [oldest] = world.inFlight;
    if (oldest === undefined) break;
    world = apply(cast, world, { type: 'deliver', message: oldest.id });
  }
  return world;
}

/** A ring in which nothing has happened but that a PROBE of rank 99 is under way to node 3. */
function withPhantom(cast: Cast): World {
  const injected = { id: -1, from: 2, to: 3, message: PHANTOM };
  return { ...createWorld(cast, []), inFlight: [injected] };
}

describe('a PROBE without an owner, as after the crash of the highest', () => {
  it.each(RULES)('%s: goes round for ever, n hops a lap', (protocol) => {
    const cast = castOf(protocol);
    const settled = deliverInOrder(cast, withPhantom(cast), 60 * NODES);

    const later = deliverInOrder(cast, settled, LAPS * NODES);

    expect(later.sentByType.PROBE).toBe((settled.sentByType.PROBE ?? 0) + LAPS * NODES);
    expect(later.inFlight.map(({ message }) => message)).toEqual([PHANTOM]);
  });

  it.each(['cr-replace', 'cr-always'] as const)('%s: selects no node by itself', (protocol) => {
    const cast = castOf(protocol);

    const world = deliverInOrder(cast, withPhantom(cast), LAPS * NODES);

    expect(world.sentByType).toEqual({ PROBE: LAPS * NODES });
  });

  it('cr-replace: marks all nodes, so that none can start any more', () => {
    const cast = castOf('cr-replace');
    const marked = deliverInOrder(cast, withPhantom(cast), NODES);

    const world = deliverInOrder(cast, startAll(cast, marked), LAPS * NODES);

    expect(world.sentByType).toEqual({ PROBE: (LAPS + 1) * NODES });
  });

  it.each(['cr-join', 'cr-always'] as const)('%s: does not stop who starts', (protocol) => {
    const cast = castOf(protocol);
    const passed = deliverInOrder(cast, withPhantom(cast), NODES);

    const world = deliverInOrder(cast, startAll(cast, passed), LAPS * NODES);

    expect(world.sentByType.SELECTED).toBe(NODES);
    expect(world.nodes.map(({ leader }) => leader)).toEqual([5, 5, 5, 5, 5]);
  });
});

describe.each(RULES)('%s', (protocol) => {
  it('elects no node when the neighbour of the highest swallows every PROBE', () => {
    const honest = PROTOCOLS[protocol].create(TIMING);
    const swallower: AnyMachine = {
      init: honest.init,
      step(self, state, event, effects) {
        const swallows = event.type === 'deliver' && event.message.type === 'PROBE';
        if (!swallows) honest.step(self, state, event, effects);
      },
    };
    const cast = castOf(protocol, (rank) => (rank === 1 ? swallower : honest));

    const world = deliverInOrder(cast, startAll(cast), 1000);

    expect(world.inFlight).toEqual([]);
    expect(world.sentByType.SELECTED).toBeUndefined();
    expect(world.nodes.map(({ leader }) => leader)).toEqual([null, null, null, null, null]);
  });
});

describe('ring-robust', () => {
  it('takes a token once, though a link repeats it', () => {
    const cast = castOf('ring-robust');
    const started = apply(cast, createWorld(cast, []), { type: 'start', node: 4 });
    const doubled = apply(cast, started, { type: 'duplicate', message: 0 });

    const once = apply(cast, doubled, { type: 'deliver', message: 0 });
    const twice = applyTraced(cast, once, { type: 'deliver', message: -1 });

    expect(once.sent).toBeGreaterThan(1);
    expect(twice.effects).toEqual([]);
    expect(twice.world.nodes).toEqual(once.nodes);
  });

  it('ends a token without an owner after one lap', () => {
    const cast = castOf('ring-robust');
    const token = { type: 'PROBE', election: 1, token: [toRank(2), 9], message: PHANTOM };
    const world = createWorld(cast, []);

    const after = deliverInOrder(
      cast,
      { ...world, inFlight: [{ id: -1, from: 2, to: 3, message: token }] },
      1000,
    );

    expect(after.inFlight).toEqual([]);
    expect(after.sentByType.PROBE).toBeLessThanOrEqual(NODES * (NODES + 1));
  });

  it('ends a token that no member has made at once', () => {
    const cast = castOf('ring-robust');
    const begun = apply(cast, createWorld(cast, []), { type: 'start', node: 3 });
    const message = { type: 'PROBE', election: 1, token: [toRank(9), 0], message: PHANTOM };

    const { effects } = applyTraced(
      cast,
      { ...begun, inFlight: [{ id: -1, from: 2, to: 3, message }] },
      { type: 'deliver', message: -1 },
    );

    expect(effects).toEqual([]);
  });

  it('ignores what is left of an older election', () => {
    const machine = createRingRobust(CR_JOIN.create(TIMING));
    const cast = castOf('ring-robust', () => machine);
    const first = apply(cast, createWorld(cast, []), { type: 'start', node: 3 });
    const second = [4, 5].reduce(
      (world, node) => apply(cast, world, { type: 'suspect', node, about: 2 }),
      apply(cast, first, { type: 'suspect', node: 3, about: 2 }),
    );
    const later = deliverInOrder(cast, { ...second, inFlight: second.inFlight.slice(1) }, 1);

    const { effects } = applyTraced(
      cast,
      { ...later, inFlight: first.inFlight },
      { type: 'deliver', message: 0 },
    );

    expect(effects).toEqual([]);
  });
});
