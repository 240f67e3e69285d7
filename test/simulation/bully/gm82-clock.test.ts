/**
 * @module
 * bully-gm82 with Check and Timeout by the clock, as Garcia-Molina (1982) has them, beside the form in which
 * they need a reason: a coordinator that becomes silent without a report, and the messages of each form.
 */

import { describe, expect, it } from 'vitest';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';

const NODES = 5;
const CHECK_TICKS = 30;
const CLOCK = { checks: 'clock', checkTicks: String(CHECK_TICKS) };
const REPORT = { checks: 'report' };

function electionOf(
  flags: Readonly<Record<string, string>>,
  faults: readonly ScheduledFault[] = [],
) {
  const simulation = createSimulation({
    ...{ protocol: 'bully-gm82', nodes: NODES, seed: SEED, flags },
    schedule: { faults, calm: null, detector: 'crashes' },
  });
  simulation.start();
  return simulation;
}

describe('a coordinator that becomes silent, which no detector reports', () => {
  const silence: ScheduledFault = {
    ...{ type: 'partition', cut: { kind: 'isolate', rank: NODES }, from: 100, to: null },
  };
  const leadersOf = (flags: Readonly<Record<string, string>>) => {
    const simulation = electionOf(flags, [silence]);
    simulation.advance({ until: 1000 });
    return simulation.nodes().map(({ leader }) => leader);
  };

  it('is followed to the end if Check and Timeout need a reason', () => {
    expect(leadersOf(REPORT)).toEqual([5, 5, 5, 5, 5]);
  });

  it('is replaced if they run by the clock', () => {
    expect(leadersOf(CLOCK)).toEqual([4, 4, 4, 4, 5]);
  });

  it('is replaced two Checks, an answer and an election after its last message', () => {
    const simulation = electionOf(CLOCK, [silence]);
    let ticks = 100;
    while (simulation.nodes()[0]?.leader !== 4) {
      ticks += 1;
      simulation.advance({ until: ticks });
    }

    // T is 3 ticks: the question and the poll; then three HALT and one NEW_COORDINATOR of a round trip each, and READY.
    expect(ticks - 100).toBeLessThanOrEqual(2 * CHECK_TICKS + 3 + 3 + 4 * 2 + 1);
    expect(ticks - 100).toBeGreaterThan(CHECK_TICKS);
  });

  it('leads its own side for good after a cut, which the paper excludes', () => {
    const simulation = electionOf(CLOCK, [{ ...silence, to: 500 }]);
    simulation.advance({ until: 1000 });

    // Both coordinators ask the other one whether it is normal, which it is.
    expect(simulation.nodes().map(({ leader }) => leader)).toEqual([4, 4, 4, 4, 5]);
  });
});

describe('the messages after the election', () => {
  const totalAt = (flags: Readonly<Record<string, string>>, tick: number) => {
    const simulation = electionOf(flags);
    simulation.advance({ until: tick });
    return simulation.status().messages.total;
  };

  it('are 2(n-1) for each Check by the clock', () => {
    const elected = totalAt(CLOCK, 20) ?? 0;

    // Each Check takes its time and one round trip.
    expect(totalAt(CLOCK, 20 + 10 * (CHECK_TICKS + 2))).toBe(elected + 10 * 2 * (NODES - 1));
  });

  it('are none if Check needs a reason', () => {
    expect(totalAt(REPORT, 1000)).toBe(totalAt(REPORT, 20));
    expect(totalAt(REPORT, 20)).toBe(totalAt(CLOCK, 20));
  });
});
