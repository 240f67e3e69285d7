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
import {
  attemptHashes,
  freeIds,
  isKernelPolicy,
  isSolutionKernelPolicy,
  isStockKernelPolicy,
  pairAttempts,
  pairKeysExpected,
  policyCost,
  realBits,
  solutionHashes,
  takesSalt,
} from '../../src/mining/policy-cost.ts';
import { policyWith, policyWithout } from './tasks.ts';

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

  it('takes no ID as Y if no ID is hashed for a static puzzle', () => {
    const { honest } = policyCost(policyWith({ c2: 4, dynamic: 'xor' }));

    expect(honest.hashes).toBe(1 + 2 ** 4);
  });

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

describe('keys for which anyone signs', () => {
  // The eight points of small order have 14 encodings, 6 of them not canonical. The identity has 4, one canonical.
  it.each([
    [['smallOrder'], 1],
    [['smallOrder', 'torsion'], 8],
    [['smallOrder', 'encoding'], 4],
    [['smallOrder', 'torsion', 'encoding'], 14],
    [['torsion', 'encoding'], 0],
  ] as const)('without the checks %s: %d', (checks, keys) => {
    const policy = policyWithout(...checks);

    expect(policyCost(policy).keysWithoutSecret).toBe(keys);
    expect(policyCost(policy, { scheme: 'secp256k1' }).keysWithoutSecret).toBe(0);
  });
});

describe('IDs for which no key is hashed', () => {
  it.each<[string, Policy, string | undefined]>([
    ['no ID is compared with its key', policyWithout('nodeId'), 'nodeId'],
    ['no signature is checked', policyWithout('signature'), 'signature'],
    ['neither is', policyWithout('nodeId', 'signature'), 'nodeId'],
    ['keys are IDs, and anyone signs for some', NAMED_POLICIES.yggdrasil.policy, 'smallOrder'],
    ['keys are IDs', policyWith({ idRule: 'yggdrasil' }), undefined],
    ['anyone signs for some keys', policyWithout('smallOrder'), undefined],
    ['all is checked', STRICT_POLICY, undefined],
  ])('exist or not if %s', (_name, policy, check) => {
    expect(freeIds(policy)?.check).toBe(check);
    if (check !== undefined) expect(freeIds(policy)?.why).toMatch(/^(no|any).* /);
  });
});

const ITERATED = { function: 'iterated', iterations: 10 } as const;

describe('evaluations of one candidate', () => {
  it.each<[string, Policy, number]>([
    ['the hash that is the ID, without a puzzle', STRICT_POLICY, 1],
    ['a quarter of a puzzle if a quarter of the IDs is of use', policyWith({ c1: 1 }), 1.25],
    ['the same of a slow puzzle', policyWith({ c1: 1, puzzle: ITERATED }), 3.5],
    [
      'an ID by the slow function, and a quarter of one hash',
      policyWith({ c1: 1, puzzle: ITERATED, idRule: 'slow' }),
      10.25,
    ],
    ['none, if the key is the ID', NAMED_POLICIES.yggdrasil.policy, 0],
  ])('are %s', (_name, policy, hashes) => {
    expect(attemptHashes(policy, 0.25)).toBe(hashes);
  });

  it.each<[string, Partial<Policy>, number]>([
    ['one hash', {}, 1],
    ['ten hashes', { puzzle: ITERATED }, 10],
    ['nothing', { puzzle: ITERATED, dynamic: 'unhashed' }, 0],
  ])('of an X are %s', (_name, changes, hashes) => {
    expect(solutionHashes(policyWith(changes))).toBe(hashes);
  });
});

describe('what a salt and the kernels can be used for', () => {
  it.each<[string, Policy, { salt: boolean; keys: boolean; stock: boolean; solutions: boolean }]>([
    ['strict', policyWith({ c1: 1 }), { salt: true, keys: true, stock: true, solutions: true }],
    ['no static puzzle', STRICT_POLICY, { salt: true, keys: true, stock: false, solutions: true }],
    [
      'an iterated hash',
      policyWith({ c1: 1, puzzle: ITERATED }),
      { salt: true, keys: false, stock: false, solutions: false },
    ],
    [
      'an iterated hash for the dynamic puzzle alone',
      policyWith({ puzzle: ITERATED }),
      { salt: true, keys: true, stock: false, solutions: false },
    ],
    [
      // The static puzzle is one hash, which a kernel could test. The ID is not.
      'a slow ID',
      policyWith({ c1: 1, puzzle: ITERATED, idRule: 'slow' }),
      { salt: true, keys: false, stock: false, solutions: false },
    ],
    [
      'a slow ID without a static puzzle',
      policyWith({ puzzle: ITERATED, idRule: 'slow' }),
      { salt: true, keys: false, stock: false, solutions: false },
    ],
    [
      'the ID as the puzzle',
      policyWith({ c1: 9, idRule: 'storj' }),
      { salt: false, keys: true, stock: false, solutions: true },
    ],
    [
      'SHA-1',
      policyWith({ c1: 1, hash: 'sha1' }),
      { salt: true, keys: true, stock: true, solutions: false },
    ],
    [
      'short IDs',
      policyWith({ c1: 1, idBits: 248 }),
      { salt: true, keys: true, stock: true, solutions: false },
    ],
    [
      'an X that is not hashed',
      policyWith({ c1: 1, dynamic: 'unhashed' }),
      { salt: true, keys: true, stock: true, solutions: false },
    ],
  ])('%s', (_name, policy, uses) => {
    expect({
      salt: takesSalt(policy),
      keys: isKernelPolicy(policy),
      stock: isStockKernelPolicy(policy),
      solutions: isSolutionKernelPolicy(policy),
    }).toEqual(uses);
  });
});

describe('two keys with one ID', () => {
  it('take the draws of the birthday problem among the admitted IDs, each after 2^c1 keys', () => {
    // The mean of the birthday problem with 2^12 days: the sum over k of P(the first k draws all differ).
    let [mean, differing] = [0, 1];
    for (let drawn = 0; drawn < 2 ** 12; drawn += 1) {
      mean += differing;
      differing *= 1 - drawn / 2 ** 12;
    }
    const policy = policyWith({ idBits: 16, c1: 4 });

    // The bound leaves out 2/3, and less.
    expect(Math.abs(pairKeysExpected(policy) - mean)).toBeLessThan(0.7);
    expect(pairAttempts(policy)).toBeCloseTo(16 * pairKeysExpected(policy), 9);
  });

  it('do not exist if the key is the ID', () => {
    expect(pairAttempts(NAMED_POLICIES.yggdrasil.policy)).toBe(Number.POSITIVE_INFINITY);
    expect(pairKeysExpected(NAMED_POLICIES.yggdrasil.policy)).toBe(Number.POSITIVE_INFINITY);
  });
});

function sha256Of(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
