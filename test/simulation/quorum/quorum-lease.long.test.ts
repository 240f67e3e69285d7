/**
 * @module
 * quorum-lease over virtual time: what it costs, what its leases are worth when clocks drift, how long
 * two hold one lease when drift is left out or the lease is counted from the answer, and what nodes
 * that forget their votes break. Clocks that drift are `skew` faults: timers that take longer or less.
 * `FAULT_RUNS` makes it more runs.
 */

import { describe, expect, it } from 'vitest';
import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import { overlapTicks } from '../../../src/election/lease-interval.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { LeadershipMeasures } from '../../../src/simulation/run/audit.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { scheduleOf } from '../schedules.ts';
import { measuresOf, stormRun } from './quorum-storms.ts';

const RUNS = Number(process.env.FAULT_RUNS ?? 60);
const AMNESIA = ['amnesia'];
/** Clocks that are off by more than 5 %. */
const CLOCKS = ['skew', 'drift', 'jump'];
/** Clocks in the storms are 5 % fast, right or 5 % slow. */
const STORM_FLAGS = { leaseTicks: '60', retryTicks: '19', driftPpm: '50000' };

describe('what quorum-lease costs', () => {
  it.each([2, 3, 5, 9])('is 3(n-1) messages for a candidate alone, n = %i', (nodes) => {
    const simulation = createSimulation({ protocol: 'quorum-lease', nodes, seed: SEED });

    simulation.start([1]);
    simulation.advance({ until: 12 });

    const each = nodes - 1;
    expect(simulation.status().messages).toEqual({
      REQ: each,
      GRANT: each,
      DENY: 0,
      MASTER: each,
      total: 3 * each,
    });
    expect(simulation.status()).toMatchObject({ leader: 1, agreed: true });
  });

  it('is 2(n-1) messages for a renewal, two of them a lease', () => {
    const simulation = createSimulation({ protocol: 'quorum-lease', nodes: 5, seed: SEED });
    simulation.start([1]);
    simulation.advance({ until: 12 });

    // A lease of X = 29 ticks is renewed every 14.
    simulation.advance({ until: 12 + 5 * 14 });

    expect(simulation.status().messages).toMatchObject({ REQ: 24, GRANT: 24, DENY: 0, MASTER: 4 });
  });

  it.each([
    ['uniform', { type: 'uniform', ticksMin: 1, ticksMax: 9 }],
    ['constant', { type: 'constant', ticks: 9 }],
  ] as const)('is kept although an answer takes up to a third of a lease, %s', (_name, latency) => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const simulation = createSimulation({
        ...{ protocol: 'quorum-lease', nodes: 5, seed: parseSeed(String(seed)), latency },
        flags: { leaseTicks: '60' },
        audit: true,
      });
      simulation.start();
      simulation.advance({ until: 3000 });

      expect(measuresOf(simulation), `seed ${seed}`).toMatchObject({ reigns: 1, changes: 0 });
    }
  });

  it('settles with all nodes standing at once, any number of them', () => {
    for (let nodes = 1; nodes <= 20; nodes += 1) {
      const outcome = simulateElection({
        protocol: 'quorum-lease',
        nodes,
        seed: parseSeed(String(nodes)),
        latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
      });

      expect(outcome.verdict.value, `${nodes} nodes`).toBe('true');
      expect(outcome.bound).toBe('idle');
    }
  });
});

/** Node 1 becomes master on a clock 1 % slow, is cut off, and 2 and 3 wait on clocks 1 % fast. */
function driftRun(flags: Flags): LeadershipMeasures {
  const simulation = createSimulation({
    protocol: 'quorum-lease',
    nodes: 3,
    seed: SEED,
    flags: { leaseTicks: '1000000', driftPpm: '10000', retryTicks: '10', ...flags },
    schedule: scheduleOf(
      { type: 'skew', rank: 1, numerator: 100, denominator: 99 },
      { type: 'skew', rank: 2, numerator: 100, denominator: 101 },
      { type: 'skew', rank: 3, numerator: 100, denominator: 101 },
      { type: 'partition', cut: { kind: 'isolate', rank: 1 }, from: 100, to: null },
    ),
    audit: true,
  });
  simulation.start([1]);
  simulation.advance({ until: 1_100_000 });
  return measuresOf(simulation);
}

describe('a lease of 10 s on clocks that drift by 1 %, in ticks of 10 us', () => {
  /** Beside the drift: an attempt after 2R at most, its round trip, a second one if both stand. */
  const ELECTION_TICKS = 60;

  it('overlaps by nearly 2Dp/(1-p^2) = .20002 s when the drift is left out', () => {
    const { ticksSplit, changes, leadersPerEpochMax } = driftRun({ drift: 'ignored' });

    const bound = overlapTicks({ leaseTicks: 1_000_000, driftPpm: 10_000 });
    expect(bound).toBe(20_003);
    expect(ticksSplit).toBeLessThanOrEqual(bound);
    expect(ticksSplit).toBeGreaterThanOrEqual(bound - ELECTION_TICKS);
    // Even then a term has one master.
    expect({ changes, leadersPerEpochMax }).toEqual({ changes: 1, leadersPerEpochMax: 1 });
  });

  it('never overlaps when it is taken off, and wastes nothing', () => {
    const { ticksSplit, changes, ticksWithoutLeader } = driftRun({ drift: 'corrected' });

    expect({ ticksSplit, changes }).toEqual({ ticksSplit: 0, changes: 1 });
    // Before the first master and between the two.
    expect(ticksWithoutLeader).toBeLessThanOrEqual(2 * ELECTION_TICKS);
  });
});

/**
 * Node 2 grants node 1 a lease of 1000 ticks. Its answer takes 50. Then it receives messages only from 3,
 * which the candidate cannot reach and which keeps asking.
 */
function slowAnswerRun(number: number, countedFrom: 'send' | 'answer'): LeadershipMeasures {
  const simulation = createSimulation({
    protocol: 'quorum-lease',
    nodes: 3,
    seed: parseSeed(String(number)),
    flags: { leaseTicks: '1000', driftPpm: '0', retryTicks: '60', countedFrom },
    links: { type: 'given', factors: [{ from: 2, to: 1, factor: 50 }] },
    schedule: scheduleOf(
      { type: 'partition', cut: { kind: 'links', links: [[1, 3]] }, from: 0, to: null },
      { type: 'partition', cut: { kind: 'links', links: [[1, 2]] }, from: 300, to: null },
    ),
    audit: true,
  });
  simulation.start([1]);
  simulation.advance({ until: 200 });
  simulation.start([3]);
  simulation.advance({ until: 2000 });
  return measuresOf(simulation);
}

describe('a lease whose grant is a round trip of 51 ticks away', () => {
  const numbers = Array.from({ length: 100 }, (_, number) => number);

  it('overlaps in many runs, never by more than the round trip, when it counts from the answer', () => {
    const split = numbers.map((number) => slowAnswerRun(number, 'answer').ticksSplit);

    expect(split.filter((ticks) => ticks > 0).length).toBeGreaterThan(20);
    expect(Math.max(...split)).toBeGreaterThan(40);
    expect(Math.max(...split)).toBeLessThanOrEqual(51);
  });

  it('never overlaps when it counts from the request', () => {
    const measured = numbers.map((number) => slowAnswerRun(number, 'send'));

    expect(measured.filter(({ ticksSplit }) => ticksSplit > 0)).toEqual([]);
    expect(measured.filter(({ changes }) => changes === 0)).toEqual([]);
  });
});

describe(`${RUNS} runs under drawn faults`, () => {
  it('have one master a term, and with a majority up they end under one', () => {
    let changes = 0;

    for (let number = 0; number < RUNS; number += 1) {
      const simulation = stormOf(number, AMNESIA);
      const measures = measuresOf(simulation);
      changes += measures.changes;

      expect(measures.leadersPerEpochMax ?? 1, `seed ${number}`).toBe(1);
      expect(simulation.status().agreed, `seed ${number}`).toBe(hasMajorityUp(simulation));
    }
    // Masters that never lost their votes would show nothing.
    expect(changes).toBeGreaterThan(RUNS / 2);
  });

  it('have one master at a moment too, without pauses, with clocks that drift no more than 5 %', () => {
    let changes = 0;

    for (let number = 0; number < RUNS; number += 1) {
      const measures = measuresOf(stormOf(number, [...AMNESIA, 'pause', ...CLOCKS]));
      changes += measures.changes;

      expect(measures.ticksSplit, `seed ${number}`).toBe(0);
    }
    expect(changes).toBeGreaterThan(RUNS / 2);
  });

  it('have one master at a moment even if nodes forget their votes', () => {
    let changes = 0;

    for (let number = 0; number < RUNS; number += 1) {
      const measures = measuresOf(stormOf(number, ['pause', ...CLOCKS]));
      changes += measures.changes;

      expect(measures.ticksSplit, `seed ${number}`).toBe(0);
    }
    // But not one a term, see below.
    expect(changes).toBeGreaterThan(RUNS / 2);
  });

  it('have two masters at a moment in some, if masters may pause', () => {
    const numbers = Array.from({ length: 4 * RUNS }, (_, number) => number);

    const split = numbers.find((number) => {
      return measuresOf(stormOf(number, [...AMNESIA, ...CLOCKS])).ticksSplit > 0;
    });

    expect(split).toBeDefined();
  });
});

/** Leases of 1000 ticks, somebody cut off four times for long enough, clocks 5 % fast or slow. */
function cutOffRun(number: number, drift: 'corrected' | 'ignored'): LeadershipMeasures {
  const random = createRandom(parseSeed(String(number)), 'cut-offs');
  const skews = [1, 2, 3].map((rank): ScheduledFault => {
    return { type: 'skew', rank, numerator: 20, denominator: random.below(2) === 0 ? 19 : 21 };
  });
  const cuts = [1000, 3000, 5000, 7000].map((from): ScheduledFault => {
    const cut = { kind: 'isolate', rank: 1 + random.below(3) } as const;
    return { type: 'partition', cut, from, to: from + 1500 };
  });
  const simulation = createSimulation({
    protocol: 'quorum-lease',
    nodes: 3,
    seed: parseSeed(String(number)),
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 2 },
    flags: { leaseTicks: '1000', driftPpm: '50000', retryTicks: '5', drift },
    schedule: scheduleOf(...skews, ...cuts),
    audit: true,
  });
  simulation.start();
  simulation.advance({ until: 9000 });
  return measuresOf(simulation);
}

describe(`${RUNS} runs in which nodes are cut off four times, clocks 5 % fast or slow`, () => {
  const numbers = Array.from({ length: RUNS }, (_, number) => number);

  it('never have two masters at a moment', () => {
    for (const number of numbers) {
      expect(cutOffRun(number, 'corrected').ticksSplit, `seed ${number}`).toBe(0);
    }
  });

  it('have them in some when the drift is left out, never for longer than 2Dp/(1-p^2) each time', () => {
    const split = numbers.map((number) => cutOffRun(number, 'ignored').ticksSplit);

    const bound = 4 * overlapTicks({ leaseTicks: 1000, driftPpm: 50_000 });
    expect(split.filter((ticks) => ticks > 0).length).toBeGreaterThan(10);
    expect(Math.max(...split)).toBeLessThanOrEqual(bound);
  });
});

/** Node 1 leads by the vote of 2 while 3 is away; 1 is cut off, 2 restarts, 3 comes back. */
function restartRun(amnesia: boolean): LeadershipMeasures {
  const options: SimulationOptions = {
    protocol: 'quorum-lease',
    nodes: 3,
    seed: SEED,
    schedule: scheduleOf(
      { type: 'partition', cut: { kind: 'isolate', rank: 3 }, from: 0, to: 50 },
      { type: 'partition', cut: { kind: 'isolate', rank: 1 }, from: 20, to: null },
      { type: 'crash', rank: 2, at: 20 },
      { type: 'restart', rank: 2, at: 21, amnesia },
    ),
    audit: true,
  };
  const simulation = createSimulation(options);
  simulation.start([1]);
  simulation.advance({ until: 200 });
  return measuresOf(simulation);
}

describe('a voter that restarts', () => {
  it('gives a term its second master once it forgets its vote, though not at one moment', () => {
    expect(restartRun(true)).toMatchObject({ leadersPerEpochMax: 2, ticksSplit: 0, changes: 1 });
  });

  it('votes in the next term if its disk is whole', () => {
    expect(restartRun(false)).toMatchObject({ leadersPerEpochMax: 1, ticksSplit: 0, changes: 1 });
  });
});

function stormOf(number: number, without: readonly string[]): Simulation {
  const kinds = FAULT_KINDS.filter((kind) => kind !== 'join' && !without.includes(kind));
  const flags = STORM_FLAGS;
  return stormRun(number, { protocol: 'quorum-lease', kinds, flags, detector: 'crashes' });
}

function hasMajorityUp(simulation: Simulation): boolean {
  const up = simulation.nodes().filter((node) => node.up);
  return up.length > simulation.plan.nodes / 2;
}
