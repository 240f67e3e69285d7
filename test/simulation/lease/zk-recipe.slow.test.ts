/**
 * @module
 * ZooKeeper's recipe under 2 000 drawn schedules: one leader an epoch, and one in the end.
 */

import { describe, expect, it } from 'vitest';

import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { swarmRun } from '../schedules.ts';

const protocol = 'zk-recipe';

describe('any schedule', () => {
  it.each(['off', 'on'])('has one leader an epoch and settles, in 2 000 seeds, herd %s', (herd) => {
    const bad = Array.from({ length: 2000 }, (_, seed) => seed).filter((seed) => {
      const { verdict } = simulateElection({ ...swarmRun(seed, { protocol }), flags: { herd } });
      return verdict.value !== 'true';
    });

    expect(bad).toEqual([]);
  });
});
