/**
 * @module
 * The whole Bully family under crashes and returns, in many more runs than the ordinary suite has.
 */

import { describe, expect, it } from 'vitest';

import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { faultRun } from '../run/fault-runs.ts';

const RUNS = 20_000;
const FAMILY = PROTOCOL_NAMES.filter((name) => name.startsWith('bully-'));

describe.each(FAMILY)('%s', (protocol) => {
  it.each([true, false])('keeps every property on FIFO links (all return: %s)', (heals) => {
    const broken: number[] = [];

    for (let number = 0; number < RUNS; number += 1) {
      const { verdict, bound } = simulateElection(faultRun(number, { protocol, heals }));
      if (verdict.value !== 'true' || bound !== 'idle') broken.push(number);
    }

    expect(broken).toEqual([]);
  });
});
