/**
 * @module
 * Leaders by lease, simulated: one at a time while clocks keep to their drift, one an epoch whatever
 * happens, and how soon the next one leads.
 */

import { describe, expect, it } from 'vitest';
import type { FaultKind } from '../../../src/election/definition/drawn-faults.ts';
import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { swarmRun } from '../schedules.ts';
import { holderAt, leaseElection, measuresOf, trailOf } from './lease-runs.ts';

const LEASES = ['db-lease', 'lease-local'] as const;
const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);
/** No node pauses. Clocks drift within the bound. */
const TIMELY: readonly FaultKind[] = FAULT_KINDS.filter(
  (kind) => !['pause', 'skew', 'drift', 'jump'].includes(kind),
);
const LATENCY_TICKS_MAX = 9;
const LEASE_TICKS = 200;
const POLL_TICKS = 19;

describe.each(LEASES)('%s', (protocol) => {
  it('has one leader an epoch, and in the end one, in 300 runs with every fault', () => {
    const bad = SEEDS.filter((seed) => {
      const simulation = createSimulation({ ...swarmRun(seed, { protocol }), audit: true });
      const { verdict } = runElection(simulation);
      const measures = simulation.audit()?.finish(simulation.status().ticks);
      return verdict.value !== 'true' || measures?.leadersPerEpochMax !== 1;
    });

    expect(bad).toEqual([]);
  });

  it('never has two leaders at a moment without pauses, and often changes them', () => {
    const runs = SEEDS.map((seed) =>
      measuresOf(drifting(swarmRun(seed, { protocol, kinds: TIMELY, calmAt: 1000 }), seed), 2000),
    );

    expect(runs.filter(({ ticksSplit }) => ticksSplit > 0)).toEqual([]);
    expect(runs.filter(({ changes }) => changes > 0).length).toBeGreaterThan(40);
  });

  it('has two at a moment when the holder pauses beyond its lease, and one an epoch then too', () => {
    const runs = SEEDS.slice(0, 20).map((seed) => {
      const rank = holderAt(leaseElection(protocol, seed), 100);
      const pause: ScheduledFault = { type: 'pause', rank, from: 100, to: 700 };
      return measuresOf(leaseElection(protocol, seed, { faults: [pause] }), 1000);
    });

    expect(runs.filter(({ ticksSplit }) => ticksSplit > 0)).toHaveLength(20);
    expect(runs.filter(({ leadersPerEpochMax }) => leadersPerEpochMax !== 1)).toEqual([]);
  });

  it('takes a lease from a holder that cannot reach its store, once that has stepped down', () => {
    for (const seed of SEEDS.slice(0, 40)) {
      const rank = holderAt(leaseElection(protocol, seed), 100);
      const isolation: ScheduledFault = {
        type: 'partition',
        cut: { kind: 'isolate', rank },
        from: 100 + seed,
        to: null,
      };

      const trail = trailOf(leaseElection(protocol, seed, { faults: [isolation] }), 1000);

      const [, down, up, ...more] = trail;
      expect(down).toMatchObject({ node: rank, leads: false });
      expect(down?.at).toBeLessThanOrEqual(100 + seed + LEASE_TICKS);
      expect(up).toMatchObject({ leads: true });
      expect(up?.node).not.toBe(rank);
      expect(up?.at).toBeGreaterThan(down?.at ?? 1000);
      expect(more).toEqual([]);
    }
  });

  it('takes a holder that restarts, with amnesia or without, back as a node like any other', () => {
    for (const seed of SEEDS.slice(0, 40)) {
      const rank = holderAt(leaseElection(protocol, seed), 100);
      const trails = [true, false].map((amnesia) => {
        const faults: ScheduledFault[] = [
          { type: 'crash', rank, at: 100 },
          { type: 'restart', rank, at: 101 + seed, amnesia },
        ];
        return trailOf(leaseElection(protocol, seed, { faults }), 1000);
      });

      expect(trails[0]).toEqual(trails[1]);
      expect(trails[0]?.map(({ leads }) => leads)).toEqual([true, false, true]);
      expect(trails[0]?.[2]?.epoch).toBeGreaterThan(trails[0]?.[0]?.epoch ?? 0);
    }
  });
});

describe('take-over, from the crash of the holder to the next reign', () => {
  it.each([
    ['db-lease', 'D(1+ρ) + P + 5Δ', Math.ceil(LEASE_TICKS * 1.01) + POLL_TICKS + 45],
    ['lease-local', 'D + P + 3Δ', LEASE_TICKS + POLL_TICKS + 27],
  ] as const)('%s takes %s at most, and more than half of it', (protocol, _formula, bound) => {
    const taken = SEEDS.map((seed) => {
      const at = 100 + (seed % 120);
      const rank = holderAt(leaseElection(protocol, seed), at);
      const faults: ScheduledFault[] = [{ type: 'crash', rank, at }];
      const next = trailOf(leaseElection(protocol, seed, { faults }), 1000)[2];
      return (next?.at ?? Number.POSITIVE_INFINITY) - at;
    });

    expect(Math.max(...taken)).toBeLessThanOrEqual(bound);
    expect(Math.max(...taken)).toBeGreaterThan(bound - POLL_TICKS - 3 * LATENCY_TICKS_MAX);
    expect(Math.min(...taken)).toBeGreaterThan(bound / 2);
  });
});

/** Each clock at one edge or the other of a drift of 5 %, for ever, and nothing calms down. */
function drifting(options: SimulationOptions, seed: number): SimulationOptions {
  const random = createRandom(parseSeed(String(seed)), 'drift');
  const skews = Array.from({ length: options.nodes }, (_, index): ScheduledFault => {
    const [numerator, denominator] = random.below(2) === 0 ? [20, 19] : [20, 21];
    return { type: 'skew', rank: index + 1, numerator, denominator };
  });
  const faults = [...(options.schedule?.faults ?? []), ...skews];
  return {
    ...options,
    // Short, so that there are holders whose renewals do not come through in time.
    flags: { leaseTicks: '60', driftPpm: '50000' },
    schedule: { faults, calm: null, detector: 'crashes' },
  };
}
