/**
 * @module
 * The fast path against the reference: the actions it recorded, applied one by one to a world, have
 * the same effects and end in the same states, leaders and counts. `REPLAY_RUNS` makes it more runs.
 */

import { describe, expect, it } from 'vitest';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import { applyTraced, createWorld } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { SAME_TICK_ORDERS } from '../../../src/simulation/plan/plan.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { faultRun } from '../run/fault-runs.ts';

const RUNS = Number(process.env.REPLAY_RUNS ?? 20);

function replay(simulation: Simulation): World {
  const { crashedBefore } = simulation.plan;
  const cast = createCast(simulation.plan);
  let world = createWorld(cast, crashedBefore);
  const records = simulation.records();
  // One comparison a run is faster than one a record.
  const replayed = records.map(({ action }) => {
    const droppedBefore = world.dropped;
    const next = applyTraced(cast, world, action);
    world = next.world;
    return { effects: next.effects, dropped: world.dropped - droppedBefore };
  });
  const recorded = records.map(({ effects, dropped }) => ({ effects, dropped: dropped ? 1 : 0 }));
  expect(replayed).toEqual(recorded);
  return world;
}

function expectSameEnd(options: SimulationOptions, events?: number): void {
  const simulation = createSimulation({ ...options, trace: true });
  simulation.start();
  simulation.advance({ until: 'idle', events });

  const world = replay(simulation);

  const { messages, inFlight } = simulation.status();
  const { total, ...byType } = messages;
  expect(world.sent).toBe(total);
  expect(byType).toMatchObject(world.sentByType);
  expect(world.inFlight.length).toBe(inFlight);
  for (const { rank, up, leader } of simulation.nodes()) {
    expect(world.nodes[rank - 1]).toMatchObject({ up, leader });
    expect(world.nodes[rank - 1]?.state).toEqual(simulation.stateOf(rank));
  }
}

describe.each(PROTOCOL_NAMES)('%s', (protocol) => {
  it('is replayed exactly, with crashes and returns', () => {
    for (let number = 0; number < RUNS; number += 1) {
      expectSameEnd(faultRun(number, { protocol, heals: number % 2 === 0 }));
    }
  });

  it('is replayed exactly when it is stopped in the middle of a tick', () => {
    for (let events = 1; events < 60; events += 1) {
      expectSameEnd(faultRun(events, { protocol, heals: true }), events);
    }
  });

  it('is replayed exactly with timers before the messages of a tick', () => {
    for (let events = 1; events < 30; events += 1) {
      const options = faultRun(events, { protocol, heals: true });
      expectSameEnd({ ...options, sameTick: 'timers-first' });
      expectSameEnd({ ...options, sameTick: 'timers-first' }, events);
    }
  });

  it('is replayed exactly on links that reorder, and around the dead', () => {
    for (let number = 0; number < RUNS; number += 1) {
      const { nodes, latency, seed } = faultRun(number, { protocol, heals: true });
      expectSameEnd({ protocol, nodes, latency, seed, fifo: false, crashedBefore: [nodes] });
    }
  });
});

describe('a run that is advanced in pieces', () => {
  it.each(
    [1, 7, 1000].flatMap((events) =>
      SAME_TICK_ORDERS.map((sameTick) => [events, sameTick] as const),
    ),
  )('of %i events, %s, has the trace of one that is not', (events, sameTick) => {
    const options = {
      ...({ protocol: 'bully-oneshot', sameTick } as const),
      nodes: 6,
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
      faults: [{ type: 'crash', rank: 6, at: 12 }],
      seed: SEED,
      trace: true,
    } as const;
    const whole = createSimulation(options);
    runElection(whole);
    const pieces = createSimulation(options);
    pieces.start();

    let bound = pieces.advance({ until: 'idle', events });
    while (bound === 'events') bound = pieces.advance({ until: 'idle', events });

    expect(bound).toBe('idle');
    expect(pieces.records()).toEqual(whole.records());
    expect(pieces.status()).toEqual(whole.status());
  });

  it.each([
    ['messages-first', ['deliver', 'deliver', 'early', 'early', 'late', 'late']],
    ['timers-first', ['early', 'early', 'deliver', 'late', 'deliver', 'late']],
  ] as const)('has the events of one tick in this order, %s: %o', (sameTick, order) => {
    const machine: AnyMachine = {
      init: () => null,
      step({ rank, members }, _state, event, effects) {
        if (event.type === 'deliver') effects.setTimer('late', 0, false);
        if (event.type !== 'start') return;
        effects.setTimer('early', 1, false);
        for (const to of members) if (to !== rank) effects.send(to, { type: 'PROBE' });
      },
    };
    const options = { protocol: 'cr-join', nodes: 2, seed: SEED, sameTick, trace: true } as const;
    const simulation = createSimulation(options, () => machine);
    simulation.start();
    simulation.advance({ until: 1 });

    const done = simulation.records().filter(({ t }) => t === 1);
    expect(
      done.map(({ action }) => (action.type === 'timeout' ? action.timer : action.type)),
    ).toEqual(order);
  });

  it('of one tick each has the trace of one that is not', () => {
    const options = { protocol: 'cr-join', nodes: 6, seed: SEED, trace: true } as const;
    const whole = createSimulation(options);
    runElection(whole);
    const pieces = createSimulation(options);
    pieces.start();

    for (let tick = 0; tick <= 12; tick += 1) pieces.advance({ until: tick });

    expect(pieces.records()).toEqual(whole.records());
  });
});
