/**
 * @module
 * The WASM kernel against noble under every policy that it knows: the same first hit at random cursors, no hit lost
 * in consecutive attempts, and none by a window, which lets the kernel leave out second hashes.
 * `KERNEL_POLICY_CURSORS` makes the suite larger.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { idRuleOf } from '../../../src/identity/ids/node-id.ts';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import { NAMED_POLICIES } from '../../../src/identity/named-policies.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { policyUnsupportedReasons, STRICT_POLICY } from '../../../src/identity/policy.ts';
import type { HeadWindow } from '../../../src/mining/goal.ts';
import type { Walk } from '../../../src/mining/kernel/numbering.ts';
import { attemptsPerBatch, GROUP_ORDER } from '../../../src/mining/kernel/numbering.ts';
import { batchKeys, candidateOf } from '../../../src/mining/kernel/twin.ts';
import type { KernelOptions } from '../../../src/mining/kernel/wasm-kernel.ts';
import { loadKernel, passes } from '../../../src/mining/kernel/wasm-kernel.ts';
import { isKernelPolicy } from '../../../src/mining/policy-cost.ts';
import { pseudorandom } from './walks.ts';
import { KERNEL_BYTES } from './wasm.ts';

/** For each policy, divided among its kinds of walk. */
const CURSORS = Number(process.env.KERNEL_POLICY_CURSORS ?? 12);
const IS_SLOW = CURSORS >= 1000;
/** Batches of attempts in a row, and the attempts before the first border. */
const BATCHES = IS_SLOW ? 8 : 2;
const BEFORE_BORDER = 7;
/** Attempts that contain a hit of two bits, except with a probability of 2^-79. */
const ENOUGH = 192;

/** Rules in which the blocks of the two hashes differ. */
const RULES: Readonly<Record<string, Policy>> = {
  ...Object.fromEntries(
    Object.entries(NAMED_POLICIES)
      .filter(([, { policy }]) => isKernelPolicy({ ...policy, c1: 1 }))
      .map(([name, { policy }]) => [name, policy]),
  ),
  'sha1, salted': policyWith({ hash: 'sha1', salted: true, epoch: 7 }),
  'sha1, 48 bits': policyWith({ hash: 'sha1', idBits: 48 }),
  'salted, 64 bits in one block': policyWith({ salted: true, idBits: 64 }),
  'salted, 184 bits in one block': policyWith({ salted: true, idBits: 184 }),
  'salted, 192 bits in two blocks': policyWith({ salted: true, idBits: 192 }),
  'salted, 216 bits in two blocks': policyWith({ salted: true, idBits: 216 }),
  '16 bits': policyWith({ idBits: 16 }),
  '24 bits': policyWith({ idBits: 24 }),
  '248 bits': policyWith({ idBits: 248 }),
};

/** Windows of the widths at which the kernel queues IDs, and those at which it does not. */
const WINDOWS: readonly HeadWindow[] = [
  { low: 0xfc000000, high: 0xffffffff },
  { low: 0x12345678, high: 0x52345678 },
  { low: 0xe0000000, high: 0x1fffffff },
  { low: 0x20000000, high: 0xdfffffff },
  { low: 0x10000000, high: 0xffffffff },
];

/** Both kinds of walk under every policy in the slow suite, else one kind with each scheme. */
const CASES = Object.entries(RULES).flatMap(([name, policy], index) =>
  SCHEME_NAMES.filter((scheme) => policyUnsupportedReasons(policy, scheme).length === 0).flatMap(
    (scheme) => {
      const isOdd = (scheme === 'ed25519') === index % 2 > 0;
      const kinds = idRuleOf(policy).isKey ? [false] : IS_SLOW ? [true, false] : [isOdd];
      return kinds.map((siblings) => ({ name, policy, scheme, siblings }));
    },
  ),
);

test('every policy without a slow puzzle is known to the kernel', () => {
  const slow = Object.entries(NAMED_POLICIES)
    .filter(([, { policy }]) => !isKernelPolicy({ ...policy, c1: 1 }))
    .map(([name]) => name);

  expect(slow).toEqual(['iterated', 'scrypt', 'scrypt-id', 'argon2id']);
});

describe.each(CASES)(
  '$name with $scheme, siblings $siblings',
  ({ name, policy, scheme, siblings }) => {
    const loaded = loadKernel(KERNEL_BYTES, scheme);
    const torsion = siblings && scheme === 'ed25519' && !policy.checks.torsion;
    const walk = { scheme, siblings, torsion };
    const size = attemptsPerBatch(walk);
    const free = idRuleOf(policy).puzzle(policy).freeBits;
    const startAt = (label: string) => pseudorandom(label, 256) % GROUP_ORDER[scheme];

    const cursors = CURSORS / CASES.filter((other) => other.name === name).length;
    test(`finds noble's first hit at ${cursors} cursors`, () => {
      for (let i = 0; i < cursors; i++) {
        const startScalar = startAt(`first ${i} ${siblings}`);
        const options = { ...walk, startScalar, rules: policy, c1: free + 2 };
        const from = cursor(i, size);

        const [first] = loaded.open(options).scan(from, ENOUGH);

        expect(first, `cursor ${i}: attempt ${from}`).toBe(firstHit(options, from));
      }
    });

    describe('in a row of attempts', () => {
      const options = { ...walk, startScalar: startAt('row'), rules: policy };
      const from = BigInt(size - BEFORE_BORDER);
      const count = (BATCHES - 1) * size;
      let keys: ReadonlyMap<bigint, Uint8Array> = new Map();
      beforeAll(() => {
        keys = keysOf(options, from, count);
      });
      const expected = (tested: Omit<KernelOptions, keyof Walk>) =>
        [...keys].filter(([, key]) => passes(tested, key)).map(([attempt]) => attempt);

      test.each([0, 1, 5])('loses no candidate with %d bits of work', (bits) => {
        const tested = { ...options, c1: free + bits };

        const hits = loaded.open(tested).scan(from, count);

        expect(hits).toEqual(expected(tested));
        expect(hits.length).toBeGreaterThan(0);
      });

      test.each(WINDOWS)('loses none by the window %o', (window) => {
        // The window and the puzzle of a key that is the node ID count the same bits.
        const tested = { ...options, c1: idRuleOf(policy).isKey ? 0 : free + 1 };

        const hits = loaded.open({ ...tested, window }).scan(from, count);

        const inside = new Set(expected({ ...tested, c1: 0, window }));
        const all = loaded.open(tested).scan(from, count);
        expect(hits).toEqual(all.filter((attempt) => inside.has(attempt)));
        expect(hits.length).toBeGreaterThan(0);
      });
    });
  },
);

function policyWith(members: Partial<Policy>): Policy {
  return { ...STRICT_POLICY, ...members };
}

/** Anywhere below 2^40, and every fourth one at the first or last attempts of a batch. */
function cursor(i: number, size: number): bigint {
  const anywhere = pseudorandom(`cursor ${i}`, 40);
  if (i % 4 !== 0) return anywhere;
  const edge = [0, 1, size - 1, size - 2][(i >> 2) % 4] ?? 0;
  return (anywhere / BigInt(size)) * BigInt(size) + BigInt(edge);
}

function firstHit(options: KernelOptions, from: bigint): bigint {
  for (let attempt = from; ; attempt++) {
    const candidate = candidateOf(options, attempt);
    if (candidate !== null && passes(options, candidate.publicKey)) return attempt;
  }
}

/** The keys of a range by their attempts, made by noble. */
function keysOf(walk: Walk, from: bigint, count: number): Map<bigint, Uint8Array> {
  const size = BigInt(attemptsPerBatch(walk));
  const end = from + BigInt(count);
  const keys = new Map<bigint, Uint8Array>();
  for (let batch = from / size; batch * size < end; batch++) {
    let attempt = batch * size;
    for (const key of batchKeys(walk, batch)) {
      if (attempt >= from && attempt < end && key !== null) keys.set(attempt, key);
      attempt++;
    }
  }
  return keys;
}
