/**
 * @module
 * Incumbency and back-off against a top node that crashes and returns, over and over. What holds nodes back
 * is tested in holding-back.test.ts.
 */

import { describe, expect, it } from 'vitest';

import type { DefenceName } from '../../../src/election/defences/registry.ts';
import { ALGORITHMS } from '../../../src/election/registry.ts';
import type { Stage } from './staged.ts';
import { play } from './staged.ts';

const TIMING = { latencyTicksMax: 1 };
const RETURNS = 12;
const END_TICKS = 1400;

describe('a top node that comes and goes', () => {
  it('ends a reign at each return, fewer with back-off, and none but its own with incumbency', () => {
    const [without = 0, backOff = 0, incumbency = 0] = [
      changes([]),
      changes(['back-off']),
      changes(['incumbency']),
    ];

    expect(without).toBeGreaterThanOrEqual(2 * RETURNS - 1);
    expect(backOff).toBeLessThan(without / 2);
    expect(incumbency).toBe(1);
  });

  it('is followed at each return if it does not hold itself back', () => {
    const plain = ALGORITHMS['bully-oneshot'].create(TIMING);

    expect(changes(['incumbency'], { 5: () => plain })).toBeGreaterThan(RETURNS);
  });
});

/** How often leadership changed. */
function changes(defences: readonly DefenceName[], corrupted: Stage['corrupted'] = {}): number {
  const faults = Array.from({ length: RETURNS }, (_, index) => [
    { type: 'crash', rank: 5, at: 100 * (index + 1) } as const,
    { type: 'recover', rank: 5, at: 100 * (index + 1) + 50 } as const,
  ]).flat();
  const { simulation } = play({
    ...{ algorithm: 'bully-oneshot', nodes: 5, level: null, defences, corrupted },
    ...{ faults, audit: true, untilTicks: END_TICKS },
  });
  return simulation.audit()?.finish(END_TICKS).changes ?? 0;
}
