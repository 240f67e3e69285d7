/**
 * @module
 * The naive searches with node:crypto: they make keys that noble makes of the same secrets, and measure the bits
 * that noble measures.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex } from '../../../src/bytes.ts';
import { idRuleOf, nodeIdOf } from '../../../src/identity/ids/node-id.ts';
import { SCHEME_NAMES, schemeOf } from '../../../src/identity/keys/scheme.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../../src/identity/named-policies.ts';
import { policyUnsupportedReasons, STRICT_POLICY } from '../../../src/identity/policy.ts';
import { challengeOf, DYNAMIC_PUZZLES } from '../../../src/identity/puzzles/puzzle.ts';
import { evaluatePuzzle } from '../../../src/identity/puzzles/puzzle-function.ts';
import { solutionMeter } from '../../../src/mining/solution.ts';
import {
  NATIVE_KEYS,
  nativeIds,
  nativeKeyTest,
  nativePuzzle,
  nativeSolutionTest,
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
    const test = nativeKeyTest(name, STRICT_POLICY);
    const bits = Array.from({ length: 400 }, () => test?.() ?? 0);

    // Six sigma of a binomial count.
    expect(Math.abs(bits.filter((each) => each > 0).length - 200)).toBeLessThan(60);
  });
});

describe.each(POLICY_NAMES)('under the policy %s', (name) => {
  const { policy } = NAMED_POLICIES[name];
  const { isSlow, constantBits } = idRuleOf(policy);
  const schemes = SCHEME_NAMES.filter((each) => !policyUnsupportedReasons(policy, each).length);

  it.skipIf(isSlow)('node IDs are those of noble, but for constant bits', () => {
    for (const scheme of schemes) {
      const { publicKey } = NATIVE_KEYS[scheme]();
      const expected = nodeIdOf(publicKey, policy);
      const drawn = expected.length - constantBits / 8;

      const nodeId = nativeIds(policy)(publicKey);

      expect(bytesToHex(nodeId.subarray(0, drawn))).toBe(bytesToHex(expected.subarray(0, drawn)));
      expect(nodeId).toHaveLength(expected.length);
    }
  });

  it('the puzzle function is that of noble, unless node:crypto has none', () => {
    const input = new Uint8Array(32).fill(0x5a);
    const evaluate = nativePuzzle(policy);
    const isMissing = policy.puzzle.function === 'iterated' || isNewer(policy.puzzle.function);

    expect(evaluate === null).toBe(isMissing);
    if (evaluate === null) return;
    expect(bytesToHex(evaluate(input))).toBe(bytesToHex(evaluatePuzzle(policy, input)));
  });
});

/** Whether this version of Node lacks a function that later ones have. */
function isNewer(name: string): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return name === 'argon2id' && (major < 24 || (major === 24 && minor < 7));
}

describe.each(['concat', 'xor'] as const)('solutions of %s', (dynamic) => {
  it('have the bits that noble measures, for numbers of up to 53 bits', () => {
    const nodeId = new Uint8Array(32).fill(0x5a);
    const policy = { ...STRICT_POLICY, epoch: 3, dynamic };
    const { message, solution } = DYNAMIC_PUZZLES[dynamic];
    const challenge = challengeOf(policy);
    const first = message({ challenge, nodeId, solution: solution(nodeId, 0) });
    const test = nativeSolutionTest(first);
    const reference = solutionMeter(policy, nodeId);
    const numbers = [
      ...Array.from({ length: 2000 }, (_, number) => number),
      ...[2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER],
    ];

    expect(numbers.map(test)).toEqual(numbers.map(reference));
    expect(Math.max(...numbers.map(test)), 'also more than a byte of zeros').toBeGreaterThan(8);
  });
});
