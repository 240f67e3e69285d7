/**
 * @module
 * Actions that are refused from outside, and that change nothing.
 */

import { describe, expect, it } from 'vitest';

import { LabError } from '../../../src/errors.ts';
import { traceDigest } from '../../../src/simulation/engine/trace.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { loadRun, saveRun } from '../../../src/simulation/report/saved-run.ts';
import { INJECTED_EFFECTS_LIMIT } from '../../../src/simulation/run/outside-play.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation, headerOf } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';

const OPTIONS: SimulationOptions = {
  ...{ protocol: 'bully-oneshot', nodes: 4, seed: SEED, trace: true, ring: 'by-id' },
  outside: [{ rank: 2, waits: true }],
};

function digestOf(simulation: Simulation): string {
  return traceDigest(simulation.traceLines());
}

describe('what is refused', () => {
  const RUNNING: SimulationOptions = {
    ...OPTIONS,
    ...{ nodes: 7, openings: [6, 7], phantoms: [5] },
    schedule: {
      faults: [{ type: 'pause', rank: 4, from: 1, to: 90 }],
      ...{ calm: null, detector: 'crashes' },
    },
    outside: [
      { rank: 2, waits: false },
      { rank: 3, waits: false },
      { rank: 4, waits: false },
    ],
  };
  const send = { type: 'send', to: 1, message: { type: 'OK' } } as const;
  const timer = { type: 'set-timer', timer: 't', ticks: 1, periodic: false } as const;

  it.each<[string, (simulation: Simulation) => void, string]>([
    ['a message from no node', (run) => run.inject(0, [send]), '1..7'],
    ['a word of a place beyond all', (run) => run.inject(8, [send]), '1..7'],
    ['a message to no node', (run) => run.inject(2, [send, { ...send, to: 8 }]), 'send: to'],
    ['a timer of an honest node', (run) => run.inject(1, [timer]), 'nothing but messages'],
    ['a timer of an open place', (run) => run.inject(6, [timer]), 'nothing but messages'],
    ['a timer of a dead node', (run) => run.inject(3, [send, timer]), 'node 3 is down'],
    ['a timer of a paused node', (run) => run.inject(4, [timer]), 'node 4 is paused'],
    ['a timer in no time', (run) => run.inject(2, [{ ...timer, ticks: -1 }]), 'ticks'],
    [
      'a timer that fires for ever at once',
      (run) => run.inject(2, [{ ...timer, ticks: 0, periodic: true }]),
      'set-timer: ticks',
    ],
    ['a timer without a name', (run) => run.inject(2, [{ ...timer, timer: '' }]), 'characters'],
    [
      'a message of a type without end',
      (run) => run.inject(2, [{ ...send, message: { type: 'x'.repeat(101) } }]),
      'message.type',
    ],
    [
      'a leader that is none',
      (run) => run.inject(2, [{ type: 'elect', leader: 8, epoch: 0 }]),
      'elect: leader',
    ],
    [
      'an epoch that is none',
      (run) => run.inject(2, [{ type: 'elect', leader: 1, epoch: 0.5 }]),
      'elect: epoch',
    ],
    [
      'too much at once',
      (run) =>
        run.inject(
          2,
          Array.from({ length: INJECTED_EFFECTS_LIMIT + 1 }, () => send),
        ),
      'entries',
    ],
    ['to enter a place that is taken', (run) => run.enter(7, { waits: true }), 'is taken'],
    ['to enter a place that is not open', (run) => run.enter(5, { waits: true }), 'not open'],
    ['to read for an honest node', (run) => run.inbox(1), 'node 1 is not played'],
    ['to answer for an open place', (run) => run.answered(6, 0), 'node 6 is not played'],
    ['to answer what was not told', (run) => run.answered(2, 99), 'through'],
    ['to stop waiting for an honest node', (run) => run.lapse(1), 'node 1 is not played'],
    ['to recover an open place', (run) => run.recover(6), 'has not joined'],
  ])('%s changes nothing', (_name, act, says) => {
    const simulation = createSimulation(RUNNING);
    simulation.enter(7, { waits: false });
    simulation.start();
    simulation.advance({ until: 3 });
    simulation.crash(3);
    const before = [digestOf(simulation), simulation.status(), simulation.inbox(2)];

    expect(() => act(simulation)).toThrow(says);
    expect(() => act(simulation)).toThrow(LabError);

    expect([digestOf(simulation), simulation.status(), simulation.inbox(2)]).toEqual(before);
  });

  it('is a word in another name where the network knows its senders', () => {
    const simulation = createSimulation({ ...OPTIONS, level: 'L1', openings: [4] });

    expect(() => simulation.inject(1, [send])).toThrow('at L1 the network knows its senders');
    expect(() => simulation.inject(4, [send])).toThrow(LabError);
    expect(() => simulation.inject(2, [send])).not.toThrow();
    simulation.enter(4, { waits: false });
    expect(() => simulation.inject(4, [send])).not.toThrow();
  });

  it('is any word where messages are not looked at', () => {
    const simulation = createSimulation({ ...OPTIONS, outside: [] });

    expect(() => simulation.inject(1, [send])).toThrow('make it with level L0 or higher');
  });

  it('is a call of the store in another name, since it knows who calls', () => {
    const simulation = createSimulation({ ...OPTIONS, protocol: 'db-lease' });
    const call = { ...send, to: 5 };

    expect(() => simulation.inject(1, [call])).toThrow(LabError);
    expect(() => simulation.inject(2, [call])).not.toThrow();
    expect(simulation.records().at(-1)?.effects).toMatchObject([{ type: 'call', to: 5 }]);
  });

  it('is not to say nothing, which is no event either', () => {
    const simulation = createSimulation(OPTIONS);

    simulation.inject(2, []);

    expect(simulation.records()).toEqual([]);
  });
});

describe('options', () => {
  const EVERYBODY = [1, 2, 3, 4].map((rank) => ({ rank, waits: true }));

  it.each<[Partial<SimulationOptions>, string]>([
    [{ outside: [{ rank: 5, waits: true }] }, 'outside: rank must be a whole number in 1..4'],
    [{ outside: [...EVERYBODY, ...EVERYBODY] }, 'outside names rank 1 twice'],
    [{ phantoms: [2] }, 'outside: 2 is a phantom'],
    [{ crashedBefore: [2] }, 'outside: 2 is a phantom or died'],
    [{ byzantine: [{ rank: 2, behaviours: ['swallow'] }] }, 'outside: 2 is Byzantine'],
    [{ openings: [0] }, 'openings: rank must be a whole number'],
    [{ openings: [3, 3] }, 'openings names rank 3 twice'],
    [{ openings: [2] }, 'openings: 2 is an outside node'],
    [{ openings: [3], phantoms: [3] }, 'openings: 3 is a phantom'],
    [{ openings: [3], byzantine: [{ rank: 3, behaviours: ['swallow'] }] }, '3 is Byzantine'],
    [{ openings: [3, 4, 1], phantoms: [], outside: [], crashedBefore: [2] }, 'no node present'],
    [{ openings: [3], nodes: 10_001, protocol: 'cr-join' }, 'openings takes at most 10000 nodes'],
    [{ election: '' }, 'election must have 1..100 characters'],
  ])('%o are refused', (more, says) => {
    expect(() => planSimulation({ ...OPTIONS, ...more })).toThrow(says);
    expect(() => planSimulation({ ...OPTIONS, ...more })).toThrow(LabError);
  });

  it('look at messages unless they are told otherwise, and are in the header of a trace', () => {
    const plan = planSimulation({ ...OPTIONS, openings: [4, 3], election: 'e' });

    expect(plan).toMatchObject({ level: 'L0', absent: [3, 4] });
    expect(headerOf(plan).options).toMatchObject({
      ...{ level: 'L0', openings: [3, 4], election: 'e', outside: [{ rank: 2, waits: true }] },
    });
    expect(headerOf(planSimulation({ ...OPTIONS, outside: [] })).options).not.toHaveProperty(
      'level',
    );
  });

  it('are saved only without outside players, whose messages cannot be repeated', () => {
    const plan = planSimulation({ ...OPTIONS, outside: [], level: 'L3', election: 'e' });
    const digest = { initiators: null, digest: null };

    expect(planSimulation(loadRun(saveRun(plan, digest)).options)).toEqual({
      ...plan,
      trace: false,
    });
    expect(() => saveRun(planSimulation(OPTIONS), digest)).toThrow('cannot be saved');
  });
});
