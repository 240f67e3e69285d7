/**
 * @module
 * What a calibration says of this machine. No figure is asserted, only what must be true of figures.
 */

import { describe, expect, it } from 'vitest';
import { SCHEME_NAMES } from '../../src/identity/scheme.ts';
import { calibrate } from '../../src/runtime/calibration.ts';

describe('a calibration', () => {
  it('has a rate for every scheme and times that double with every bit', async () => {
    const announced: string[] = [];

    const { strategies, times } = await calibrate({
      threads: 1,
      onProgress: (what) => announced.push(what),
    });

    expect(announced).toEqual(['measuring fresh with ed25519', 'measuring fresh with secp256k1']);
    expect(strategies.map(({ scheme }) => scheme)).toEqual([...SCHEME_NAMES]);
    for (const { candidatesPerSecond, ...rest } of strategies) {
      expect(candidatesPerSecond).toBeGreaterThan(1);
      expect(rest).toMatchObject({ strategy: 'fresh', threads: 1, advantageBits: 0 });
    }
    const fastest = Math.max(...strategies.map((rate) => rate.candidatesPerSecond));
    for (const { bits, expectedSeconds, p50Seconds, p95Seconds, p99Seconds } of times) {
      expect(expectedSeconds).toBeCloseTo(2 ** bits / fastest, 6);
      expect(p50Seconds).toBeLessThan(p95Seconds);
      expect(p95Seconds).toBeLessThan(p99Seconds);
    }
  });
});
