/**
 * @module
 * Nodes that are played from outside: what a program does elsewhere is part of the run like all else, in
 * the order in which it is done, and an honest one cannot be told from a node of the simulation.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { applyTraced, createWorld } from '../../../src/election/world/world.ts';
import { LabError } from '../../../src/errors.ts';
import { createPlannedCast } from '../../../src/simulation/cast/planned-cast.ts';
import { traceDigest } from '../../../src/simulation/engine/trace.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { OutsidePlay } from '../../../src/simulation/run/outside-play.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { honestPlayer, playOn } from './outside-player.ts';

const OPTIONS: SimulationOptions = {
  ...{ protocol: 'bully-oneshot', nodes: 4, seed: SEED, trace: true, ring: 'by-id' },
  outside: [{ rank: 2, waits: true }],
};
type Injected = Parameters<OutsidePlay['inject']>[1][number];

const number = fc.integer({ min: 0, max: 7 });
const effect: fc.Arbitrary<Injected> = fc.oneof(
  fc.record({
    type: fc.constant('send' as const),
    to: number,
    message: fc.oneof(
      fc.record({ type: fc.constantFrom('ELECTION', 'OK', 'VOTE', 'constructor', '__proto__') }),
      fc.record({ type: fc.constantFrom('COORDINATOR', 'SELECTED'), leader: number }),
      fc.record({ type: fc.constant('PROBE'), candidate: number }),
      fc.record({ type: fc.constant('HEARTBEAT'), term: number }),
      fc.record({ type: fc.constantFrom('ACQUIRE', 'CONNECT'), request: number, guid: number }),
    ),
  }),
  fc.record({
    type: fc.constant('set-timer' as const),
    timer: fc.constantFrom('a', 'b'),
    ticks: number,
    periodic: fc.boolean(),
  }),
  fc.record({ type: fc.constant('cancel-timer' as const), timer: fc.constantFrom('a', 'b') }),
  fc.record({ type: fc.constant('elect' as const), leader: number, epoch: number }),
  fc.constant({ type: 'step-down' as const }),
);
type Move = (simulation: Simulation) => void;

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.integer({ min: 1, max: 6 }).map((events): Move => {
    return (simulation) => simulation.advance({ until: 'idle', events });
  }),
  fc.tuple(number, fc.array(effect, { maxLength: 3 })).map(
    ([node, effects]): Move =>
      (simulation) =>
        simulation.inject(node, effects),
  ),
  fc.tuple(number, fc.boolean()).map(([rank, waits]): Move => {
    return (simulation) => simulation.enter(rank, { waits });
  }),
  fc.tuple(number, number).map(([rank, through]): Move => {
    return (simulation) => simulation.answered(rank, through);
  }),
  number.map(
    (rank): Move =>
      (simulation) =>
        simulation.lapse(rank),
  ),
  number.map(
    (rank): Move =>
      (simulation) =>
        simulation.crash(rank),
  ),
  number.map(
    (rank): Move =>
      (simulation) =>
        simulation.recover(rank),
  ),
  number.map(
    (rank): Move =>
      (simulation) =>
        simulation.suspect(rank),
  ),
  number.map((rank): Move => {
    return (simulation) => simulation.partition({ kind: 'isolate', rank });
  }),
);

function played(options: SimulationOptions, moves: readonly Move[]): Simulation {
  const simulation = createSimulation(options);
  simulation.start();
  for (const each of moves) attempt(() => each(simulation));
  return simulation;
}

function attempt(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
  }
}

function digestOf(simulation: Simulation): string {
  return traceDigest(simulation.traceLines());
}

describe.each(['bully-oneshot', 'cr-join', 'raft', 'db-lease', 'zk-recipe'] as const)(
  'whatever is done from outside in %s',
  (protocol) => {
    const options: SimulationOptions = {
      ...{ protocol, nodes: 6, seed: SEED, trace: true },
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 7 },
      outside: [
        { rank: 2, waits: true },
        { rank: 3, waits: false },
      ],
      ...{ openings: [4, 6], phantoms: [5] },
    };

    it('has the effects that the reference world gives it', () => {
      fc.assert(
        fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
          const simulation = played(options, moves);
          const { plan } = simulation;

          const cast = createPlannedCast(plan, { clock: () => 0, note: () => undefined });
          let world = createWorld(cast, plan.crashedBefore, plan.absent);
          for (const { action, effects } of simulation.records()) {
            const next = applyTraced(cast, world, action);
            expect(next.effects).toEqual(effects);
            world = next.world;
          }
          const { messages, inFlight } = simulation.status();
          expect(world.sent).toBe(messages.total);
          expect(world.inFlight).toHaveLength(inFlight);
          expect(simulation.nodes().map(({ up, leader }) => ({ up, leader }))).toEqual(
            world.nodes.slice(0, plan.nodes).map(({ up, leader }) => ({ up, leader })),
          );
        }),
        { seed: 1, numRuns: 60 },
      );
    });

    it('happens the same again from the same start', () => {
      fc.assert(
        fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
          const [once, again] = [played(options, moves), played(options, moves)];

          expect(digestOf(once)).toBe(digestOf(again));
          expect(once.status()).toEqual(again.status());
        }),
        { seed: 2, numRuns: 20 },
      );
    });
  },
);

describe('an honest program', () => {
  const ALL = ['bully-oneshot', 'bully-2phase', 'cr-join', 'hs-slide', 'ring-collect'] as const;
  const CASES = ALL.flatMap((protocol) =>
    (['L0', 'L1', 'L2', 'L3'] as const).map((level) => [protocol, level] as const),
  );

  it.each(CASES)('plays %s at %s as the simulation would', (protocol, level) => {
    const latency = { type: 'uniform', ticksMin: 2, ticksMax: 9 } as const;
    const options = { ...OPTIONS, protocol, level, latency, nodes: 5, ring: 'shuffled' } as const;
    const outside = [2, 5].map((rank) => ({ rank, waits: true }));
    const inside = createSimulation({ ...options, outside: [] });
    inside.start([1]);
    inside.advance({ until: 'idle' });

    const simulation = createSimulation({ ...options, outside });
    simulation.start([1]);
    const players = new Map(outside.map(({ rank }) => [rank, honestPlayer(simulation, rank)]));
    playOn(simulation, players);

    expect(simulation.status()).toEqual({ ...inside.status(), bound: 'idle' });
    expect(simulation.nodes()).toEqual(inside.nodes());
  });

  it('may answer every heartbeat, and the election rests all the same', () => {
    const outside = [1, 2].map((rank) => ({ rank, waits: true }));
    const simulation = createSimulation({ ...OPTIONS, protocol: 'raft', nodes: 5, outside });
    simulation.start();

    const players = new Map(outside.map(({ rank }) => [rank, honestPlayer(simulation, rank)]));
    const bound = playOn(simulation, players);

    expect(bound).toBe('idle');
    expect(simulation.status()).toMatchObject({ agreed: true, awaiting: [] });
  });

  it.each(['db-lease', 'zk-recipe'] as const)('may hold the lease of %s', (protocol) => {
    const outside = [1, 2, 3, 4].map((rank) => ({ rank, waits: true }));
    const simulation = createSimulation({ ...OPTIONS, protocol, outside });
    simulation.start();

    const players = new Map(outside.map(({ rank }) => [rank, honestPlayer(simulation, rank)]));
    playOn(simulation, players);

    expect(simulation.status()).toMatchObject({ agreed: true });
  });
});

describe('a place that is open', () => {
  const OPEN: SimulationOptions = { ...OPTIONS, outside: [], openings: [4] };

  it('has no node until one joins, which the others learn', () => {
    const simulation = createSimulation(OPEN);
    simulation.start();
    simulation.advance({ until: 'idle' });
    const { leader } = simulation.status();

    simulation.takeRecords();
    simulation.enter(4, { waits: true });
    const reported = simulation.records().map(({ action }) => action);

    expect(leader).toBe(3);
    expect(reported).toEqual([
      { type: 'enter', node: 4 },
      ...[1, 2, 3].map((node) => ({ type: 'join', node, about: 4 })),
      ...[1, 2, 3].map((node) => ({ type: 'trust', node, about: 4 })),
      { type: 'start', node: 4 },
    ]);
    expect(simulation.inbox(4).events).toEqual([
      { number: 1, at: simulation.status().ticks, event: { type: 'start' } },
    ]);
    expect(simulation.status().awaiting).toEqual([4]);
  });

  it.each(['bully-oneshot', 'cr-join'] as const)(
    'is won by an honest program in %s, at every level, and nothing is refused',
    (protocol) => {
      for (const level of ['L0', 'L1', 'L2', 'L3'] as const) {
        const simulation = createSimulation({ ...OPEN, protocol, level, election: 'of May' });
        simulation.start();
        simulation.advance({ until: 'idle' });

        simulation.enter(4, { waits: true });
        playOn(simulation, new Map([[4, honestPlayer(simulation, 4)]]));

        expect(simulation.status(), level).toMatchObject({ leader: 4, agreed: true, idle: true });
        const counts = [1, 2, 3].map((rank) => JSON.stringify(simulation.stateOf(rank)));
        for (const state of counts) expect(state).toMatch(/"signature":0,"candidacy":0/);
      }
    },
  );

  it('makes another election in a ring whose signatures are for one', () => {
    const names = (options: Partial<SimulationOptions>) => {
      const simulation = createSimulation({ ...OPEN, protocol: 'cr-join', ...options });
      const before = simulation.electionName();
      simulation.enter(4, { waits: false });
      return [before, simulation.electionName()];
    };

    expect(names({ level: 'L3' })).toEqual(['3', '4']);
    expect(names({ level: 'L3', election: 'e_1' })).toEqual(['e_1.3', 'e_1.4']);
    expect(names({ level: 'L2', election: 'e_1' })).toEqual(['e_1', 'e_1']);
    expect(names({ level: 'L3', protocol: 'bully-oneshot' })).toEqual(['1', '1']);
  });
});
