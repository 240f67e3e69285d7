/**
 * @module
 * zk-slide-quorum over virtual time: what it costs, who takes over, that an epoch has one leader
 * whatever goes wrong but a forgotten disk, and that it comes to an end where its detector sees cuts.
 */

import { describe, expect, it } from 'vitest';
import type { FaultKind } from '../../../src/election/definition/drawn-faults.ts';
import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import { parseDetector } from '../../../src/election/detectors/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Fault, Schedule, ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { faultRun } from '../run/fault-runs.ts';
import { scheduleOf } from '../schedules.ts';
import { measuresOf, stormRun } from './quorum-storms.ts';

const RUNS = 300;
const protocol = 'zk-slide-quorum';
const FORGETTING = ['amnesia'] as const;

describe('what zk-slide-quorum costs', () => {
  it.each([1, 2, 3, 5, 20])(
    'is 3(n-1) messages and 3 latencies where all start, n = %i',
    (nodes) => {
      const outcome = simulateElection({ protocol, nodes, seed: SEED });

      const each = nodes - 1;
      expect(outcome).toMatchObject({ leader: nodes, agreed: true, bound: 'idle' });
      expect(outcome.ticks).toBe(nodes === 1 ? 0 : 3);
      expect(outcome.messages).toEqual({
        NEW_LEADER: each,
        ACK: each,
        NACK: 0,
        COMMIT: each,
        total: 3 * each,
      });
    },
  );

  it('is as much again for each leader that fails, until there is no quorum', () => {
    const faults = [5, 4, 3].map((rank, index): Fault => {
      return { type: 'crash', rank, at: 100 * (index + 1) };
    });

    const outcomes = [1, 2, 3].map((crashes) =>
      simulateElection({ protocol, nodes: 5, seed: SEED, faults: faults.slice(0, crashes) }),
    );

    expect(outcomes.map(({ leader }) => leader)).toEqual([4, 3, null]);
    // Requests also go to crashed nodes, which do not answer. Two of five send none.
    expect(outcomes.map(({ messages }) => messages)).toMatchObject([
      { NEW_LEADER: 8, ACK: 7, COMMIT: 8 },
      { NEW_LEADER: 12, ACK: 9, COMMIT: 12 },
      { NEW_LEADER: 12, ACK: 9, COMMIT: 12 },
    ]);
  });
});

describe('the highest live node', () => {
  it('is found by waiting if no node knows the crashes before the run', () => {
    for (let top = 3; top <= 5; top += 1) {
      const dead = [5, 4, 3].slice(0, 6 - top).filter((rank) => rank < 5);

      const outcome = simulateElection({ protocol, nodes: 7, seed: SEED, crashedBefore: dead });

      expect(outcome, `without ${dead}`).toMatchObject({ leader: 7, agreed: true });
    }
    expect(
      simulateElection({ protocol, nodes: 5, seed: SEED, crashedBefore: [4, 5] }),
    ).toMatchObject({ leader: 3, agreed: true, bound: 'idle' });
  });

  it('need not start itself', () => {
    const outcome = simulateElection({ protocol, nodes: 3, seed: SEED, initiators: [1] });

    expect(outcome).toMatchObject({ leader: 1, agreed: true, bound: 'idle' });
  });

  it('that returns follows the leader there is', () => {
    const outcome = simulateElection({
      protocol,
      nodes: 3,
      seed: SEED,
      faults: [
        { type: 'crash', rank: 3, at: 10 },
        { type: 'recover', rank: 3, at: 40 },
      ],
    });

    expect(outcome).toMatchObject({ leader: 2, agreed: true, bound: 'idle' });
  });
});

describe('crashes and returns under a detector that does not err', () => {
  it('end under one leader of all, at rest', () => {
    for (let number = 0; number < RUNS; number += 1) {
      const outcome = simulateElection(faultRun(number, { protocol, heals: true }));

      expect(outcome, `run ${number}`).toMatchObject({ agreed: true, bound: 'idle' });
    }
  });
});

describe(`${RUNS} runs under drawn faults`, () => {
  it.each(['crashes', 'links'] as const)('have one leader an epoch, detector %s', (detector) => {
    let changes = 0;

    for (let number = 0; number < RUNS; number += 1) {
      const measures = measuresOf(stormOf(number, { detector }));
      changes += measures.changes;

      expect(measures.leadersPerEpochMax ?? 1, `seed ${number}`).toBe(1);
    }
    expect(changes).toBeGreaterThan(RUNS / 2);
  });

  it('rest under one leader where a majority is up, if only cuts that are detected lose messages', () => {
    for (let number = 0; number < RUNS; number += 1) {
      const simulation = stormOf(number, { detector: 'links', without: ['loss', 'blackout'] });
      const up = simulation.nodes().filter((node) => node.up).length;
      const { agreed, idle } = simulation.status();

      expect(idle, `seed ${number}`).toBe(true);
      if (up > simulation.plan.nodes / 2) expect(agreed, `seed ${number}`).toBe(true);
    }
  });

  it('have two in an epoch of some once nodes forget their disks', () => {
    const numbers = Array.from({ length: 8 * RUNS }, (_, number) => number);

    const broken = numbers.find((number) => {
      const measures = measuresOf(stormOf(number, { detector: 'links', forgets: true }));
      return (measures.leadersPerEpochMax ?? 0) > 1;
    });

    expect(broken).toBeDefined();
  });
});

/** 3 leads by the acknowledgement of 2 while 1 is away; 3 is cut off, 2 restarts, 1 comes back. */
function restartRun(amnesia: boolean) {
  const simulation = createSimulation({
    protocol,
    nodes: 3,
    seed: SEED,
    schedule: scheduleOf(
      { type: 'partition', cut: { kind: 'isolate', rank: 1 }, from: 0, to: 20 },
      { type: 'partition', cut: { kind: 'isolate', rank: 3 }, from: 20, to: null },
      { type: 'crash', rank: 2, at: 20 },
      { type: 'restart', rank: 2, at: 21, amnesia },
    ),
    audit: true,
  });
  simulation.start([3]);
  simulation.advance({ until: 200 });
  return measuresOf(simulation);
}

describe('a voter that restarts', () => {
  it('gives an epoch its second leader once it has forgotten its acknowledgement', () => {
    expect(restartRun(true)).toMatchObject({ leadersPerEpochMax: 2, epochs: 1 });
  });

  it('begins the next epoch if its disk is whole; the leader that was cut off leads on in its own', () => {
    const { leadersPerEpochMax, epochs, ticksSplit } = restartRun(false);

    expect({ leadersPerEpochMax, epochs }).toEqual({ leadersPerEpochMax: 1, epochs: 2 });
    // There is no lease: only the epoch distinguishes the two.
    expect(ticksSplit).toBeGreaterThan(100);
  });
});

describe('a leader that was cut off and missed its successor', () => {
  it.each([
    ['is told when a detector has seen the cut', 'links', false, true],
    ['leads on beside it at rest when none has', 'crashes', false, false],
    ['is told when all are started again', 'crashes', true, true],
  ] as const)('%s', (_what, detector, restart, agreed) => {
    const schedule: Schedule = {
      faults: [
        { type: 'partition', cut: { kind: 'isolate', rank: 3 }, from: 20, to: 100 },
        ...[1, 2].flatMap((rank): ScheduledFault[] => [
          { type: 'crash', rank, at: 30 },
          { type: 'restart', rank, at: 31, amnesia: false },
        ]),
      ],
      calm: { at: 100, ticks: 500, restart },
      detector,
    };
    const simulation = createSimulation({ protocol, nodes: 3, seed: SEED, schedule });
    simulation.start();

    simulation.advance({ until: 'idle' });

    expect(simulation.status()).toMatchObject({ agreed, idle: true });
  });
});

describe('the class of its detector', () => {
  const agreedRuns = (oracle: string) => {
    const detector = parseDetector(`fd-oracle:stableAt=100,class=${oracle}`);
    const faults = [{ type: 'crash', rank: 5, at: 150 }] as const;
    const runs = Array.from({ length: 20 }, (_, index) => parseSeed(String(index + 1)));
    return runs.filter(
      (seed) => simulateElection({ protocol, nodes: 5, seed, detector, faults }).agreed,
    ).length;
  };

  it('must be eventually perfect: a node that suspects a leader forever never follows it', () => {
    expect(agreedRuns('eventually-P')).toBe(20);
    expect(agreedRuns('eventually-S')).toBeLessThan(20);
    expect(agreedRuns('eventually-S')).toBeGreaterThan(0);
  });

  it('is in what it assumes', () => {
    expect(PROTOCOLS[protocol].assumes).toContain('an eventually perfect detector');
  });
});

describe('the same seed', () => {
  it('gives the same run again', () => {
    const options = { protocol, nodes: 6, seed: parseSeed('7'), trace: true } as const;
    const [first, again] = [1, 2].map(() => {
      const simulation = createSimulation(options);
      simulation.start();
      simulation.advance({ until: 'idle' });
      return [...simulation.traceLines()];
    });

    expect(again).toEqual(first);
  });
});

function stormOf(
  number: number,
  options: {
    readonly detector: Schedule['detector'];
    readonly forgets?: boolean;
    readonly without?: readonly FaultKind[];
  },
): Simulation {
  const { detector, forgets = false, without = [] } = options;
  const left: readonly FaultKind[] = ['join', ...without, ...(forgets ? [] : FORGETTING)];
  const kinds = FAULT_KINDS.filter((kind) => !left.includes(kind));
  return stormRun(number, { protocol, kinds, flags: {}, detector });
}
