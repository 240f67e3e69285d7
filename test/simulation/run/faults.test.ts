/**
 * @module
 * Crashes and returns during the run, in many schedules: what each protocol promises holds in all of
 * them, and what it does not promise is seen to fail.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { SEED } from '../ring/rings.ts';
import { faultRun } from './fault-runs.ts';

const RUNS = 3000;

function verdicts(protocol: ProtocolName, heals: boolean) {
  return Array.from({ length: RUNS }, (_, number) => {
    const outcome = simulateElection(faultRun(number, { protocol, heals }));
    return { number, bound: outcome.bound, ...outcome.verdict };
  });
}

describe('nodes that crash and return', () => {
  it.each(['bully-oneshot', 'cr-join'] as const)('%s: all properties hold in every run', (name) => {
    const broken = verdicts(name, true).filter(({ value }) => value !== 'true');

    expect(broken).toEqual([]);
  });
});

describe('nodes that crash for good', () => {
  it('leave the highest survivor as Bully leader', () => {
    const broken = verdicts('bully-oneshot', false).filter(({ value }) => value !== 'true');

    expect(broken).toEqual([]);
  });

  it('stop cr-join in some runs, which end at rest and never with two leaders', () => {
    const runs = verdicts('cr-join', false);

    const stuck = runs.filter(({ properties }) => properties.termination.value === 'false');

    expect(stuck.length).toBeGreaterThan(0);
    expect(runs.filter(({ bound }) => bound !== 'idle')).toEqual([]);
    expect(runs.filter(({ properties }) => properties.uniqueness.value !== 'true')).toEqual([]);
  });
});

describe('a hole in the ring', () => {
  it('swallows every PROBE: no leader is elected', () => {
    const outcome = simulateElection({
      protocol: 'cr-join',
      nodes: 4,
      ring: 'by-id',
      faults: [{ type: 'crash', rank: 2, at: 1 }],
      seed: SEED,
    });

    expect(outcome.leader).toBeNull();
    expect(outcome.verdict).toMatchObject({
      value: 'false',
      reason: 'no live node follows a leader',
    });
    expect(outcome.bound).toBe('idle');
  });

  it('that heals lets the election finish', () => {
    const outcome = simulateElection({
      protocol: 'cr-join',
      nodes: 4,
      ring: 'by-id',
      faults: [
        { type: 'crash', rank: 2, at: 1 },
        { type: 'recover', rank: 2, at: 30 },
      ],
      seed: SEED,
    });

    expect(outcome.leader).toBe(4);
    expect(outcome.agreed).toBe(true);
  });
});
