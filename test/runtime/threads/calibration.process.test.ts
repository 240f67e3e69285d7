/**
 * @module
 * What a calibration says of this machine. No figure is asserted, only what must be true of figures;
 * with `TRUE_CLOCK=1` they are measured by a true clock.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import { NATIVE_CORE } from '../../../src/mining/native.ts';
import type { Calibration } from '../../../src/operations/calibration.ts';
import { calibrate } from '../../../src/runtime/threads/calibration.ts';
import { hasteClock, restoreClock } from './haste.ts';

const KEYS = [
  ['fresh', 'noble', 'strict'],
  ['fresh', 'openssl', 'strict'],
  ['walk', 'noble', 'strict'],
  ['batch', 'kernel', 'strict'],
  ['siblings', 'kernel', 'strict'],
];
const WEAK_KEYS = ['siblings', 'kernel', 'weak'];
const SOLUTIONS = [
  ['dynamic', 'noble', 'strict'],
  ['dynamic', 'openssl', 'strict'],
  ['dynamic', 'kernel', 'strict'],
  ['amortised-xor', 'kernel', 'weak'],
];

describe('a calibration', () => {
  let calibration: Calibration;
  const announced: string[] = [];

  beforeAll(async () => {
    if (process.env.TRUE_CLOCK !== '1') hasteClock();
    calibration = await calibrate({
      threads: 1,
      seconds: 2,
      onProgress: (what) => announced.push(what),
    });
    restoreClock();
  });

  it('has a rate for every scheme and search', () => {
    const { keys, solutions, stock, threads } = calibration;

    const rows = (['ed25519', 'secp256k1'] as const).map((scheme) =>
      keys.filter((row) => row.scheme === scheme).map(nameOf),
    );
    expect(rows).toEqual([[...KEYS, WEAK_KEYS], KEYS]);
    expect(solutions.map(nameOf)).toEqual(SOLUTIONS);
    const rates = [
      ...keys.map((row) => row.keys),
      ...solutions.map((row) => row.solutions),
      stock.tests,
    ];
    for (const { perSecond, perCpuSecond } of rates) {
      expect(perSecond).toBeGreaterThan(1);
      expect(perCpuSecond).toBeGreaterThan(1);
    }
    expect(threads).toBe(1);
    expect(announced).toHaveLength(rates.length);
    expect(announced.slice(0, 2)).toEqual([
      'measuring fresh with ed25519, noble',
      'measuring fresh with ed25519, openssl',
    ]);
  });

  it('states the advantage over the two naive searches of the same kind', () => {
    const { keys, solutions } = calibration;
    const kinds = [
      ...SCHEME_NAMES.map((scheme) =>
        keys
          .filter((row) => row.scheme === scheme)
          .map((row) => ({ ...row, rate: row.keys.perCpuSecond })),
      ),
      solutions.map((row) => ({ ...row, rate: row.solutions.perCpuSecond })),
    ];
    for (const [first, second, ...others] of kinds) {
      const [noble = 0, native = 0] = [first?.rate, second?.rate];
      expect(first?.advantageBits.noble).toBe(0);
      expect(second?.advantageBits.native).toBe(0);
      for (const { rate, advantageBits } of others) {
        expect(advantageBits.noble).toBeCloseTo(Math.log2(rate / noble), 9);
        expect(advantageBits.native).toBeCloseTo(Math.log2(rate / native), 9);
      }
    }
  });

  it('has times that double with every bit, for the fastest keys of the strict policy', () => {
    const strict = calibration.keys.filter(({ policy }) => policy === 'strict');
    const fastest = Math.max(...strict.map(({ keys }) => keys.perSecond));
    for (const { bits, expectedSeconds, p50Seconds, p95Seconds, p99Seconds } of calibration.times) {
      expect(expectedSeconds).toBeCloseTo(2 ** bits / fastest, 6);
      expect(p50Seconds).toBeLessThan(p95Seconds);
      expect(p95Seconds).toBeLessThan(p99Seconds);
    }
  });

  it('states native code as a constant with its source', () => {
    expect(calibration.native).toBe(NATIVE_CORE);
    expect(NATIVE_CORE.label).toContain('not measured');
  });
});

function nameOf({
  strategy,
  implementation,
  policy,
}: (Calibration['keys'] | Calibration['solutions'])[number]): string[] {
  return [strategy, implementation, policy];
}
