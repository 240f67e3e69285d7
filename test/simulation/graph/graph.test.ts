/**
 * @module
 * FloodMax and echo with extinction in the simulator: networks with nodes that are down, messages over no link, options
 * that do not fit, and traces.
 */

import { describe, expect, it } from 'vitest';

import { parseSeed } from '../../../src/random.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { loadRun, saveRun } from '../../../src/simulation/report/saved-run.ts';
import { diagram } from '../../../src/simulation/report/trace-formats.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const SEED = parseSeed('1');

function elected(options: Partial<SimulationOptions>) {
  const simulation = createSimulation({
    ...{ protocol: 'floodmax', nodes: 6, ring: 'by-id', seed: SEED, trace: true, ...options },
  });
  simulation.start();
  simulation.advance({ until: 'idle' });
  return simulation;
}

const GRAPH_PROTOCOLS = ['floodmax', 'echo-extinction'] as const;

describe.each(GRAPH_PROTOCOLS)('%s', (protocol) => {
  it.each([
    'complete',
    'ring',
    'mesh:2x3',
    'torus:2x3',
    'tree:2',
    'random-regular:3',
    'erdos-renyi:40%',
  ])('elects the highest node of %s, at any latency', (topology) => {
    for (let seed = 0; seed < 10; seed += 1) {
      const { leader, agreed } = elected({
        ...{ protocol, topology, seed: parseSeed(String(seed)), fifo: false },
        latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
      }).status();

      expect({ leader, agreed }, `seed ${seed}`).toEqual({ leader: 6, agreed: true });
    }
  });

  it('elects among the others if nodes crashed before, in a network that is closed around them', () => {
    const { leader, agreed } = elected({
      ...{ protocol, topology: 'ring', crashedBefore: [6] },
    }).status();

    expect({ leader, agreed }).toEqual({ leader: 5, agreed: true });
  });

  it('is the same without a topology as in a complete network', () => {
    const { messages } = elected({ protocol, topology: 'complete' }).status();

    expect(messages).toEqual(elected({ protocol }).status().messages);
  });

  it('keeps its topology in a saved run', () => {
    const { plan } = elected({ protocol, topology: 'random-regular:3' });
    const { options } = loadRun(saveRun(plan, { initiators: null, digest: null }));

    expect(options.topology).toBe('random-regular:3');
  });

  it('shows its messages in a trace', async () => {
    const simulation = elected({ protocol, nodes: 4, topology: 'tree:1', ring: [2, 4, 1, 3] });

    await expect(
      `Nodes 2, 4, 1 and 3 are a line in this order.\n\n${diagram(simulation.plan, simulation.records())}`,
    ).toMatchFileSnapshot(`../../golden/${protocol}.txt`);
  });
});

describe('a topology', () => {
  it('loses what a Byzantine node sends over no link', () => {
    const simulation = elected({
      ...{ protocol: 'echo-extinction', topology: 'tree:1', nodes: 5, level: 'L0' },
      byzantine: [{ rank: 1, behaviours: ['spoof-coordinator'] }],
    });
    const sent = new Map<number, { from: number; to: number }>();
    const arrived: number[] = [];
    const dropped: number[] = [];
    for (const { action, effects } of simulation.records()) {
      if (action.type === 'deliver') arrived.push(action.message);
      if (action.type === 'drop') dropped.push(action.message);
      const from = 'node' in action ? action.node : (sent.get(arrived.at(-1) ?? -1)?.to ?? 0);
      for (const effect of effects) {
        if (effect.type === 'send') sent.set(effect.id, { from, to: Number(effect.to) });
      }
    }
    const distances = (ids: readonly number[]) =>
      new Set(ids.map((id) => Math.abs((sent.get(id)?.from ?? 0) - (sent.get(id)?.to ?? 0))));

    expect(distances(arrived)).toEqual(new Set([1]));
    expect(distances(dropped).has(1)).toBe(false);
    expect(dropped).not.toEqual([]);
  });

  it.each([
    [{ protocol: 'raft' as const, topology: 'ring' }, /topology ring: nodes of raft send messages/],
    [{ topology: 'torus:4x4' }, /topology torus: 4x4 has 16 nodes, got 6/],
    [{ topology: 'star' }, /must be one of ring/],
    [
      { topology: 'tree:1', crashedBefore: [3] },
      /topology tree:1: no way leads round 3, which crashed before/,
    ],
    [
      {
        topology: 'ring',
        schedule: {
          faults: [{ type: 'join', rank: 3, at: 5 }],
          calm: null,
          detector: 'crashes',
        },
      } satisfies Partial<SimulationOptions>,
      /topology: no node can join/,
    ],
  ] as const)('refuses %o', (options, message) => {
    expect(() => elected(options)).toThrow(message);
  });
});
