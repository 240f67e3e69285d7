/**
 * @module
 * Interventions in a run: single messages handed over, lost or held back, suspicions, partitions. Any
 * sequence of them is a fold like all others: replayed in the reference world, the same again from the
 * same start, and no message is lost sight of.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createCast } from '../../../src/election/world/cast.ts';
import { applyTraced, createWorld } from '../../../src/election/world/world.ts';
import { LabError } from '../../../src/errors.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Latency } from '../../../src/simulation/faults/latency.ts';
import { EMPTY_SCHEDULE, parseSchedule } from '../../../src/simulation/faults/schedule.ts';
import { parseFaultText } from '../../../src/simulation/faults/text.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { HELD_TICKS_LIMIT, LIVE_CUTS_LIMIT } from '../../../src/simulation/run/intervention.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { IS_WHOLE } from '../../sample.ts';
import { SEED } from '../ring/rings.ts';

const VARIED: Latency = { type: 'uniform', ticksMin: 2, ticksMax: 9 };
const OPTIONS: SimulationOptions = {
  protocol: 'bully-oneshot',
  nodes: 5,
  latency: VARIED,
  seed: SEED,
  sendTimes: true,
  trace: true,
};

const COPYING = parseSchedule(
  { ...EMPTY_SCHEDULE, faults: parseFaultText('duplicate', '40%') },
  OPTIONS.nodes ?? 0,
);

/** What one drawn number does to a run; what is refused does nothing. */
function meddle(simulation: Simulation, kind: number, draw: number): void {
  const flights = simulation.flights();
  const flight = flights[draw % Math.max(1, flights.length)];
  const rank = 1 + (draw % simulation.plan.nodes);
  try {
    if (kind === 0) simulation.advance({ until: 'idle', events: 1 + (draw % 5) });
    if (kind === 1 && flight !== undefined) simulation.deliver(flight.id);
    if (kind === 2 && flight !== undefined) simulation.drop(flight.id);
    if (kind === 3 && flight !== undefined) simulation.delay(flight.id, 1 + (draw % 900));
    if (kind === 4) simulation.suspect(rank);
    if (kind === 5) simulation.partition({ kind: 'isolate', rank });
    if (kind === 6) simulation.heal();
    if (kind === 7) simulation.crash(rank);
    if (kind === 8) simulation.recover(rank);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
  }
}

function meddled(options: SimulationOptions, moves: readonly (readonly [number, number])[]) {
  const simulation = createSimulation(options);
  simulation.start();
  for (const [kind, draw] of moves) meddle(simulation, kind, draw);
  simulation.advance({ until: 'idle', events: 5_000 });
  return simulation;
}

const moves = fc.array(fc.tuple(fc.nat({ max: 8 }), fc.nat({ max: 10_000 })), { maxLength: 40 });

describe.each(['bully-oneshot', 'cr-join', 'raft'] as const)(
  'any interventions in %s',
  (protocol) => {
    it('have the effects that the reference world gives them', () => {
      fc.assert(
        fc.property(moves, fc.boolean(), (drawn, fifo) => {
          const simulation = meddled({ ...OPTIONS, protocol, fifo }, drawn);

          const cast = createCast(simulation.plan);
          let world = createWorld(cast, []);
          for (const { action, effects } of simulation.records()) {
            const next = applyTraced(cast, world, action);
            expect(next.effects).toEqual(effects);
            world = next.world;
          }
          const { messages, inFlight } = simulation.status();
          expect(world.sent).toBe(messages.total);
          expect(world.inFlight.map(({ id }) => id).toSorted((one, other) => one - other)).toEqual(
            simulation.flights().map(({ id }) => id),
          );
          expect(inFlight).toBe(world.inFlight.length);
        }),
        { seed: 8, numRuns: IS_WHOLE ? 60 : 30 },
      );
    });

    it('leave messages that are found page by page as well', () => {
      fc.assert(
        fc.property(moves, fc.integer({ min: -9, max: 40 }), fc.nat(9), (drawn, after, count) => {
          const simulation = createSimulation({ ...OPTIONS, protocol, schedule: COPYING });
          simulation.start();
          for (const [kind, draw] of drawn) meddle(simulation, kind, draw);

          const some = simulation.flightsAfter(after, count);

          const all = simulation.flights();
          expect(some).toEqual(all.filter(({ id }) => id > after).slice(0, count));
          expect(simulation.flightsAfter(Number.NEGATIVE_INFINITY, all.length + 1)).toEqual(all);
        }),
        { seed: 10, numRuns: 100 },
      );
    });

    it('give the same again', () => {
      fc.assert(
        fc.property(moves, (drawn) => {
          const once = meddled({ ...OPTIONS, protocol }, drawn);
          const again = meddled({ ...OPTIONS, protocol, sendTimes: false }, drawn);

          expect([...once.traceLines()]).toEqual([...again.traceLines()]);
          expect(once.status()).toEqual(again.status());
        }),
        { seed: 9, numRuns: 30 },
      );
    });
  },
);

describe('messages on the way', () => {
  it('are told with sender, receiver, the tick of the send and the tick they are due', () => {
    const simulation = createSimulation({ ...OPTIONS, latency: { type: 'constant', ticks: 4 } });
    simulation.start([3]);
    simulation.advance({ until: 3 });

    const flights = simulation.flights();

    expect(flights).toEqual([
      { id: 0, from: 3, to: 4, message: { type: 'ELECTION' }, sentAt: 0, due: 4 },
      { id: 1, from: 3, to: 5, message: { type: 'ELECTION' }, sentAt: 0, due: 4 },
    ]);
    simulation.advance({ until: 4 });
    expect(new Set(simulation.flights().map(({ sentAt }) => sentAt))).toEqual(new Set([4]));
  });

  it('that are held back arrive that much later, however far', () => {
    const simulation = createSimulation({ ...OPTIONS, latency: { type: 'constant', ticks: 1 } });
    simulation.start([4]);
    const isOnTheWay = () => simulation.flights().some(({ id }) => id === 0);

    simulation.delay(0, 5_000);

    expect(simulation.flights()[0]?.due).toBe(5_001);
    simulation.advance({ until: 5_000 });
    expect(isOnTheWay()).toBe(true);
    simulation.advance({ until: 5_001 });
    expect(isOnTheWay()).toBe(false);
  });

  it('that are lost are gone', () => {
    const simulation = createSimulation(OPTIONS);
    simulation.start([4]);

    simulation.drop(0);

    expect(simulation.records().at(-1)?.action).toEqual({ type: 'drop', message: 0 });
    expect(() => simulation.delay(0, 1)).toThrow('no message 0 is on the way');
  });

  it('cannot be held back without end', () => {
    const simulation = createSimulation(OPTIONS);
    simulation.start([4]);

    expect(() => simulation.delay(0, HELD_TICKS_LIMIT + 1)).toThrow('ticks');
    expect(() => simulation.delay(0, HELD_TICKS_LIMIT)).toThrow('is the most');
    expect(simulation.flights()).toHaveLength(1);
  });

  it('are lost when they are handed to a node that is down', () => {
    const simulation = createSimulation(OPTIONS);
    simulation.start([4]);
    simulation.crash(5);

    simulation.deliver(0);

    expect(simulation.records().at(-1)).toMatchObject({ dropped: true });
    expect(simulation.flights()).toEqual([]);
  });
});

describe('a partition', () => {
  it('loses what is sent over it, until it is healed, and nothing that was on the way', () => {
    const simulation = createSimulation(OPTIONS);
    simulation.start([4]);
    simulation.partition({ kind: 'isolate', rank: 5 });

    simulation.advance({ until: 'idle' });
    const split = simulation.nodes().map(({ leader }) => leader);
    simulation.heal();
    simulation.start();
    simulation.advance({ until: 'idle' });

    const deliveries = simulation.records().filter(({ action }) => action.type === 'deliver');
    expect(deliveries[0]?.action).toMatchObject({ message: 0 });
    expect(split[4]).toBe(5);
    expect(split[0]).not.toBe(5);
    expect(simulation.status()).toMatchObject({ agreed: true, leader: 5 });
  });

  it('leaves the latencies of all other messages as they were', () => {
    const dues = (cuts: boolean) => {
      const simulation = createSimulation({ ...OPTIONS, protocol: 'cr-join' });
      if (cuts) simulation.partition({ kind: 'one-way', from: 1, to: 2 });
      if (cuts) simulation.heal();
      simulation.start();
      return simulation.flights().map(({ due }) => due);
    };

    expect(dues(true)).toEqual(dues(false));
  });

  it('keeps links in order for what was sent before it', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1000 }), fc.nat({ max: 30 }), (seed, events) => {
        const options = { ...OPTIONS, protocol: 'cr-always', seed: parseSeed(`${seed}`) } as const;
        const simulation = createSimulation(options);
        simulation.start();
        simulation.advance({ until: 'idle', events });
        simulation.partition({ kind: 'isolate', rank: 1 + (seed % 5) });
        simulation.heal();
        simulation.start();

        const lastOf = new Map<string, number>();
        for (const { from, to, due } of simulation.flights()) {
          const link = `${from}>${to}`;
          expect(due).toBeGreaterThanOrEqual(lastOf.get(link) ?? 0);
          lastOf.set(link, due);
        }
      }),
      { seed: 10, numRuns: 50 },
    );
  });

  it('is noticed by who listens to links', () => {
    const schedule = { faults: [], calm: null, detector: 'links' } as const;
    const simulation = createSimulation({ ...OPTIONS, schedule });
    simulation.start();
    simulation.advance({ until: 'idle' });

    simulation.partition({ kind: 'isolate', rank: 5 });
    simulation.advance({ until: 'idle' });

    const words = simulation.records().filter(({ action }) => action.type === 'suspect');
    expect(words.length).toBeGreaterThanOrEqual(4);
    expect(simulation.nodes()[0]?.leader).toBe(4);
  });

  it('is refused for strangers, for a node cut from itself, and above a maximum', () => {
    const simulation = createSimulation(OPTIONS);

    expect(() => simulation.partition({ kind: 'isolate', rank: 6 })).toThrow('rank');
    expect(() => simulation.partition({ kind: 'one-way', from: 2, to: 2 })).toThrow('twice');
    expect(() => simulation.partition({ kind: 'links', links: [[1, 6]] })).toThrow('rank');
    expect(() => simulation.heal()).toThrow('nothing is cut');
    for (let cut = 0; cut < LIVE_CUTS_LIMIT; cut += 1) simulation.partition({ kind: 'halves' });
    expect(() => simulation.partition({ kind: 'halves' })).toThrow('heal first');
  });
});

describe('a suspicion', () => {
  it('starts what a crash would start, at those who are told', () => {
    const simulation = createSimulation(OPTIONS);
    simulation.start();
    simulation.advance({ until: 'idle' });
    const before = simulation.status().messages.total ?? 0;

    simulation.suspect(5, [2]);

    expect(simulation.records().at(-1)?.action).toEqual({ type: 'suspect', node: 2, about: 5 });
    expect(simulation.status().messages.total).toBeGreaterThan(before);
    simulation.advance({ until: 'idle' });
    expect(simulation.status()).toMatchObject({ leader: 5, agreed: true });
  });

  it('is refused of strangers, by the suspect itself and by those who are down', () => {
    const simulation = createSimulation({ ...OPTIONS, crashedBefore: [4] });

    expect(() => simulation.suspect(6)).toThrow('rank');
    expect(() => simulation.suspect(5, [5])).toThrow('itself');
    expect(() => simulation.suspect(5, [4])).toThrow('down');
    expect(simulation.records()).toEqual([]);
  });
});
