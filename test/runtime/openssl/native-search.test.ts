/**
 * @module
 * The naive searches with node:crypto: they make keys that noble makes of the same secrets, and measure the bits
 * that noble measures.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex } from '../../../src/bytes.ts';
import { SCHEME_NAMES, schemeOf } from '../../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { challengeOf } from '../../../src/identity/puzzles/puzzle.ts';
import { solutionMeter } from '../../../src/mining/solution.ts';
import {
  NATIVE_KEYS,
  nativeSolutionTest,
  testNativeKey,
} from '../../../src/runtime/openssl/native-search.ts';

describe.each(SCHEME_NAMES)('keys of %s', (name) => {
  const scheme = schemeOf(name);
  const keys = Array.from({ length: 50 }, () => NATIVE_KEYS[name]());

  it('are those that noble makes of their secrets', () => {
    for (const { publicKey, secret } of keys) {
      const expected = scheme.publicKeyOf({ form: 'seed', bytes: secret() });

      expect(bytesToHex(publicKey)).toBe(bytesToHex(expected));
    }
  });

  it('are all different', () => {
    expect(new Set(keys.map(({ publicKey }) => bytesToHex(publicKey))).size).toBe(keys.length);
  });

  it('have a zero bit first in half of the tests', () => {
    const bits = Array.from({ length: 400 }, () => testNativeKey(name));

    // Six sigma of a binomial count.
    expect(Math.abs(bits.filter((each) => each > 0).length - 200)).toBeLessThan(60);
  });
});

describe('solutions', () => {
  it('have the bits that noble measures, for numbers of up to 53 bits', () => {
    const nodeId = new Uint8Array(32).fill(0x5a);
    const policy = { ...STRICT_POLICY, epoch: 3 };
    const test = nativeSolutionTest(challengeOf(policy), nodeId);
    const reference = solutionMeter(policy, nodeId);
    const numbers = [
      ...Array.from({ length: 2000 }, (_, number) => number),
      ...[2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER],
    ];

    expect(numbers.map(test)).toEqual(numbers.map(reference));
    expect(Math.max(...numbers.map(test)), 'also more than a byte of zeros').toBeGreaterThan(8);
  });
});
