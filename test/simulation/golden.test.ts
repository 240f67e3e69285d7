/**
 * @module
 * One readable run of each protocol, drawn. A diff in test/golden is read as code; `vitest -u` takes
 * it over, and the commit says why.
 */

import { describe, expect, it } from 'vitest';
import { diagram } from '../../src/simulation/diagram.ts';
import type { SimulationOptions } from '../../src/simulation/options.ts';
import { runElection } from '../../src/simulation/simulate.ts';
import { createSimulation } from '../../src/simulation/simulation.ts';
import { SEED } from './rings.ts';

interface Golden {
  readonly file: string;
  readonly see: string;
  readonly options: Omit<SimulationOptions, 'seed' | 'trace'>;
  readonly initiators?: readonly number[];
}

const GOLDEN: readonly Golden[] = [
  {
    file: 'bully-oneshot.txt',
    see: 'See how 1 asks everybody above it and is silenced by 2 and 3, how 3 hears nothing from the dead\n4, and how only then, at tick 4, anybody leads.',
    options: { algorithm: 'bully-oneshot', nodes: 4, crashedBefore: [4] },
    initiators: [1],
  },
  {
    file: 'bully-oneshot-return.txt',
    see: 'See how the survivors elect 2 after the crash of 3 is detected, and how 2 steps down at tick 20\nbefore 3 leads again: there is never a row with two stars.',
    options: {
      algorithm: 'bully-oneshot',
      nodes: 3,
      faults: [
        { type: 'crash', rank: 3, at: 4 },
        { type: 'recover', rank: 3, at: 20 },
      ],
    },
    initiators: [3],
  },
  {
    file: 'cr-join.txt',
    see: 'See how every PROBE ends at the next higher node clockwise, how only that of 5 comes home (tick\n5), and how SELECTED then goes round once. 1 + 1 + 2 + 3 + 5 hops are the distances to the next\nhigher node, the last the whole ring.',
    options: { algorithm: 'cr-join', nodes: 5, ring: [2, 5, 1, 4, 3] },
  },
];

describe('golden traces', () => {
  it.each(GOLDEN)('$file', async ({ file, see, options, initiators }) => {
    const simulation = createSimulation({ ...options, seed: SEED, trace: true });
    runElection(simulation, initiators);

    const text = `${see}\n\n${diagram(simulation.plan, simulation.records())}`;

    await expect(text).toMatchFileSnapshot(`../golden/${file}`);
  });
});
