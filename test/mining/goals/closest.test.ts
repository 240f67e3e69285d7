/**
 * @module
 * The search for the closest ID under a dynamic puzzle: a budget in hashes pays for keys and for the solution of one.
 */

import { describe, expect, it } from 'vitest';
import { mine } from '../../../src/mining/search.ts';
import { parseSeed } from '../../../src/random.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { STOPPED_CLOCKS, taskWith } from '../tasks.ts';

const kernels = kernelSource();
const goal = { type: 'near', nodeId: new Uint8Array(32).fill(0x5a), closerThan: null } as const;

describe('the closest', () => {
  it('of a budget in hashes keeps some of them for its solution', () => {
    const SEEDS = 20;
    const budget = { hashes: 2 ** 11 };
    let found = 0;
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const task = taskWith({ strategy: 'siblings', goal, policy: { c1: 2, c2: 7 }, budget });
      const { identities, ledger } = mine(
        { ...task, seed: parseSeed(String(seed)) },
        STOPPED_CLOCKS,
        kernels,
      );
      found += identities.length;
      expect(ledger.hashes).toBeLessThanOrEqual(budget.hashes);
      // 2^7 hashes solve it on average, and r of 2^11 with 2^11 − r = 2^7 (e^(r/2^7) − 1) are kept.
      // Each key costs the hash of its ID. From the closest one on, 2^2 puzzles are evaluated on average.
      expect(ledger.attempts).toBe(budget.hashes - 341 - 4);
    }
    // Without a reserve none would be solved. With it 1 − e^(−341/128) = 93 % are.
    expect(found).toBeGreaterThanOrEqual(15);
  });
});
