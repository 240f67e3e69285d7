/**
 * @module
 * FIFO links: what is sent later over a link never arrives earlier, and other links do not wait.
 */

import { describe, expect, it } from 'vitest';

import { createFifoLinks } from '../../../src/simulation/engine/network.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';

/** Deliveries that overtook an earlier message of their own link. */
function overtakings(options: Pick<SimulationOptions, 'protocol' | 'fifo'>): number {
  const simulation = createSimulation({
    ...options,
    nodes: 12,
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 30 },
    seed: SEED,
    trace: true,
  });
  simulation.start();
  simulation.advance({ until: 'idle' });
  const links = new Map<number, string>();
  const latest = new Map<string, number>();
  let count = 0;
  for (const { action, effects } of simulation.records()) {
    const node = 'node' in action ? `${action.node}` : links.get(action.message)?.split('>')[1];
    if (action.type === 'deliver') {
      const link = links.get(action.message) ?? '';
      if (action.message < (latest.get(link) ?? 0)) count += 1;
      latest.set(link, Math.max(action.message, latest.get(link) ?? 0));
    }
    for (const effect of effects) {
      if (effect.type === 'send') links.set(effect.id, `${node}>${effect.to}`);
    }
  }
  return count;
}

describe('links', () => {
  it.each(['bully-oneshot', 'cr-join'] as const)('keep their order in %s by default', (name) => {
    expect(overtakings({ protocol: name })).toBe(0);
    expect(overtakings({ protocol: name, fifo: false })).toBeGreaterThan(0);
  });

  it.each([{ nodes: 3 }, { nodes: 5000 }])(
    'among $nodes nodes wait for themselves alone',
    (row) => {
      const links = createFifoLinks(row.nodes);

      const arrivals = [links(1, 2, 50), links(1, 2, 20), links(2, 1, 20), links(1, 3, 20)];

      expect(arrivals).toEqual([50, 50, 20, 20]);
    },
  );
});
