/**
 * @module
 * The named policies: each is a valid document, each admits a claim that does its work, and each flaw
 * is shown by breaking it.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';

import { compareBytes, concatBytes, leadingZeroBits, u64be } from '../../src/bytes.ts';
import { admit } from '../../src/identity/admit.ts';
import type { Claim } from '../../src/identity/claim.ts';
import { createClaim } from '../../src/identity/claim.ts';
import { staticBits } from '../../src/identity/ids/node-id.ts';
import type { PolicyName } from '../../src/identity/named-policies.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../src/identity/named-policies.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { parsePolicy, policyUnsupportedReasons, STRICT_POLICY } from '../../src/identity/policy.ts';

const SEARCH_MAX = 2 ** 12;
const SOUND: readonly PolicyName[] = ['strict', 'iterated', 'scrypt', 'scrypt-id', 'argon2id'];

describe.each(POLICY_NAMES)('%s', (name) => {
  const { policy, summary, weakness, reference } = NAMED_POLICIES[name];

  it('is a valid document', () => {
    expect(parsePolicy(JSON.parse(JSON.stringify(policy)))).toEqual(policy);
    expect(policyUnsupportedReasons(policy, 'ed25519')).toEqual([]);
  });

  it('says what it is, whether it is sound, and where that comes from', () => {
    expect(summary).toMatch(/^\S.{10,90}$/);
    expect(reference).toMatch(/^\S.{5,}$/);
    expect(weakness === null).toBe(SOUND.includes(name));
  });

  it('admits a claim that does two bits of its work, and one bit short refuses it', () => {
    const c1 = policy.idRule === 'storj' ? 10 : 2;
    const easy = { ...policy, c1, c2: 0 };
    const claim = claimOf(easy, (bits) => bits >= c1);
    const measured = staticBits(claim.nodeId, easy);

    expect(admit(claim, easy).admitted).toBe(true);
    expect(admit(claim, { ...easy, c1: measured + 1 }).refusal).toBe('pow.insufficient');
  });
});

describe('the tests that an attack takes', () => {
  it.each([
    ['xor-dynamic', { c1: 8 }, 2 ** 8],
    ['version-byte', { c1: 24 }, 2 ** 16],
    ['version-byte', { c1: 5 }, 1],
    ['storj', { c1: 36 }, 2 ** 28],
    // 2^20.3 and 2^86.3, as their flaws say.
    ['truncated-id', {}, 2 ** 20.3257],
    ['sha1', {}, 2 ** 86.3257],
  ] as const)('under %s with %j are %d', (name, changes, tests) => {
    const { policy, weakness } = NAMED_POLICIES[name];

    const attempts = weakness?.attempts({ ...policy, ...changes }) ?? 0;

    expect(Math.log2(attempts)).toBeCloseTo(Math.log2(tests), 3);
  });
});

describe('flaws', () => {
  it('xor-dynamic: one Y serves every ID', () => {
    const policy = { ...NAMED_POLICIES['xor-dynamic'].policy, c1: 0, c2: 10 };
    const y = firstY(policy.c2);

    const verdicts = [1, 2, 3, 4].map((seed) => {
      const nodeId = claimOf(policy, () => true, { seed }).nodeId;
      const solution = nodeId.map((byte, index) => byte ^ (y[index] ?? 0));
      return admit(
        claimOf(policy, () => true, { seed, solution }),
        policy,
      ).admitted;
    });

    expect(verdicts).toEqual([true, true, true, true]);
  });

  it('unhashed-xor: the ID solves its own puzzle, all 64 bits and more', () => {
    const policy = { ...NAMED_POLICIES['unhashed-xor'].policy, c1: 0 };
    const { nodeId } = claimOf(policy, () => true);

    const verdict = admit(
      claimOf(policy, () => true, { solution: nodeId }),
      policy,
    );

    expect(verdict.checks).toContainEqual({
      check: 'dynamic',
      ok: true,
      requiredBits: 64,
      measuredBits: 256,
    });
  });

  it('version-byte: every key meets eight bits', () => {
    const policy = { ...NAMED_POLICIES['version-byte'].policy, c1: 8 };

    const verdicts = [1, 2, 3, 4].map(
      (seed) =>
        admit(
          claimOf(policy, () => true, { seed }),
          policy,
        ).admitted,
    );

    expect(verdicts).toEqual([true, true, true, true]);
  });

  it('yggdrasil: of two keys the one of more zeros is closer to the root', () => {
    const { policy } = NAMED_POLICIES.yggdrasil;

    const weak = claimOf(policy, (bits) => bits === 1);
    const strong = claimOf(policy, (bits) => bits === 4);

    expect(compareBytes(strong.nodeId, weak.nodeId)).toBeLessThan(0);
  });
});

interface Extras {
  readonly seed?: number;
  readonly solution?: Uint8Array;
}

/** The claim of the first seed from `seed` on whose node ID has suitable static bits. */
function claimOf(
  policy: Policy,
  suits: (bits: number) => boolean,
  { seed = 0, solution }: Extras = {},
): Claim {
  for (let index = seed; index < seed + SEARCH_MAX; index += 1) {
    const secret = { form: 'seed', bytes: sha256(u64be(index)) } as const;
    const parts = { scheme: 'ed25519', secret, policy, solution: solution ?? null } as const;
    const claim = createClaim(parts);
    if (suits(staticBits(claim.nodeId, policy))) return claim;
  }
  throw new Error(`no suitable key in ${SEARCH_MAX}`);
}

function firstY(bits: number): Uint8Array {
  for (let value = 0; value < 2 ** 16; value += 1) {
    const y = concatBytes(new Uint8Array(24), u64be(value));
    if (leadingZeroBits(sha256(y)) >= bits) return y;
  }
  throw new Error(`no Y of ${bits} bits`);
}

describe('the record', () => {
  it('begins with the strict policy', () => {
    expect(POLICY_NAMES[0]).toBe('strict');
    expect(NAMED_POLICIES.strict.policy).toEqual(STRICT_POLICY);
    expect(Object.keys(NAMED_POLICIES)).toEqual([...POLICY_NAMES]);
  });
});
