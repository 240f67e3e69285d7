/**
 * @module
 * Schedules as data: read strictly, drawn from a seed, shrunk, saved and run again.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaultKind } from '../../../src/election/definition/drawn-faults.ts';
import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import { LabError } from '../../../src/errors.ts';
import { deriveSeed, parseSeed } from '../../../src/random.ts';
import { traceDigest } from '../../../src/simulation/engine/trace.ts';
import { drawSchedule } from '../../../src/simulation/faults/draw.ts';
import type { Schedule, ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { parseSchedule } from '../../../src/simulation/faults/schedule.ts';
import { shrinkSchedule } from '../../../src/simulation/faults/shrink.ts';
import { loadRun, saveRun } from '../../../src/simulation/report/saved-run.ts';
import {
  judgePhases,
  runElection,
  simulateElection,
} from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { scheduleOf, swarmRun } from '../schedules.ts';

const CALM = { at: 100, ticks: 50, restart: false };

function drawn(number: number, kinds: readonly FaultKind[] = FAULT_KINDS): Schedule {
  return drawSchedule(deriveSeed(SEED, number), {
    ...{ name: 'swarm', nodes: 5, kinds, electionTicks: 20, calmAt: 200, calmTicks: 100 },
    ...{ restart: true, detector: 'links' },
  });
}

describe('parseSchedule', () => {
  it('takes every drawn schedule as it is', () => {
    for (let number = 0; number < 500; number += 1) {
      const schedule = drawn(number);

      const parsed = parseSchedule(JSON.parse(JSON.stringify(schedule)), 5);

      expect(parsed).toEqual(schedule);
    }
  });

  const fault = (...faults: readonly unknown[]) => ({ faults, calm: CALM, detector: 'crashes' });
  it.each<[string, unknown]>([
    ['(the whole) must be an object', 'no'],
    ['/calm is missing', { faults: [], detector: 'crashes' }],
    ['/detector must be one of crashes, links', { faults: [], calm: null, detector: 'best' }],
    ['/more is not a known member', { ...fault(), more: 1 }],
    ['/faults must be a list', { ...fault(), faults: {} }],
    ['/faults/0/type must be one of crash, restart,', fault({ type: 'toString' })],
    ['/faults/0/rank must be a whole number in 1..5', fault({ type: 'crash', rank: 6, at: 1 })],
    ['/faults/0/at must be a whole number in 0..', fault({ type: 'crash', rank: 5, at: 1.5 })],
    ['/faults/0/at is missing', fault({ type: 'crash', rank: 5 })],
    [
      '/faults/0 begins at 100, after the calm has begun',
      fault({ type: 'crash', rank: 5, at: 100 }),
    ],
    ['/faults/0/to must be after from, 9', fault({ type: 'blackout', from: 9, to: 9 })],
    [
      '/faults/0/share must be a probability in 0..1',
      fault({ type: 'loss', share: 1.1, from: 0, to: null }),
    ],
    ['/faults/1 5 joins twice', fault(...[1, 2].map((at) => ({ type: 'join', rank: 5, at })))],
    [
      '/faults leave no node that is present at first',
      fault(...[1, 2, 3, 4, 5].map((rank) => ({ type: 'join', rank, at: 1 }))),
    ],
    [
      '/faults/0/cut/links/0 must be two different ranks',
      fault({ type: 'partition', cut: { kind: 'links', links: [[1, 1]] }, from: 0, to: 5 }),
    ],
    [
      '/faults/0/cut/kind must be one of isolate, halves,',
      fault({ type: 'partition', cut: { kind: 'thirds' }, from: 0, to: 5 }),
    ],
  ])('says %s', (detail, value) => {
    const parse = () => parseSchedule(value, 5);

    expect(parse).toThrow(LabError);
    expect(parse).toThrow(`this is not a schedule: ${detail}`);
  });

  it('names every place that is wrong', () => {
    const faults = [{ type: 'crash', rank: 0, at: -1 }];

    const parse = () => parseSchedule({ faults, calm: null, detector: 'crashes' }, 5);

    const positions = [{ pointer: '/faults/0/rank' }, { pointer: '/faults/0/at' }];
    expect(parse).toThrow(
      expect.objectContaining({
        code: 'schema',
        faults: positions.map((position) => expect.objectContaining(position)),
      }),
    );
  });
});

describe('a simulation', () => {
  const base = { protocol: 'cr-join', nodes: 5, seed: SEED } as const;
  const join = { type: 'join', rank: 5, at: 3 } as const;
  const restart = { type: 'restart', rank: 5, at: 3, amnesia: false } as const;

  it.each([
    ['5 joins, but died before the run', { crashedBefore: [5], schedule: scheduleOf(join) }],
    ['the ring is closed around it', { crashedBefore: [5], schedule: scheduleOf(restart) }],
    ['at most 10000 nodes', { nodes: 10_001, schedule: scheduleOf(join) }],
    [
      'at most 512 nodes',
      { nodes: 513, schedule: { ...scheduleOf(), detector: 'links' } as const },
    ],
    [
      'a message could take 2000000 ticks',
      {
        latency: { type: 'constant', ticks: 1_000_000 } as const,
        schedule: scheduleOf({ type: 'slowdown', factor: 2, from: 0, to: null }),
      },
    ],
  ])('refuses a schedule: %s', (detail, options) => {
    expect(() => createSimulation({ ...base, ...options })).toThrow(detail);
  });
});

describe('drawSchedule', () => {
  it('gives the same for a seed, runs without faults, with one kind, and with many', () => {
    const sizes = Array.from({ length: 400 }, (_, number) => drawn(number).faults.length);

    expect(Array.from({ length: 400 }, (_, number) => drawn(number).faults.length)).toEqual(sizes);
    expect(sizes.filter((size) => size === 0).length).toBeGreaterThan(20);
    expect(sizes.filter((size) => size <= 2 && size > 0).length).toBeGreaterThan(50);
    expect(Math.max(...sizes)).toBeGreaterThan(8);
  });

  it('draws each kind by itself, whatever else it may draw', () => {
    const lossOf = ({ faults }: Schedule) => faults.find(({ type }) => type === 'loss');
    const pairs = Array.from({ length: 200 }, (_, number) => [
      lossOf(drawn(number)),
      lossOf(drawn(number, ['loss', 'pause'])),
    ]);

    const both = pairs.filter(([one, other]) => one !== undefined && other !== undefined);

    expect(both.length).toBeGreaterThan(10);
    for (const [one, other] of both) expect(one).toEqual(other);
  });
});

describe('shrinkSchedule', () => {
  const fails = (number: number) => (schedule: Schedule) => {
    const run = { ...swarmRun(number, { protocol: 'bully-oneshot' }), schedule };
    return judgePhases(simulateElection(run)).verdict.properties.uniqueness.value === 'false';
  };
  const failing = Array.from({ length: 300 }, (_, number) => number)
    .map((number) => ({
      number,
      schedule: swarmRun(number, { protocol: 'bully-oneshot' }).schedule,
    }))
    .filter(({ number, schedule }) => schedule !== undefined && fails(number)(schedule))
    .slice(0, 20);

  it('keeps the failure, and nothing that it does not need', () => {
    expect(failing.length).toBe(20);
    for (const { number, schedule } of failing) {
      if (schedule === undefined) continue;
      const shrunk = shrinkSchedule(schedule, fails(number));

      const { faults } = shrunk.schedule;
      expect(shrunk.minimal).toBe(true);
      expect(fails(number)(shrunk.schedule), `seed ${number}`).toBe(true);
      expect(faults.length).toBeLessThanOrEqual(schedule.faults.length);
      for (const index of faults.keys()) {
        const smaller = { ...shrunk.schedule, faults: faults.toSpliced(index, 1) };
        expect(fails(number)(smaller), `seed ${number} without ${index}`).toBe(false);
      }
      expect(shrinkSchedule(schedule, fails(number))).toEqual(shrunk);
    }
  });

  it('shortens what it keeps', () => {
    const pause = { type: 'pause', rank: 1, from: 10, to: 90 } as const;
    const needsTick20 = ({ faults }: Schedule) =>
      faults.some((fault) => fault.type === 'pause' && fault.to > 20);

    const { schedule } = shrinkSchedule(scheduleOf(pause, { ...pause, rank: 2 }), needsTick20);

    expect(schedule.faults).toEqual([{ ...pause, to: 30 }]);
  });

  it('says when it stopped trying, and refuses what does not fail', () => {
    const crashes = Array.from({ length: 9 }, (_, index): ScheduledFault => {
      return { type: 'crash', rank: index + 1, at: 1 };
    });
    const schedule = scheduleOf(...crashes);

    expect(shrinkSchedule(schedule, () => true, 3)).toMatchObject({ tries: 3, minimal: false });
    expect(() => shrinkSchedule(schedule, () => false)).toThrow(RangeError);
  });
});

describe('a saved run', () => {
  it('gives the trace that it was saved with', () => {
    for (let number = 0; number < 40; number += 1) {
      const options = { ...swarmRun(number, { protocol: 'bully-oneshot' }), trace: true };
      const initiators = number % 2 === 0 ? null : [1];
      const simulation = createSimulation(options);
      if (initiators === null) simulation.start();
      else if (!simulation.plan.absent.includes(1)) simulation.start(initiators);
      simulation.advance({ until: 'idle' });
      if (simulation.plan.absent.includes(1)) continue;
      const digest = traceDigest(simulation.traceLines());

      const loaded = loadRun(saveRun(simulation.plan, { initiators, digest }));
      const again = createSimulation({ ...loaded.options, trace: true });
      runElection(again, loaded.options.initiators);

      expect(loaded.digest).toBe(digest);
      expect(traceDigest(again.traceLines()), `seed ${number}`).toBe(digest);
    }
  });

  it('of every kind of latency and links is read back', () => {
    const latencies = [
      { type: 'constant', ticks: 4 },
      { type: 'exponential', ticksMean: 7 },
    ] as const;
    const links = [
      { type: 'seeded', factorMax: 3 },
      { type: 'given', factors: [{ from: 1, to: 2, factor: 9 }] },
    ] as const;
    for (const [index, latency] of latencies.entries()) {
      const { plan } = createSimulation({
        ...{ protocol: 'cr-join', nodes: 3, seed: SEED, latency, links: links[index] },
      });

      const { options } = loadRun(saveRun(plan, { initiators: null, digest: null }));

      expect(createSimulation(options).plan).toEqual(plan);
    }
  });

  it.each<[string, string, (saved: Record<string, unknown>) => unknown]>([
    ['json.syntax', 'a saved run is JSON', () => undefined],
    ['schema', '/format must be one of usurp/schedule/v1', (saved) => ({ ...saved, format: 'v2' })],
    ['schema', '/protocol must be one of', (saved) => ({ ...saved, protocol: 'paxos' })],
    ['schema', '/more is not a known member', (saved) => ({ ...saved, more: 1 })],
    [
      'schema',
      'this is not a schedule: (the whole) must be an object',
      (saved) => ({ ...saved, schedule: 7 }),
    ],
    ['arguments', 'latency "x"', (saved) => ({ ...saved, latency: 'x' })],
    ['arguments', 'ring names rank 1 twice', (saved) => ({ ...saved, ring: [1, 1, 2] })],
  ])('is refused with %s: %s', (code, detail, spoil) => {
    const { plan } = createSimulation({ protocol: 'cr-join', nodes: 3, seed: SEED });
    const saved = JSON.parse(saveRun(plan, { initiators: null, digest: null }));

    const load = () => loadRun(JSON.stringify(spoil(saved)) ?? '{');

    expect(load).toThrow(expect.objectContaining({ code }));
    expect(load).toThrow(detail);
  });
});

describe('two phases', () => {
  it('judge liveness at the deadline even of an election that goes on', () => {
    // A ring of 9 needs 9 ticks and more.
    const schedule: Schedule = {
      faults: [],
      calm: { at: 1, ticks: 2, restart: false },
      detector: 'crashes',
    };
    const options = { protocol: 'cr-join', nodes: 9, seed: SEED, schedule } as const;

    const outcome = judgePhases(simulateElection(options));

    expect(outcome).toMatchObject({ bound: 'until', end: 'until', liveness: 'false' });
  });

  it('word an agreed leader, none, and several', () => {
    const base = createSimulation({ protocol: 'cr-join', nodes: 2, seed: parseSeed('1') });
    const outcome = runElection(base);
    const { properties } = outcome.verdict;
    const agreement = { value: 'false', witnessed: true } as const;
    const split = { ...outcome.verdict, properties: { ...properties, agreement } };

    expect(judgePhases(outcome)).toMatchObject({ end: 'leader', safety: 'true', liveness: 'true' });
    expect(judgePhases({ ...outcome, agreed: false }).end).toBe('no-leader');
    expect(judgePhases({ ...outcome, agreed: false, verdict: split })).toMatchObject({
      ...{ end: 'split', safety: 'false', liveness: 'false' },
    });
  });
});

describe('draws', () => {
  it('of any seed read back from JSON unchanged', () => {
    fc.assert(
      fc.property(fc.nat(), (number) => {
        const schedule = drawn(number);

        expect(JSON.parse(JSON.stringify(schedule))).toEqual(schedule);
      }),
      { seed: 1, numRuns: 100 },
    );
  });
});
