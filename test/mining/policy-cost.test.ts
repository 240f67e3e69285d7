/**
 * @module
 * What identities cost under a policy, against tables that were computed elsewhere.
 */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { leadingZeroBits } from '../../src/bytes.ts';
import { NAMED_POLICIES } from '../../src/identity/named-policies.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { policyCost, realBits } from '../../src/mining/policy-cost.ts';

describe('both puzzles for several IDs', () => {
  it.each([
    [16, 8, 20, 16_785_408, 1_056_768],
    [256, 8, 20, 268_566_528, 1_179_648],
    [256, 16, 16, 50_331_648, 33_619_968],
  ])('%d IDs at c1 %d, c2 %d: concat %d, xor %d', (ids, c1, c2, bound, amortised) => {
    const concat = policyCost(policyWith({ c1, c2 }), { ids });
    // The salt makes the hash of the static puzzle another one than SHA-256(nodeId ⊕ 0).
    const xor = policyCost(policyWith({ c1, c2, dynamic: 'xor', salted: true }), { ids });

    expect(concat.honest.hashes).toBe(bound);
    expect(concat.cheapest).toEqual(concat.honest);
    expect(xor.honest.hashes).toBe(bound);
    expect(xor.cheapest.hashes).toBe(amortised);
    expect(xor.cheapest.bits).toBeCloseTo(Math.log2(amortised), 12);
  });

  it('gain nothing by xor for one ID', () => {
    const { honest, cheapest } = policyCost(policyWith({ c1: 8, c2: 20, dynamic: 'xor' }));

    expect(cheapest).toEqual(honest);
  });
});

describe('the XOR puzzle without a salt', () => {
  const ids = 256;

  it.each([
    [16, 16],
    [16, 4],
  ])(
    'costs one hash for each ID if it is not harder than the static one: c1 %d, c2 %d',
    (c1, c2) => {
      const { honest, cheapest, real } = policyCost(policyWith({ c1, c2, dynamic: 'xor' }), {
        ids,
      });

      expect(real).toEqual({ c1, c2: 0 });
      expect(honest.hashes).toBe(ids * (2 * 2 ** c1 + 1));
      expect(cheapest).toEqual(honest);
    },
  );

  it.each([
    ['it is harder', { c2: 17 }],
    ['the static puzzle is salted', { salted: true }],
    ['the static puzzle is not checked', { checks: { ...STRICT_POLICY.checks, static: false } }],
    ['the static puzzle hashes nothing', { idRule: 'storj' }],
    ['it is bound to the node', { dynamic: 'concat' }],
  ] as const)('costs what it requires if %s', (_name, changes) => {
    const policy = policyWith({ c1: 16, c2: 16, dynamic: 'xor', ...changes });

    expect(policyCost(policy).real.c2).toBe(policy.c2);
  });
});

describe('the XOR puzzle that is harder than the static one', () => {
  /** Hashes that these SHA-256 of IDs and of Y take, one ID after the other and then Y. */
  function searched({ c1, c2 }: { readonly c1: number; readonly c2: number }, ids: number) {
    let [next, total] = [0, 0];
    const zeros = (bytes: Uint8Array) => {
      total += 1;
      return leadingZeroBits(createHash('sha256').update(bytes).digest());
    };
    return () => {
      let isY = false;
      total = 0;
      for (let found = 0; found < ids; ) {
        // A key costs the hash that is its ID.
        total += 1;
        next += 1;
        const bits = zeros(sha256Of(`key ${next}`));
        if (bits >= c1) found += 1;
        isY ||= bits >= c2;
      }
      for (; !isY; next += 1) isY = zeros(sha256Of(`Y ${next}`)) >= c2;
      return total;
    };
  }

  it.each([
    { c1: 8, c2: 9, ids: 1, hashes: 768 },
    { c1: 8, c2: 10, ids: 1, hashes: 1280 },
    { c1: 8, c2: 12, ids: 16, hashes: 9650.5 },
  ])('takes an ID that meets both as Y: %o', ({ ids, hashes, ...bits }) => {
    const { cheapest, honest, real } = policyCost(policyWith({ ...bits, dynamic: 'xor' }), { ids });

    expect(real).toEqual(bits);
    expect(cheapest.hashes).toBeCloseTo(hashes, 1);
    // 2^c1 hashes less for each ID than on paper.
    expect(honest.hashes).toBe(ids * (2 ** bits.c1 + 2 ** bits.c2));
  });

  it.each([
    { c1: 4, c2: 5, ids: 1 },
    { c1: 4, c2: 6, ids: 3 },
  ])('costs what searches with SHA-256 do: %o', ({ ids, ...bits }) => {
    const search = searched(bits, ids);
    const costs = Array.from({ length: 2000 }, search);

    const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
    const deviation = Math.sqrt(costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0)) / 2000;
    const { cheapest } = policyCost(policyWith({ ...bits, dynamic: 'xor' }), { ids });
    expect(Math.abs(mean - cheapest.hashes)).toBeLessThan(4 * deviation);
    expect(mean + 6 * deviation).toBeLessThan(ids * 2 ** (bits.c1 + 1) + 2 ** bits.c2);
  });
});

describe('a hash that is iterated', () => {
  it.each([1, 10, 1000])('%d times costs an attempt as much more, beside the ID', (iterations) => {
    const puzzle = { function: 'iterated', iterations } as const;

    const { honest } = policyCost(policyWith({ c1: 12, puzzle }));

    expect(honest.attempts).toBe(2 ** 12);
    expect(honest.hashes).toBe((1 + iterations) * 2 ** 12);
  });
});

describe('the named policies', () => {
  it('storj: a nominal 36 is 28 bits', () => {
    const { nominal, real, honest } = policyCost(NAMED_POLICIES.storj.policy);

    expect([nominal.c1, real.c1]).toEqual([36, 28]);
    expect(honest).toEqual({ attempts: 2 ** 28, hashes: 2 ** 29, bits: 29 });
  });

  it('storj: a difficulty below the version byte is free', () => {
    expect(realBits(policyWith({ idRule: 'storj' }), { c1: 5, c2: 0 }).c1).toBe(0);
  });

  it('unhashed-xor: c2 is free', () => {
    const { nominal, real, cheapest } = policyCost(NAMED_POLICIES['unhashed-xor'].policy);

    expect([nominal.c2, real.c2]).toEqual([64, 0]);
    expect(cheapest.hashes).toBe(2 * 2 ** 8);
  });

  it.each([
    ['strict', 256, 0],
    ['truncated-id', 32, 8],
    ['sha1', 160, 12],
    ['storj', 248, 28],
    ['version-byte', 248, 16],
  ] as const)(
    '%s: a given ID takes %d bits; a pair also half of %d bits of work',
    (name, given, work) => {
      const mean = Math.log2(Math.sqrt(Math.PI / 2));

      const bits = policyCost(NAMED_POLICIES[name].policy).collisionBits;

      expect(bits?.given).toBe(given);
      expect(bits?.any).toBeCloseTo((given + work) / 2 + mean, 12);
    },
  );

  it('yggdrasil: two keys have two IDs', () => {
    expect(policyCost(NAMED_POLICIES.yggdrasil.policy).collisionBits).toBeNull();
  });

  it('torsion: eight IDs a secret, for Ed25519 alone', () => {
    const { policy } = NAMED_POLICIES.torsion;

    expect(policyCost(policy).idsPerSecret).toBe(8);
    expect(policyCost(policy, { scheme: 'secp256k1' }).idsPerSecret).toBe(1);
    expect(policyCost(STRICT_POLICY).idsPerSecret).toBe(1);
  });

  it.each([
    ['iterated', 1 + 1000],
    ['scrypt', 1 + 4 * 2 ** 10 * 8],
    ['scrypt-id', 4 * 2 ** 10 * 8 + 1],
    ['argon2id', 1 + 1024],
  ] as const)('%s: a test takes %d primitives, the node ID among them', (name, primitives) => {
    const { attempts, hashes } = policyCost(NAMED_POLICIES[name].policy).honest;

    expect(hashes / attempts).toBe(primitives);
  });

  it('yggdrasil: keys are tested and nothing is hashed', () => {
    const policy = { ...NAMED_POLICIES.yggdrasil.policy, c1: 20 };

    expect(policyCost(policy).honest).toEqual({ attempts: 2 ** 20, hashes: 0, bits: 20 });
  });
});

describe('a check that is switched off', () => {
  it('demands no bits', () => {
    const checks = { ...STRICT_POLICY.checks, static: false, dynamic: false };

    const { nominal, honest } = policyCost(policyWith({ c1: 20, c2: 20, checks }));

    expect(nominal).toEqual({ c1: 0, c2: 0 });
    expect(honest).toEqual({ attempts: 1, hashes: 1, bits: 0 });
  });
});

function sha256Of(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

function policyWith(members: Partial<Policy>): Policy {
  return { ...STRICT_POLICY, ...members };
}
