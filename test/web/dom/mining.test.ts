/**
 * @module
 * Mining in the browser: keys that a policy admits, claims that the admission accepts, and the odds of a search.
 */

import { describe, expect, it } from 'vitest';
import { progressOf } from '../../../server/web/elections/own/mining.ts';
import type { MiningOrder } from '../../../server/web/elections/own/own-key.ts';
import { claimOf, highestOf, mine } from '../../../server/web/elections/own/own-key.ts';
import { admit } from '../../../src/identity/admit.ts';
import { parseClaim } from '../../../src/identity/claim.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';

const POLICY = { ...STRICT_POLICY, c1: 4, c2: 3 };

function orderOf(above: string | null, c1 = POLICY.c1): MiningOrder {
  // The strict policy in the form of the API.
  return { policy: { ...POLICY, c1 }, above } as MiningOrder;
}

const QUARTER = 'c0'.padEnd(64, '0');

describe('a key that is mined in the browser', () => {
  it('is admitted by its policy, and above the ID that it must exceed', () => {
    const { policy } = orderOf(null);
    let tested = 0;

    const key = mine(orderOf('80'.padEnd(64, '0')), (keys) => {
      tested = keys;
    });
    const verdict = admit(parseClaim(claimOf(key, policy, null)), POLICY);

    expect(verdict.admitted).toBe(true);
    expect(key.nodeId >= '8').toBe(true);
    expect(tested).toBeGreaterThan(0);
  });
});

describe('the highest ID', () => {
  it('is that by rank, and null of none', () => {
    const { policy } = orderOf(null);

    expect(highestOf(['00'.repeat(32), QUARTER, '7f'.repeat(32)], policy)).toBe(QUARTER);
    expect(highestOf([], policy)).toBeNull();
  });
});

describe('the odds of a search in the browser', () => {
  it.each([
    [null, 8, 256],
    [QUARTER, 8, 1024],
    [QUARTER, 40, 2 ** 42],
  ] as const)('above %s with %i bits are one key of %i', (above, c1, expected) => {
    const progressAfter = progressOf(orderOf(above, c1));

    expect(progressAfter(0, 0)).toEqual({ tested: 0, perSecond: 0, expected, foundByNow: 0 });
    expect(progressAfter(100, 500).perSecond).toBe(200);
    expect(progressAfter(100, 500).foundByNow).toBeCloseTo(1 - (1 - 1 / expected) ** 100, 6);
  });
});
