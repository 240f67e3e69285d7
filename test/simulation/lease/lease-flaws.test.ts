/**
 * @module
 * lease-local and its three flaws: in the same runs the sound form never has two leaders at a moment,
 * and each form that leaves one care out has.
 */

import { describe, expect, it } from 'vitest';

import type { Flags } from '../../../src/election/definition/flags.ts';
import { overlapTicks } from '../../../src/election/lease-interval.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { LeaseRun } from './lease-runs.ts';
import { holderAt, leaseElection, measuresOf } from './lease-runs.ts';

const SEEDS = Array.from({ length: 100 }, (_, seed) => seed);

/** Answers take up to a third of a lease. */
const SLOW: LeaseRun = {
  latency: { type: 'uniform', ticksMin: 1, ticksMax: 20 },
  flags: { leaseTicks: '60', renewTicks: '20' },
  faults: [{ type: 'loss', share: 0.4, from: 0, to: null }],
};
const CUT_OFF: LeaseRun = {
  flags: { leaseTicks: '120', renewTicks: '40' },
  faults: [1, 2, 3].map((rank) => ({
    type: 'partition',
    cut: { kind: 'isolate', rank },
    from: 400 * rank,
    to: 400 * rank + 300,
  })),
};
/** All clocks but the store's are as slow as 1 % allows: 1000 ticks take 1010. */
const SLOW_CLOCKS: LeaseRun = {
  latency: { type: 'uniform', ticksMin: 1, ticksMax: 2 },
  flags: { leaseTicks: '1000', renewTicks: '300' },
  faults: [1, 2, 3].flatMap((rank): ScheduledFault[] => [
    { type: 'skew', rank, numerator: 100, denominator: 99 },
    {
      type: 'partition',
      cut: { kind: 'isolate', rank },
      from: 1500 * rank,
      to: 1500 * rank + 1400,
    },
  ]),
};

describe.each([
  ['countedFrom', 'answer', 'answers are slow and renewals get lost', SLOW, 4000],
  ['renewal', 'assumed', 'holders are cut off from the service', CUT_OFF, 1700],
  ['drift', 'ignored', 'clocks are as slow as they may be', SLOW_CLOCKS, 6000],
] as const)('lease-local with %s %s, when %s', (flag, flaw, _when, run, ticks) => {
  it('has two leaders at a moment, and never two in an epoch', () => {
    const runs = SEEDS.map((seed) => measuresOf(flawed(seed, run, { [flag]: flaw }), ticks));

    expect(runs.filter(({ ticksSplit }) => ticksSplit > 0).length).toBeGreaterThan(10);
    expect(runs.filter(({ leadersPerEpochMax }) => leadersPerEpochMax !== 1)).toEqual([]);
  });

  it('has neither in its sound form', () => {
    const runs = SEEDS.map((seed) => measuresOf(flawed(seed, run, {}), ticks));

    expect(runs.filter(({ ticksSplit }) => ticksSplit > 0)).toEqual([]);
    expect(runs.filter(({ changes }) => changes > 0).length).toBeGreaterThan(50);
  });
});

describe('the overlap when drift is ignored', () => {
  const leaseTicks = 10_000;
  const driftPpm = 10_000;
  const fastTicks = Math.round(leaseTicks / 1.01);

  it.each([
    ['ignored', overlapTicks({ leaseTicks, driftPpm })],
    ['corrected', 0],
  ] as const)(
    'is 2Dρ/(1−ρ²) less the messages between: %s, ρ = 1 %%, D = 10 000',
    (drift, most) => {
      const latencyTicks = 1;
      const pollTicks = 3;
      const flags = { renewTicks: '3000', pollTicks: String(pollTicks) };
      // The store counts D on the fastest clock, the holder on the slowest.
      const node = PROTOCOLS['lease-local'].create(
        { latencyTicksMax: latencyTicks },
        { ...flags, drift, leaseTicks: String(leaseTicks), driftPpm: String(driftPpm) },
      );
      const faults = [1, 2, 3].map((rank): ScheduledFault => {
        return { type: 'skew', rank, numerator: 100, denominator: 99 };
      });
      const run: LeaseRun = {
        latency: { type: 'constant', ticks: latencyTicks },
        flags: { ...flags, leaseTicks: String(fastTicks) },
        faults,
      };
      const rank = holderAt(leaseElection('lease-local', 1, run), 100, () => node);
      const cut: ScheduledFault = {
        type: 'partition',
        cut: { kind: 'isolate', rank },
        from: 100,
        to: null,
      };
      const isolated = leaseElection('lease-local', 1, { ...run, faults: [...faults, cut] });

      const { ticksSplit, changes } = measuresOf(isolated, 12_000, () => node);

      expect(changes).toBe(1);
      expect(ticksSplit).toBeLessThanOrEqual(most);
      expect(ticksSplit).toBeGreaterThanOrEqual(most - pollTicks - 3 * latencyTicks);
    },
  );

  it('is 201 ticks at most in whole ticks', () => {
    expect(overlapTicks({ leaseTicks, driftPpm })).toBe(201);
  });
});

function flawed(seed: number, run: LeaseRun, flags: Flags) {
  return leaseElection('lease-local', seed, { ...run, flags: { ...run.flags, ...flags } });
}
