/**
 * @module
 * The kept keys of an adversary: their law does not depend on the way in which keys are added, and a run that would take
 * minutes is refused.
 */

import { describe, expect, it } from 'vitest';
import { KeptKeys } from '../../../src/experiment/epochs/kept-keys.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { refusedBy } from '../reading/refusals.ts';

const SEED = parseSeed('1');

describe('kept keys', () => {
  it.each([
    ['one by one', 3, 40],
    ['by the share of each segment', 40, 4],
  ])('are uniform if they are added %s', (_name, count, known) => {
    const runs = 4000;
    let above = 0;
    for (let run = 0; run < runs; run += 1) {
      const keys = new KeptKeys(createRandom(SEED, run));
      const [before, from, to] = [known / 2, 0.2, 0.7];
      for (let index = 0; index < known; index += 1) keys.put((index + 0.5) / known);
      keys.add(count, from, to);
      above += keys.countAbove(0.5) - before;
    }

    // 3/5 of the keys are above 0.5: the highest IDs are at depth 0.
    const deviation = Math.sqrt(0.24 / (runs * count));
    expect(Math.abs(above / (runs * count) - 0.6)).toBeLessThan(5 * deviation);
  });

  it('are refused if the IDs of too many of them are known, with what would be accepted', () => {
    const keys = new KeptKeys(createRandom(SEED));

    const refusal = refusedBy(() => {
      for (let index = 0; index < 2 ** 16; index += 1) keys.put(index / 2 ** 16);
    });

    expect(refusal.code).toBe('job.size');
    expect(refusal.message).toMatch(/lower the epochs or its budget, or raise the bits/);
  });
});
