/**
 * @module
 * When a run that never falls silent is at rest: one live leader, followed by all who are up, has
 * lasted, and nothing that was bound to happen is still to come or has only just come.
 */

import { describe, expect, it } from 'vitest';

import { parseDetector } from '../../../src/election/detectors/registry.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const SEED = parseSeed('1');
/** By their default flags. */
const STANDING = PROTOCOL_NAMES.filter(
  (name) => typeof PROTOCOLS[name].steadyTicks?.({ latencyTicksMax: 1 }, {}, 5) === 'number',
);
/** Long after every protocol would have been at rest without it. */
const LATE = 3000;

function ended(protocol: ProtocolName, options: Partial<SimulationOptions>) {
  const simulation = createSimulation({ protocol, nodes: 5, seed: SEED, ...options });
  simulation.start();
  simulation.advance({ until: 'idle' });
  return { ...simulation.status(), steadyTicks: simulation.plan.steadyTicks ?? 0 };
}

function under(...faults: readonly ScheduledFault[]): Partial<SimulationOptions> {
  return { schedule: { faults, calm: null, detector: 'crashes' } };
}

describe.each(STANDING)('%s', (protocol) => {
  it('rests under a leader that has lasted', () => {
    const { bound, agreed, ticks } = ended(protocol, {});

    expect({ bound, agreed }).toEqual({ bound: 'idle', agreed: true });
    expect(ticks).toBeLessThan(LATE);
  });

  it.each<[string, ScheduledFault]>([
    ['a cut', { type: 'partition', cut: { kind: 'halves' }, from: LATE, to: LATE + 2000 }],
    ['losses', { type: 'loss', share: 1, from: LATE, to: LATE + 2000 }],
    ['slow links', { type: 'slowdown', factor: 50, from: LATE, to: LATE + 2000 }],
    ['a pause', { type: 'pause', rank: 1, from: LATE, to: LATE + 2000 }],
  ])('waits for a later %s, and for the effect of its end', (_what, fault) => {
    const { bound, ticks, steadyTicks } = ended(protocol, under(fault));

    expect(bound).toBe('idle');
    expect(ticks).toBeGreaterThanOrEqual(LATE + 2000 + steadyTicks);
  });

  it('is not at rest while a leader that is cut off for good leads on', () => {
    const leader = ended(protocol, {}).leader ?? 0;
    const cut = { kind: 'isolate', rank: leader } as const;

    const { bound, agreed } = ended(
      protocol,
      under({ type: 'partition', cut, from: LATE, to: null }),
    );

    expect({ bound, agreed }).toEqual({ bound: 'until', agreed: false });
  });
});

it('an election under a detector of its own waits until it would have noticed', () => {
  const cut = { kind: 'isolate', rank: 5 } as const;
  const { bound, verdict } = ended('bully-oneshot', {
    ...under({ type: 'partition', cut, from: LATE, to: null }),
    detector: parseDetector('fd-heartbeat'),
  });

  expect(bound).toBe('until');
  expect(verdict.properties.uniqueness.value).toBe('false');
});
