/**
 * @module
 * What a calibration says of this machine. No figure is asserted, only what must be true of figures;
 * with `TRUE_CLOCK=1` they are measured by a true clock.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { calibrate } from '../../../src/runtime/threads/calibration.ts';
import { hasteClock, restoreClock } from './haste.ts';

const STRICT = ['fresh', 'walk', 'batch', 'siblings'];
const ROWS = [
  ...STRICT.map((strategy) => ['ed25519', strategy, 'strict']),
  ['ed25519', 'siblings', 'weak'],
  ['ed25519', 'stockpile', 'strict'],
  ['ed25519', 'dynamic', 'strict'],
  ['ed25519', 'amortised-xor', 'weak'],
  ...STRICT.map((strategy) => ['secp256k1', strategy, 'strict']),
  ['secp256k1', 'stockpile', 'strict'],
  ['secp256k1', 'dynamic', 'strict'],
  ['secp256k1', 'amortised-xor', 'weak'],
];

describe('a calibration', () => {
  afterEach(restoreClock);

  it('has a rate for every scheme and strategy and times that double with every bit', async () => {
    const announced: string[] = [];
    if (process.env.TRUE_CLOCK !== '1') hasteClock();

    const { strategies, times } = await calibrate({
      threads: 1,
      seconds: 0.2,
      onProgress: (what) => announced.push(what),
    });

    const rows = strategies.map(({ scheme, strategy, policy }) => [scheme, strategy, policy]);
    expect(rows).toEqual(ROWS);
    expect(announced).toEqual(ROWS.map(([scheme, name]) => `measuring ${name} with ${scheme}`));
    for (const { candidatesPerSecond, strategy, threads, advantageBits } of strategies) {
      expect(candidatesPerSecond).toBeGreaterThan(1);
      expect(threads).toBe(1);
      if (strategy === 'fresh') expect(advantageBits).toBe(0);
    }
    const keys = strategies.filter(
      ({ strategy, policy }) => policy === 'strict' && STRICT.includes(strategy),
    );
    const fastest = Math.max(...keys.map((rate) => rate.candidatesPerSecond));
    for (const { bits, expectedSeconds, p50Seconds, p95Seconds, p99Seconds } of times) {
      expect(expectedSeconds).toBeCloseTo(2 ** bits / fastest, 6);
      expect(p50Seconds).toBeLessThan(p95Seconds);
      expect(p95Seconds).toBeLessThan(p99Seconds);
    }
  });
});
