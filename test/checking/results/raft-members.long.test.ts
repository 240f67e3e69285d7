/**
 * @module
 * Raft has one leader in an epoch while nodes join and leave: every schedule of small instances, and walks through
 * larger ones. Without the rule of raft-changes.ts the same walks find two.
 */

import { describe, expect, it } from 'vitest';
import { check } from '../../../src/checking/check.ts';
import { searchOptionsOf } from '../../../src/checking/check-request.ts';
import type { Check } from '../../../src/experiment/checks/request.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';
import { IS_WHOLE } from '../../sample.ts';

const RAFT: Omit<Check, 'ring'> = {
  protocol: 'raft',
  properties: ['one-leader-per-epoch'],
  flags: { spreadTicks: '1' },
  perLink: 1,
};

function resultOf(given: Check) {
  const steps = check(searchOptionsOf(requestOf(given), { statesMax: 500_000, bytesMax: 2 ** 29 }));
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('one leader in an epoch', () => {
  it.each([
    ['two founders, one joins', [1, 2, 3], [3], { join: 1, timeout: 3 }, 16_375],
    ['three founders, one joins', [1, 2, 3, 4], [4], { join: 1, timeout: 2 }, 219_985],
    ['three, two leave', [1, 2, 3], [], { leave: 2, timeout: 2 }, 62_551],
    ['one joins and one leaves', [1, 2, 3], [3], { join: 1, leave: 1, timeout: 2 }, 17_104],
  ])('holds in every schedule: %s', (_what, ring, absent, bounds, states) => {
    const result = resultOf({ ...RAFT, ring, absent, bounds });

    expect(result).toMatchObject({ type: 'exhausted', counts: { states } });
  });

  /** The walks of this seed find two leaders soon. The slow suite has more walks of another one. */
  const WALKS = IS_WHOLE ? { count: 6000, seed: '2' } : { count: 1200, seed: '14' };
  const CHANGES: Check = {
    ...RAFT,
    ...{
      ring: [1, 2, 3, 4],
      absent: [4],
      perLink: 2,
      walks: { ...WALKS, depth: 200 },
    },
    bounds: { join: 1, leave: 1, partition: 1, timeout: 3 },
  };

  it('is violated by a leader that changes the members at once', () => {
    const flags = { ...RAFT.flags, reconfiguration: 'unguarded' };

    const result = resultOf({ ...CHANGES, flags });

    expect(result).toMatchObject({
      type: 'violated',
      breach: expect.stringMatching(/^nodes \d and \d both led epoch \d$/),
    });
  });

  it('is not violated on the same walks with the rule', () => {
    expect(resultOf(CHANGES).type).toBe('capped');
  });
});
