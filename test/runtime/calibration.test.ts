/**
 * @module
 * What a calibration says of this machine. No figure is asserted, only what must be true of figures.
 */

import { describe, expect, it } from 'vitest';
import { SCHEME_NAMES } from '../../src/identity/scheme.ts';
import { STRATEGY_NAMES } from '../../src/mining/strategy.ts';
import { calibrate } from '../../src/runtime/calibration.ts';

describe('a calibration', () => {
  it('has a rate for every scheme and strategy and times that double with every bit', async () => {
    const announced: string[] = [];

    const { strategies, times } = await calibrate({
      threads: 1,
      onProgress: (what) => announced.push(what),
    });

    const pairs = SCHEME_NAMES.flatMap((scheme) => STRATEGY_NAMES.map((name) => [scheme, name]));
    expect(announced).toEqual(pairs.map(([scheme, name]) => `measuring ${name} with ${scheme}`));
    expect(strategies.map(({ scheme, strategy }) => [scheme, strategy])).toEqual(pairs);
    for (const { candidatesPerSecond, strategy, threads, advantageBits } of strategies) {
      expect(candidatesPerSecond).toBeGreaterThan(1);
      expect(threads).toBe(1);
      if (strategy === 'fresh') expect(advantageBits).toBe(0);
    }
    const fastest = Math.max(...strategies.map((rate) => rate.candidatesPerSecond));
    for (const { bits, expectedSeconds, p50Seconds, p95Seconds, p99Seconds } of times) {
      expect(expectedSeconds).toBeCloseTo(2 ** bits / fastest, 6);
      expect(p50Seconds).toBeLessThan(p95Seconds);
      expect(p95Seconds).toBeLessThan(p99Seconds);
    }
  });
});
