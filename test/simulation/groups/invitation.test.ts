/**
 * @module
 * Garcia-Molina's Invitation algorithm: messages of the first election, groups that merge after a partition, and members
 * that leave a coordinator which is gone.
 */

import { describe, expect, it } from 'vitest';

import { parseSeed } from '../../../src/random.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { diagram } from '../../../src/simulation/report/trace-formats.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

function started(nodes: number, options: Partial<SimulationOptions> = {}): Simulation {
  const simulation = createSimulation({
    ...{ protocol: 'invitation', nodes, seed: parseSeed('1'), trace: true, ...options },
  });
  simulation.start();
  return simulation;
}

function leadersOf(simulation: Simulation): readonly (number | null)[] {
  return simulation.nodes().map(({ leader }) => leader);
}

const HALVES = {
  faults: [{ type: 'partition', cut: { kind: 'halves' }, from: 20, to: 200 }],
  calm: null,
  detector: 'crashes',
} as const;

describe('invitation', () => {
  it.each([2, 3, 5, 8, 16])('sends (n-1)(2n+3) messages until %i nodes are one group', (nodes) => {
    const simulation = started(nodes);
    // Before the first Check by the clock, at 30 ticks.
    simulation.advance({ until: 29 });

    expect(leadersOf(simulation)).toEqual(Array.from({ length: nodes }, () => nodes));
    expect(simulation.status().messages).toMatchObject({
      ARE_YOU_COORDINATOR: nodes * (nodes - 1),
      INVITATION: nodes - 1,
      total: (nodes - 1) * (2 * nodes + 3),
    });
  });

  it('has a leader on each side of a partition, and one after it', () => {
    const simulation = started(6, { schedule: HALVES });

    simulation.advance({ until: 19 });
    expect(leadersOf(simulation)).toEqual([6, 6, 6, 6, 6, 6]);
    simulation.advance({ until: 199 });
    expect(leadersOf(simulation)).toEqual([3, 3, 3, 6, 6, 6]);
    simulation.advance({ until: 'idle' });
    // Node 3 runs Check first, and its delay is over before that of node 6 begins.
    expect(leadersOf(simulation)).toEqual([3, 3, 3, 3, 3, 3]);
  });

  it('takes the members of another coordinator along', () => {
    const simulation = started(6, { schedule: HALVES });
    simulation.advance({ until: 'idle' });
    const forwarded = simulation.records().flatMap(({ action, effects, t }) => {
      if (action.type !== 'deliver' || t < 200) return [];
      return effects.flatMap((effect) => {
        return effect.type === 'send' && effect.message.type === 'INVITATION' ? [effect.to] : [];
      });
    });

    // Node 6 passes the invitation of node 3 on to all that it has as members. It does not know that 1 and 2 left.
    expect(forwarded).toEqual([1, 2, 4, 5]);
  });

  it('forms another group when the coordinator is gone', () => {
    const simulation = started(4, {
      schedule: { ...HALVES, faults: [{ type: 'crash', rank: 4, at: 20 }] },
    });
    simulation.advance({ until: 'idle' });

    expect(leadersOf(simulation)).toEqual([3, 3, 3, null]);
  });

  it('shows in a trace how the highest coordinator invites the others', async () => {
    const simulation = started(3);
    simulation.advance({ until: 20 });

    const see =
      'See how each node leads a group of its own (tick 0), how all find each other (tick 3), how 3, which waits\nfor no higher one, invites 1 and 2, and how they follow it after READY.';
    const text = `${see}\n\n${diagram(simulation.plan, simulation.records())}`;

    await expect(text).toMatchFileSnapshot('../../golden/invitation.txt');
  });
});
