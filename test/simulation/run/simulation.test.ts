/**
 * @module
 * A simulation moved by hand: what stands when, what ends an advance, what the detector says, what is
 * refused.
 */

import { describe, expect, it } from 'vitest';

import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Action } from '../../../src/election/world/world.ts';
import { LabError } from '../../../src/errors.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { FAULTS_LIMIT, NODES_LIMIT } from '../../../src/simulation/plan/plan.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';

const BULLY = { protocol: 'bully-oneshot', nodes: 3, seed: SEED } as const;
const RING = { protocol: 'cr-join', nodes: 3, ring: 'by-id', seed: SEED } as const;

/** A machine that sets timers and does no more; node 1 elects itself when `once` fires. */
const CLOCK: AnyMachine = {
  init: () => null,
  step(self, _state, event, effects) {
    if (event.type === 'start') {
      effects.setTimer('beat', 10, true);
      effects.setTimer('once', 25, false);
    }
    if (event.type === 'timeout' && event.timer === 'once') effects.elect(self.rank, 0);
  },
};

function timesOf(simulation: Simulation, type: Action['type']): number[] {
  return simulation
    .records()
    .filter(({ action }) => action.type === type)
    .map(({ t }) => t);
}

describe('a new simulation', () => {
  it('stands at time 0, idle, with nothing sent', () => {
    expect(createSimulation(BULLY).status()).toMatchObject({
      ticks: 0,
      idle: true,
      bound: null,
      leader: null,
      agreed: false,
      messages: { ELECTION: 0, OK: 0, COORDINATOR: 0, total: 0 },
      inFlight: 0,
      verdict: { value: 'unknown', reason: 'the election has not come to rest' },
    });
  });

  it('orders the ring by its seed unless told', () => {
    const orders = [1, 2, 3].map(() => createSimulation({ ...RING, ring: 'shuffled', nodes: 50 }));

    expect(createSimulation(RING).plan.ring).toEqual([1, 2, 3]);
    expect(createSimulation({ ...RING, ring: [2, 1, 3] }).plan.ring).toEqual([2, 1, 3]);
    expect(new Set(orders.map(({ plan }) => plan.ring.join())).size).toBe(1);
    expect(orders[0]?.plan.ring.toSorted((left, right) => left - right)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  it('may run 100 ticks a node and 20 longest time-outs', () => {
    expect(createSimulation(BULLY).plan.untilTicks).toBe(100 * 3 + 20 * 8);
  });
});

describe('advance', () => {
  it('stops at a tick with everything up to it done', () => {
    const simulation = createSimulation(RING);
    simulation.start([1]);

    const bounds = [0, 1, 2].map((until) => simulation.advance({ until }));

    expect(bounds).toEqual(['until', 'until', 'until']);
    expect(simulation.status()).toMatchObject({ ticks: 2, inFlight: 1, messages: { PROBE: 3 } });
  });

  it('stops after as many events as it was allowed', () => {
    const simulation = createSimulation(RING);
    simulation.start();

    expect(simulation.advance({ until: 'idle', events: 2 })).toBe('events');
    expect(simulation.status()).toMatchObject({ ticks: 1, bound: 'events', idle: false });
    expect(simulation.status().verdict.value).toBe('unknown');
    expect(simulation.advance({ until: 'idle' })).toBe('idle');
    expect(simulation.status().verdict.value).toBe('true');
  });

  it('gives up an election that goes on too long', () => {
    const outcome = simulateElection({ ...RING, untilTicks: 4 });

    expect(outcome).toMatchObject({ bound: 'until', leader: 3, agreed: false, ticks: 4 });
    expect(outcome.verdict).toMatchObject({
      value: 'unknown',
      reason: 'the election has not come to rest',
    });
  });

  it('counts its patience from the last start, however it is cut', () => {
    const simulation = createSimulation({ ...RING, untilTicks: 6 });
    simulation.start();

    while (simulation.advance({ until: 'idle', events: 1 }) === 'events');

    expect(simulation.status()).toMatchObject({ ticks: 6, bound: 'idle' });
    simulation.start();
    expect(simulation.advance({ until: 'idle' })).toBe('idle');
    expect(simulation.status().ticks).toBe(12);
  });

  it('does not rest while a scripted fault lies ahead', () => {
    const outcome = simulateElection({ ...BULLY, faults: [{ type: 'crash', rank: 3, at: 90 }] });

    expect(outcome).toMatchObject({ bound: 'idle', leader: 2, agreed: true });
    expect(outcome.ticks).toBeGreaterThan(90);
  });

  it('never goes back', () => {
    const simulation = createSimulation(BULLY);
    simulation.advance({ until: 10 });

    expect(() => simulation.advance({ until: 9 })).toThrow(LabError);
    expect(simulation.advance({ until: 10 })).toBe('idle');
  });
});

describe('rest with periodic timers', () => {
  it('comes one longest period after the leader last changed', () => {
    const simulation = createSimulation({ ...RING, nodes: 1 }, () => CLOCK);
    simulation.start();

    simulation.advance({ until: 'idle' });

    expect(simulation.status()).toMatchObject({ idle: true, ticks: 40, leader: 1 });
  });
});

describe('the failure detector', () => {
  it('informs every live node T ticks after a crash', () => {
    const simulation = createSimulation({
      ...BULLY,
      faults: [{ type: 'crash', rank: 3, at: 20 }],
      trace: true,
    });
    simulation.start();
    simulation.advance({ until: 'idle' });

    expect(timesOf(simulation, 'crash')).toEqual([20]);
    expect(timesOf(simulation, 'suspect')).toEqual([23, 23]);
  });

  it('reports a restart before the restarted node acts', () => {
    const simulation = createSimulation({ ...BULLY, trace: true });
    simulation.crash(3);
    simulation.advance({ until: 10 });
    simulation.recover(3);

    const types = simulation.records().map(({ action }) => action.type);

    expect(types.slice(-3)).toEqual(['trust', 'trust', 'recover']);
  });

  it('says nothing of a node that is back within T', () => {
    const simulation = createSimulation({ ...BULLY, trace: true });
    simulation.crash(3);
    simulation.advance({ until: 2 });
    simulation.recover(3);
    simulation.advance({ until: 'idle' });

    expect(timesOf(simulation, 'suspect')).toEqual([]);
    expect(simulation.status()).toMatchObject({ leader: 3, agreed: true });
  });

  it('suspects a node anew after each crash', () => {
    const simulation = createSimulation({ ...BULLY, trace: true });
    for (const at of [0, 1, 2]) {
      simulation.advance({ until: at });
      if (at === 1) simulation.recover(3);
      else simulation.crash(3);
    }
    simulation.advance({ until: 'idle' });

    expect(timesOf(simulation, 'suspect')).toEqual([5, 5]);
  });
});

describe('faults of one tick', () => {
  it('come before starts and deliveries of that tick', () => {
    const outcome = simulateElection({ ...BULLY, faults: [{ type: 'crash', rank: 3, at: 0 }] });

    expect(outcome.messages).toMatchObject({ ELECTION: 3, COORDINATOR: 1 });
    expect(outcome.leader).toBe(2);
  });

  it('are skipped when somebody outside was there first', () => {
    const simulation = createSimulation({
      ...BULLY,
      faults: [{ type: 'crash', rank: 3, at: 50 }],
      trace: true,
    });
    simulation.start();
    simulation.advance({ until: 20 });
    simulation.crash(3);
    simulation.advance({ until: 'idle' });

    expect(timesOf(simulation, 'crash')).toEqual([20]);
    expect(simulation.status()).toMatchObject({ leader: 2, agreed: true });
  });
});

describe('refusals', () => {
  const crash = (rank: number, at: number) => ({ type: 'crash', rank, at }) as const;
  const recover = (rank: number, at: number) => ({ type: 'recover', rank, at }) as const;

  it.each<[string, Partial<SimulationOptions>]>([
    ['nodes must be a whole number in 1..1000000, not 0', { nodes: 0 }],
    ['nodes must be a whole number in 1..1000000, not 1000001', { nodes: NODES_LIMIT + 1 }],
    ['nodes must be a whole number in 1..1000000, not 2.5', { nodes: 2.5 }],
    ['ring has 2 ranks for 3 nodes', { ring: [1, 2] }],
    ['ring names rank 2 twice', { ring: [1, 2, 2] }],
    ['ring: rank must be a whole number in 1..3, not 4', { ring: [1, 2, 4] }],
    ['crashedBefore: rank must be a whole number in 1..3, not 0', { crashedBefore: [0] }],
    ['crashedBefore names rank 3 twice', { crashedBefore: [3, 3] }],
    ['crashedBefore leaves none of 3 nodes alive', { crashedBefore: [1, 2, 3] }],
    ['faults: rank must be a whole number in 1..3, not 4', { faults: [crash(4, 1)] }],
    ['faults: 3 cannot crash at 2, it is down then', { faults: [crash(3, 1), crash(3, 2)] }],
    ['faults: 3 cannot crash at 2, it is down then', { faults: [crash(3, 2), crash(3, 1)] }],
    ['faults: 3 cannot recover at 1, it is up then', { faults: [recover(3, 1)] }],
    [
      `faults has more than ${FAULTS_LIMIT} entries`,
      { faults: Array.from({ length: FAULTS_LIMIT + 1 }, (_, at) => crash(3, at)) },
    ],
    [
      '3 died before the run and the ring is closed around it, so it cannot recover',
      { crashedBefore: [3], faults: [recover(3, 1)] },
    ],
    ['untilTicks must be a whole number in 0..1000000000000, not -1', { untilTicks: -1 }],
    [
      'latency must be whole ticks in 1..1000000, such as 1, uniform:10:50 or exp:30',
      { latency: { type: 'constant', ticks: 0 } },
    ],
  ])('%s', (detail, options) => {
    const create = () => createSimulation({ ...RING, ...options });

    expect(create).toThrow(new LabError('arguments', detail));
  });

  it.each<[string, (simulation: Simulation) => void]>([
    ['start: rank must be a whole number in 1..3, not 4', (simulation) => simulation.start([4])],
    ['start names rank 1 twice', (simulation) => simulation.start([1, 1])],
    [
      'events must be a whole number in 0..1000000000000, not -1',
      (simulation) => simulation.advance({ until: 'idle', events: -1 }),
    ],
  ])('%s', (detail, act) => {
    const simulation = createSimulation(BULLY);
    simulation.crash(2);

    expect(() => act(simulation)).toThrow(new LabError('arguments', detail));
    expect(simulation.status().messages.total).toBe(0);
  });

  it.each<[string, (simulation: Simulation) => void]>([
    ['node 2 is down at 0', (simulation) => simulation.start([1, 2])],
    ['node 2 is down at 0', (simulation) => simulation.crash(2)],
    ['node 1 is up at 0', (simulation) => simulation.recover(1)],
    ['nothing is cut', (simulation) => simulation.heal()],
    ['no message 7 is on the way at 0', (simulation) => simulation.deliver(7)],
    ['node 2 is down at 0', (simulation) => simulation.suspect(1, [2])],
  ])('%s, as it stands', (detail, act) => {
    const simulation = createSimulation(BULLY);
    simulation.crash(2);

    expect(() => act(simulation)).toThrow(new LabError('election.conflict', detail));
    expect(simulation.status().messages.total).toBe(0);
  });

  it('of a machine that asks for what the simulator cannot do', () => {
    const gambler: AnyMachine = {
      init: () => null,
      step: (_self, _state, _event, effects) => effects.call({ type: 'READ' }),
    };
    const simulation = createSimulation(RING, () => gambler);

    expect(() => simulation.start()).toThrow(TypeError);
  });
});

describe('two leaders', () => {
  it('are a breach also where the incumbent died before the run', () => {
    const isolated = {
      type: 'partition',
      cut: { kind: 'isolate', rank: 1 },
      from: 0,
      to: 100,
    } as const;
    const { verdict } = simulateElection({
      ...{ protocol: 'bully-oneshot', nodes: 6, seed: SEED, crashedBefore: [6] },
      schedule: { faults: [isolated], calm: null, detector: 'links' },
    });

    expect(verdict.properties.uniqueness.value).toBe('false');
    expect(verdict.reason).toBe('nodes 1 and 5 both led at 3');
  });
});
