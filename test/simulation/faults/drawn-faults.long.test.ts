/**
 * @module
 * What drawn faults do: each kind changes a protocol that it can affect in many runs, whatever the latency,
 * and never one whose definition says that it cannot. Amnesia is drawn only by name.
 */

import { describe, expect, it } from 'vitest';

import type { FaultKind } from '../../../src/election/definition/drawn-faults.ts';
import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import type { Protocol } from '../../../src/election/definition/protocol.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import { isChanged } from '../../../src/simulation/conform/conform.ts';
import { drawnCalmAt, drawSchedule, USUAL_KINDS } from '../../../src/simulation/faults/draw.ts';
import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import { calmTicks, electionTicks } from '../../../src/simulation/plan/time-limits.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const ALL: readonly Protocol[] = Object.values(PROTOCOLS);
/** `FAULT_LATENCIES=all` in the slow suite. */
const IS_SLOW = process.env.FAULT_LATENCIES === 'all';
const LATENCIES = IS_SLOW ? [1, 12] : [12];
const RUNS = IS_SLOW ? 30 : 12;
const LEASE_RUNS = IS_SLOW ? 150 : 60;
const SHARE_MIN = 0.2;

/** The runs of each kind that it changed, and those for which it was drawn. */
function changesOf(protocol: Protocol, kinds: readonly FaultKind[], latencyTicks: number) {
  return kinds.map((kind) => {
    const runs = Array.from({ length: RUNS }, (_, index) =>
      isChanged(protocol, { kind, latencyTicks, number: index + 1 }),
    );
    const drawn = runs.filter((each) => each !== null);
    return { kind, changed: drawn.filter(Boolean).length, drawn: drawn.length };
  });
}

describe.each(LATENCIES)('drawn faults at a latency of %d ticks', (latencyTicks) => {
  it.each(ALL)('$name: change at least one run in five, unless they cannot', (protocol) => {
    const kinds = FAULT_KINDS.filter((kind) => protocol.unaffected[kind] === null);

    const changes = changesOf(protocol, kinds, latencyTicks);

    expect(changes.filter(({ changed, drawn }) => changed < SHARE_MIN * drawn)).toEqual([]);
    expect(Math.min(...changes.map(({ drawn }) => drawn))).toBeGreaterThan(RUNS / 2);
  });

  it.each(ALL)('$name: never change a run if the definition says so', (protocol) => {
    const kinds = FAULT_KINDS.filter((kind) => protocol.unaffected[kind] !== null);

    const changes = changesOf(protocol, kinds, latencyTicks);

    expect(changes.filter(({ changed }) => changed > 0)).toEqual([]);
  });
});

describe('the leader of Raft', () => {
  it.each(LATENCIES)('changes in many drawn runs at a latency of %d ticks', (latencyTicks) => {
    let changed = 0;
    for (let number = 1; number <= 100; number += 1) {
      const simulation = createSimulation({
        ...{ protocol: 'raft', nodes: 5, seed: parseSeed(String(number)), audit: true },
        latency: { type: 'constant', ticks: latencyTicks },
        schedule: scheduleFor('raft', { flags: {}, kinds: USUAL_KINDS, number, latencyTicks }),
      });
      simulation.start();
      simulation.advance({ until: 'idle' });
      const measures = simulation.audit()?.finish(simulation.status().ticks);
      if ((measures?.changes ?? 0) > 0) changed += 1;
    }

    expect(changed).toBeGreaterThanOrEqual(20);
  });
});

function scheduleFor(
  protocol: ProtocolName,
  of: {
    readonly flags: Flags;
    readonly kinds: readonly FaultKind[];
    readonly number: number;
    readonly latencyTicks: number;
  },
): Schedule {
  const { flags, kinds, number, latencyTicks: latencyTicksMax } = of;
  const parts = { detector: undefined, isLoaded: false, timing: { latencyTicksMax } };
  const shape = { protocol, flags, nodes: 5, ...parts } as const;
  const ticks = electionTicks(shape);
  return drawSchedule(parseSeed(String(number)), {
    ...{ name: 'swarm', nodes: 5, kinds, electionTicks: ticks },
    ...{ calmAt: drawnCalmAt(ticks), calmTicks: calmTicks(shape), restart: false },
    detector: 'crashes',
  });
}

describe('leases on clocks that drift', () => {
  const LEASES = ['quorum-lease', 'db-lease', 'lease-local', 'zk-recipe'] as const;
  const KINDS = ['drift', 'crash', 'restart', 'isolate', 'loss', 'one-way', 'halves'] as const;
  const splitRuns = (flags: Flags) =>
    LEASES.flatMap((protocol) =>
      Array.from({ length: LEASE_RUNS }, (_, number) => number).filter((number) => {
        const simulation = createSimulation({
          ...{ protocol, flags, nodes: 5, seed: parseSeed(String(number)), audit: true },
          schedule: scheduleFor(protocol, { flags, kinds: KINDS, number, latencyTicks: 1 }),
        });
        simulation.start();
        simulation.advance({ until: 'idle', events: 100_000 });
        return (simulation.audit()?.finish(simulation.status().ticks).ticksSplit ?? 0) > 0;
      }),
    );

  it('never overlap if they allow for it, and sometimes if they do not', () => {
    expect(splitRuns({ driftPpm: '500000' })).toEqual([]);
    expect(splitRuns({}).length).toBeGreaterThan(0);
  });
});

describe('the faults that are drawn', () => {
  const faultsOf = (number: number, kinds: readonly FaultKind[], ticks = 20) =>
    drawSchedule(parseSeed(String(number)), {
      ...{ name: 'swarm', nodes: 5, kinds, electionTicks: ticks, calmAt: drawnCalmAt(ticks) },
      ...{ calmTicks: 100, restart: false, detector: 'crashes' },
    }).faults;
  const numbers = Array.from({ length: 200 }, (_, index) => index);

  it('contain amnesia only by name', () => {
    const forgets = (kinds: readonly FaultKind[]) =>
      numbers.filter((number) =>
        faultsOf(number, kinds).some(
          (fault) =>
            (fault.type === 'restart' && fault.amnesia) ||
            (fault.type === 'churn' && fault.amnesiaShare > 0),
        ),
      ).length;

    expect(forgets(USUAL_KINDS)).toBe(0);
    expect(forgets(['churn', 'restart'])).toBe(0);
    expect(forgets(FAULT_KINDS)).toBeGreaterThan(20);
  });

  it('have clocks that drift by at most half, every one of them', () => {
    const drifts = numbers
      .map((number) => faultsOf(number, ['drift']))
      .filter(({ length }) => length);

    expect(drifts.length).toBeGreaterThan(100);
    for (const faults of drifts) {
      expect(new Set(faults.map((fault) => fault.type === 'skew' && fault.rank)).size).toBe(5);
      for (const fault of faults) {
        if (fault.type !== 'skew')
          throw new TypeError(`"faults" expected skews, got ${fault.type}`);
        const rate = fault.numerator / fault.denominator;
        expect(rate).toBeGreaterThan(0.66);
        expect(rate).toBeLessThan(1.5);
        expect(rate).not.toBe(1);
      }
    }
  });

  it('have times that follow the length of an election', () => {
    const latest = (ticks: number) =>
      Math.max(
        ...numbers.flatMap((number) =>
          faultsOf(number, ['loss'], ticks).map((fault) => ('from' in fault ? fault.from : 0)),
        ),
      );

    expect(latest(50)).toBeLessThan(200);
    expect(latest(5000)).toBeGreaterThan(10_000);
  });
});
