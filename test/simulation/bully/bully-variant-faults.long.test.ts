/**
 * @module
 * The variants of Bully under crashes, returns and links that reorder: the highest that lives leads in
 * every run, never two at a time, and where a node follows only in its normal state never two leaders
 * are followed at a time.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { runElection, simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { faultRun } from '../run/fault-runs.ts';

const VARIANTS = [
  'bully-gm82',
  'bully-2phase',
  'bully-nextinline',
  'bully-improved',
  'bully-modified',
] as const satisfies readonly ProtocolName[];
const RUNS = 1500;
const MOMENT_RUNS = 150;

function broken(protocol: ProtocolName, change: Partial<SimulationOptions>, heals: boolean) {
  return Array.from({ length: RUNS }, (_, number) => {
    const outcome = simulateElection({ ...faultRun(number, { protocol, heals }), ...change });
    return { number, bound: outcome.bound, ...outcome.verdict };
  }).filter(({ value, bound }) => value !== 'true' || bound !== 'idle');
}

describe.each(VARIANTS)('%s', (protocol) => {
  it.each([
    { heals: true, label: 'return' },
    { heals: false, label: 'stay away' },
  ])('keeps every property when nodes crash and $label', ({ heals }) => {
    expect(broken(protocol, {}, heals)).toEqual([]);
  });

  it('keeps them on links that reorder', () => {
    expect(broken(protocol, { fifo: false }, true)).toEqual([]);
  });

  it.each([
    { nodes: 1, initiators: undefined },
    { nodes: 2, initiators: undefined },
    { nodes: 2, initiators: [1] },
    { nodes: 2, initiators: [2] },
    { nodes: 7, initiators: undefined },
    { nodes: 7, initiators: [1] },
    { nodes: 7, initiators: [3, 5] },
  ])('elects the highest of $nodes, started by $initiators, all up', (row) => {
    const outcome = simulateElection({ protocol, seed: SEED, ...row });

    expect(outcome).toMatchObject({ leader: row.nodes, agreed: true, bound: 'idle' });
    expect(outcome.verdict.value).toBe('true');
  });

  it('elects the next two when the highest crash one after the other, and takes them back', () => {
    const simulation = createSimulation({ protocol, nodes: 6, seed: SEED });
    runElection(simulation, [6]);
    const leaders: (number | null)[] = [];
    const settle = () => {
      simulation.advance({ until: 'idle' });
      leaders.push(simulation.status().leader);
    };

    for (const rank of [6, 5, 4]) {
      simulation.crash(rank);
      settle();
    }
    for (const rank of [5, 4, 6]) {
      simulation.recover(rank);
      settle();
    }

    expect(leaders).toEqual([5, 4, 3, 5, 5, 6]);
    expect(simulation.status().verdict.value).toBe('true');
  });
});

/** Runs at some moment of which two live nodes follow different leaders. */
function runsInDiscord(protocol: ProtocolName): number {
  let discords = 0;
  for (let number = 0; number < MOMENT_RUNS; number += 1) {
    const simulation = createSimulation(faultRun(number, { protocol, heals: true }));
    simulation.start();
    let isDiscord = false;
    while (simulation.advance({ until: 'idle', events: 1 }) === 'events') {
      const followed = simulation.nodes().flatMap(({ leader }) => (leader === null ? [] : leader));
      isDiscord ||= new Set(followed).size > 1;
    }
    if (isDiscord) discords += 1;
  }
  return discords;
}

describe('agreement at every moment', () => {
  it.each(['bully-gm82', 'bully-2phase'] as const)('holds for %s', (protocol) => {
    expect(runsInDiscord(protocol)).toBe(0);
  });

  it.each(['bully-oneshot', 'bully-nextinline', 'bully-improved', 'bully-modified'] as const)(
    'does not hold for %s',
    (protocol) => {
      expect(runsInDiscord(protocol)).toBeGreaterThan(0);
    },
  );
});
