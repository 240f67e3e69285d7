/**
 * @module
 * Zab's leader election under drawn faults, in many more runs than the ordinary suite has.
 */

import { expect, it } from 'vitest';

import { brokenZabRuns, SILENCES } from './zab-runs.ts';

const RUNS = 2000;

it.each(SILENCES)(
  'an epoch has one leader, and after the calm all agree (silence: %i)',
  (ticks) => {
    const { broken } = brokenZabRuns(RUNS, { silenceTicks: ticks, restart: false });

    expect(broken).toEqual([]);
  },
);
