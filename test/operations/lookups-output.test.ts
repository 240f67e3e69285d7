/**
 * @module
 * The shares of a row of lookups, with their intervals.
 */

import { expect, it } from 'vitest';
import { rowOf } from '../../src/operations/lookups/output.ts';

it('gives the keys that are led and captured their exact intervals', () => {
  const measured = {
    ...{ lookups: 40, successes: 40, led: 20, eclipsed: 10, lengths: [40], lookupLengths: [40] },
    ...{ expected: [40], messages: 80, ticks: [], timeouts: 0, poisoned: 0 },
    ...{ keys: 20, keysLed: 19, keysCaptured: 17, hashesPerKey: 1000 },
  };

  const facts = { nodes: 100, m: 0, d: 1, index: 0, confidence: 0.95, isTimed: false };
  const row = rowOf(measured, { ...facts, base: measured });

  // Published values for 19 and 17 of 20 (Clopper and Pearson 1934).
  const expected = [
    [row.keysLed.interval, [0.7513, 0.9987]],
    [row.keysCapturedInterval, [0.6211, 0.9679]],
  ] as const;
  for (const [interval, [low, high]] of expected) {
    expect(interval[0]).toBeCloseTo(low, 4);
    expect(interval[1]).toBeCloseTo(high, 4);
  }
});
