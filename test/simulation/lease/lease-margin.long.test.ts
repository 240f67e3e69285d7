/**
 * @module
 * db-lease with a margin before the end of a lease: its holder is cut off, so that nothing is renewed,
 * and pauses when it has come to be heard again. What fell due in the pause it writes after it, before
 * it learns that its lease is over.
 */

import { describe, expect, it } from 'vitest';

import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { holderAt, leaseElection } from './lease-runs.ts';

const MARGIN_TICKS = 40;
/** The last renewal that came through was before that. */
const CUT_AT = 150;
/** Every tick from the cut to when the lease is over in any case. */
const PAUSES_AT = Array.from({ length: 210 }, (_, index) => CUT_AT + 1 + index);

/** Of the runs with a pause at one tick each: writes after one of the next leader, and changes. */
function pausedRuns(pauseTicks: number, marginTicks: number) {
  const flags = {
    ...{ leaseTicks: '200', driftPpm: '0', pollTicks: '3' },
    marginTicks: String(marginTicks),
  };
  const latency = { type: 'constant', ticks: 1 } as const;
  const rank = holderAt(leaseElection('db-lease', 1, { flags, latency }), CUT_AT - 1);
  return PAUSES_AT.map((at) => {
    const faults: ScheduledFault[] = [
      { type: 'partition', cut: { kind: 'isolate', rank }, from: CUT_AT, to: at },
      { type: 'pause', rank, from: at, to: at + pauseTicks },
    ];
    const simulation = createSimulation({
      ...leaseElection('db-lease', 1, { flags, latency, faults }),
      workload: { resource: 'unfenced', everyTicks: 1 },
    });
    simulation.start();
    simulation.advance({ until: 800 });
    return {
      stale: simulation.resource()?.lateWrites ?? 0,
      changes: simulation.audit()?.finish(800).changes ?? 0,
    };
  });
}

const harmful = (runs: ReturnType<typeof pausedRuns>) => runs.filter(({ stale }) => stale > 0);

describe('a holder that gives up a margin before the end of its lease', () => {
  it.each([1, MARGIN_TICKS / 2, MARGIN_TICKS])('does no harm after a pause of %i', (ticks) => {
    const runs = pausedRuns(ticks, MARGIN_TICKS);

    expect(harmful(runs)).toEqual([]);
    expect(runs.filter(({ changes }) => changes > 0).length).toBeGreaterThan(20);
  });

  it('does harm after a longer pause, in which another is elected and writes', () => {
    expect(harmful(pausedRuns(MARGIN_TICKS + 10, MARGIN_TICKS)).length).toBeGreaterThan(0);
  });

  it('does harm after the same pause without a margin', () => {
    expect(harmful(pausedRuns(MARGIN_TICKS, 0)).length).toBeGreaterThan(0);
  });
});
