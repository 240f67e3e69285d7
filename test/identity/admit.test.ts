/**
 * @module
 * Admission: the order of the checks, which are made at all, what a refusal says, and that every
 * claim whatever gets a verdict.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bytesToHex, concatBytes, hexToBytes, u64be } from '../../src/bytes.ts';
import type { Verdict } from '../../src/identity/admit.ts';
import { admit, admitCheaply, checkStatic, REFUSAL_CODES } from '../../src/identity/admit.ts';
import type { Claim } from '../../src/identity/claim.ts';
import { createClaim } from '../../src/identity/claim.ts';
import { ID_RULES, staticBits } from '../../src/identity/ids/node-id.ts';
import { SCHEME_NAMES, schemeOf } from '../../src/identity/keys/scheme.ts';
import { messageBytes } from '../../src/identity/message.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { CHECK_NAMES, checksOf, STRICT_POLICY } from '../../src/identity/policy.ts';
import { DYNAMIC_FORMS } from '../../src/identity/puzzles/puzzle.ts';
import type { PuzzleFunction } from '../../src/identity/puzzles/puzzle-function.ts';
import { HASH_NAMES } from '../../src/identity/puzzles/puzzle-function.ts';
import {
  claimUnder,
  honestClaim,
  policyWith,
  policyWithout,
  SEED,
  torsionPoints,
} from './forged-claims.ts';

const OTHER_SEED = hexToBytes('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb');
/** The first X that gives the ID of `SEED` 8 bits under the strict policy, and one that gives 7. */
const X_OF_8_BITS = hexToBytes('0000000000000163');
const C2_8 = policyWith({ c2: 8 });

describe('the checks of an honest claim', () => {
  it('are made in order for ed25519', () => {
    const claim = honestClaim('ed25519', { policy: C2_8, solution: X_OF_8_BITS });

    const verdict = admit(claim, C2_8);

    expect(verdict).toEqual({
      admitted: true,
      refusal: null,
      checks: [
        { check: 'nodeId', ok: true },
        { check: 'static', ok: true, requiredBits: 0, measuredBits: 0 },
        { check: 'dynamic', ok: true, requiredBits: 8, measuredBits: 8 },
        { check: 'encoding', ok: true },
        { check: 'smallOrder', ok: true },
        { check: 'torsion', ok: true },
        { check: 'signature', ok: true },
      ],
    });
  });

  it('leave out small order and torsion for secp256k1, a group of prime order', () => {
    const verdict = admit(honestClaim('secp256k1'), STRICT_POLICY);

    expect(namesOf(verdict)).toEqual(['nodeId', 'static', 'encoding', 'signature']);
  });

  it('leave out the dynamic puzzle where none is asked for and none is shown', () => {
    const without = admit(honestClaim('ed25519'), STRICT_POLICY);
    const shown = admit(honestClaim('ed25519', { solution: X_OF_8_BITS }), STRICT_POLICY);

    expect(namesOf(without)).not.toContain('dynamic');
    expect(shown.checks[2]).toEqual({
      check: 'dynamic',
      ok: true,
      requiredBits: 0,
      measuredBits: 8,
    });
  });

  it.each(CHECK_NAMES)('leave out %s where the policy switches it off', (name) => {
    const policy = { ...policyWithout(name), c2: 8 };
    const claim = honestClaim('ed25519', { policy, solution: X_OF_8_BITS });

    expect(namesOf(admit(claim, policy))).toEqual(CHECK_NAMES.filter((other) => other !== name));
  });

  it('are none where all are off, and then anything is admitted', () => {
    const claim = { ...honestClaim('ed25519'), signature: new Uint8Array(64) };

    expect(admit(claim, policyWithout(...CHECK_NAMES))).toEqual({
      admitted: true,
      refusal: null,
      checks: [],
    });
  });
});

describe('node ID', () => {
  it.each(SCHEME_NAMES)('%s: is refused when its last bit differs', (scheme) => {
    const claim = honestClaim(scheme);
    const nodeId = withLastBitFlipped(claim.nodeId);

    const verdict = admit({ ...claim, nodeId }, STRICT_POLICY);

    expect(verdict.refusal).toBe('id.mismatch');
    expect(verdict.checks).toEqual([
      {
        check: 'nodeId',
        ok: false,
        code: 'id.mismatch',
        detail: `SHA-256 of the public key is ${bytesToHex(claim.nodeId)}, not the claimed node ID`,
      },
    ]);
  });

  it('of another length is a mismatch, not an exception', () => {
    const claim = honestClaim('ed25519');

    const checks = [0, 31, 33].map(
      (length) => admit({ ...claim, nodeId: new Uint8Array(length) }, STRICT_POLICY).checks[0],
    );

    expect(checks).toEqual(
      [0, 31, 33].map((length) => ({
        check: 'nodeId',
        ok: false,
        code: 'id.mismatch',
        detail: `node IDs of this policy have 32 bytes, the claimed one has ${length}`,
      })),
    );
  });
});

describe('work', () => {
  it('is sufficient to the bit and insufficient one bit above', () => {
    const claim = honestClaim('ed25519', { seed: OTHER_SEED });
    const measured = staticBits(claim.nodeId);

    expect(admit(claim, policyWith({ c1: measured })).admitted).toBe(true);
    expect(admit(claim, policyWith({ c1: measured + 1 })).checks[1]).toEqual({
      check: 'static',
      ok: false,
      code: 'pow.insufficient',
      requiredBits: measured + 1,
      measuredBits: measured,
      detail: expect.stringMatching(
        new RegExp(
          `^SHA-256\\(nodeId\\) begins with ${measured} zero bits?, ${measured + 1} (is|are) required$`,
        ),
      ),
    });
  });

  it.each([
    [0, 1, 'begins with 0 zero bits, 1 is required'],
    [1, 2, 'begins with 1 zero bit, 2 are required'],
    [2, 3, 'begins with 2 zero bits, 3 are required'],
  ])('of %d bits short of %d is described in one sentence', (measured, c1, words) => {
    const ids = Array.from({ length: 256 }, (_, index) => new Uint8Array(32).fill(index));
    const nodeId = ids.find((id) => staticBits(id) === measured) ?? new Uint8Array(32);

    expect(checkStatic(nodeId, policyWith({ c1 }))).toMatchObject({
      check: 'static',
      detail: `SHA-256(nodeId) ${words}`,
    });
  });

  it.each([
    ['yggdrasil', 'the key begins with 0 zero bits, 9 are required'],
    ['storj', 'the node ID, including its version byte, ends with 8 zero bits, 9 are required'],
  ] as const)('under the rule %s is measured on the ID itself', (idRule, detail) => {
    const nodeId = new Uint8Array(32).fill(255);

    expect(checkStatic(nodeId, policyWith({ idRule, c1: 9 }))).toHaveProperty('detail', detail);
  });

  it('of the dynamic puzzle one bit short is refused with both numbers', () => {
    const policy = policyWith({ c2: 9 });
    const claim = honestClaim('ed25519', { policy, solution: X_OF_8_BITS });

    expect(admit(claim, policy).checks.at(-1)).toEqual({
      check: 'dynamic',
      ok: false,
      code: 'pow.insufficient',
      requiredBits: 9,
      measuredBits: 8,
      detail: 'the solution meets 8 bits of the dynamic puzzle (concat), 9 bits are required',
    });
  });

  it.each([
    ['no solution', null, 'there is no solution of the dynamic puzzle, 8 bits are required'],
    ['the zero solution', u64be(0), 'the solution meets'],
    [
      'a solution of the other form',
      new Uint8Array(32),
      'a solution of the concat form has 8 bytes, this one 32, 8 bits are required',
    ],
  ])('%s is insufficient', (_name, solution, detail) => {
    const claim = honestClaim('ed25519', { policy: C2_8, solution });

    const { refusal, checks } = admit(claim, C2_8);

    expect(refusal).toBe('pow.insufficient');
    expect(checks.at(-1)).toMatchObject({ check: 'dynamic', requiredBits: 8 });
    expect(checks.at(-1)).toHaveProperty('detail', expect.stringContaining(detail));
  });

  it.each([
    ['another node', C2_8, OTHER_SEED],
    ['another epoch', policyWith({ c2: 8, epoch: 1 }), SEED],
    ['another network', policyWith({ c2: 8, context: 'elsewhere' }), SEED],
  ])('done for one node, epoch and network is none for %s', (_name, policy, seed) => {
    const claim = honestClaim('ed25519', { policy, seed, solution: X_OF_8_BITS });

    expect(admit(claim, policy).refusal).toBe('pow.insufficient');
  });
});

describe('what is wrong with a key or a signature', () => {
  const unsigned = new Uint8Array(64);
  const { publicKey } = honestClaim('ed25519');
  const sibling = torsionPoints()
    .slice(1)
    .map((point) => point.add(ed25519.Point.fromBytes(publicKey)).toBytes());
  const noncanonical = hexToBytes(`ee${'ff'.repeat(30)}7f`);
  const small = hexToBytes(`01${'00'.repeat(31)}`);

  it.each([
    [
      'a second encoding of a key',
      noncanonical,
      'key.encoding',
      'the encoding of the key is not canonical; a key of ed25519 has one encoding, in 32 bytes',
    ],
    [
      'a point of small order',
      small,
      'key.small_order',
      'the key is a point of small order, for which anyone can sign',
    ],
    [
      'a key beside the subgroup',
      sibling[0] ?? small,
      'key.not_torsion_free',
      'the key is outside the subgroup of prime order; one secret would have eight such keys',
    ],
    [
      'no point at all',
      hexToBytes(`02${'00'.repeat(31)}`),
      'key.encoding',
      'the key does not decode to a point of ed25519',
    ],
  ])('%s', (_name, key, code, detail) => {
    const { checks } = admit(claimUnder('ed25519', key, unsigned), STRICT_POLICY);

    expect(checks.at(-1)).toMatchObject({ code, detail });
  });

  it('a signature without the nonce that was asked for, or with one that was not', () => {
    const nonce = new Uint8Array(32).fill(5);
    const secret = { form: 'seed', bytes: SEED } as const;
    const parts = { scheme: 'ed25519', secret, policy: STRICT_POLICY, solution: null } as const;
    const [fresh, old] = [createClaim({ ...parts, nonce }), createClaim(parts)];

    expect(admit(fresh, STRICT_POLICY, { nonce }).admitted).toBe(true);
    expect(admit(old, STRICT_POLICY).admitted).toBe(true);
    expect(admit(old, STRICT_POLICY, { nonce }).checks.at(-1)).toHaveProperty(
      'detail',
      'the signature is not valid for this key, nonce, challenge, node ID and solution',
    );
    expect(admit(fresh, STRICT_POLICY).checks.at(-1)).toHaveProperty(
      'detail',
      'the signature is not valid for this key, challenge, node ID and solution',
    );
  });
});

describe('a plain verifier', () => {
  it('is believed about a signature, if there is one', () => {
    const claim = { ...honestClaim('ed25519'), signature: new Uint8Array(64) };
    const refusals = [undefined, null, () => true].map(
      (plain) => admit(claim, STRICT_POLICY, { plain }).refusal,
    );

    expect(refusals).toEqual(['signature.invalid', 'signature.invalid', null]);
  });
});

describe('a verdict without the evaluation of a slow puzzle', () => {
  const puzzle = { function: 'iterated', iterations: 3 } as const;
  const solution = u64be(1);
  const unsigned = (claim: Claim) => ({ ...claim, signature: new Uint8Array(64) });

  it.each<[string, Partial<Policy>, Uint8Array | null, boolean]>([
    ['no slow puzzle', { c1: 1, c2: 1 }, solution, true],
    ['a slow puzzle that requires no bits', { puzzle }, null, true],
    ['a slow static puzzle', { puzzle, c1: 1 }, null, false],
    ['a slow dynamic puzzle', { puzzle, c2: 1 }, solution, false],
    ['a solution that has the wrong length', { puzzle, c2: 1 }, u64be(1).slice(1), true],
    ['no solution', { puzzle, c2: 1 }, null, true],
    [
      'a solution that is not hashed',
      { puzzle, c2: 1, dynamic: 'unhashed' },
      new Uint8Array(32),
      true,
    ],
    ['a slow ID', { puzzle, idRule: 'slow' }, null, false],
  ])('with %s', (_name, changes, shown, exists) => {
    const policy = policyWith(changes);
    const claim = honestClaim('ed25519', { policy, solution: shown });

    const verdict = admitCheaply(claim, policy);

    expect(verdict).toEqual(exists ? admit(claim, policy) : null);
  });

  it('exists if a cheap check fails before, unless all are asked for', () => {
    const policy = policyWith({ puzzle, c1: 1 });
    const claim = unsigned(honestClaim('ed25519', { policy }));

    expect(admitCheaply(claim, policy)).toEqual(admit(claim, policy));
    expect(admitCheaply(claim, policy)?.refusal).toBe('signature.invalid');
    expect(admitCheaply(claim, policy, { all: true })).toBeNull();
  });
});

describe('keys under the other scheme', () => {
  it.each([
    ['ed25519', 'secp256k1'],
    ['secp256k1', 'ed25519'],
  ] as const)('%s with a key of %s is key.encoding', (scheme, origin) => {
    const claim = { ...honestClaim(origin), scheme };

    expect(admit(claim, STRICT_POLICY).refusal).toBe('key.encoding');
  });
});

describe.each(SCHEME_NAMES)('possession, %s', (scheme) => {
  const policy = policyWith({ epoch: 3 });
  const secret = { form: 'seed', bytes: SEED } as const;
  const claim = honestClaim(scheme, { policy });
  const { sign } = schemeOf(scheme);

  it.each([
    ['no signature', new Uint8Array(64)],
    ['a signature by another key', honestClaim(scheme, { policy, seed: OTHER_SEED }).signature],
    ['a signature of another epoch', honestClaim(scheme).signature],
    [
      'a signature of another network',
      honestClaim(scheme, { policy: { ...policy, context: 'elsewhere' } }).signature,
    ],
    [
      'a signature with another solution',
      honestClaim(scheme, { policy, solution: X_OF_8_BITS }).signature,
    ],
    ['a signature of a message', sign(secret, messageBytes({ nodeId: bytesToHex(claim.nodeId) }))],
    ['a signature of the node ID alone', sign(secret, claim.nodeId)],
    ['a short signature', claim.signature.slice(1)],
    ['a long signature', concatBytes(claim.signature, Uint8Array.of(0))],
  ])('is not proved by %s', (_name, signature) => {
    const { refusal, checks } = admit({ ...claim, signature }, policy);

    expect(refusal).toBe('signature.invalid');
    expect(checks.at(-1)).toMatchObject({ check: 'signature', ok: false });
  });

  it('is proved by the claim itself, under its policy alone', () => {
    expect(admit(claim, policy).admitted).toBe(true);
    expect(admit(claim, STRICT_POLICY).refusal).toBe('signature.invalid');
  });
});

describe('all checks', () => {
  it('are made after a refusal when asked for, and the first refusal still counts', () => {
    const honest = honestClaim('ed25519');
    const claim = { ...honest, nodeId: withLastBitFlipped(honest.nodeId) };
    const policy = policyWith({ c1: 200, c2: 200 });

    const brief = admit(claim, policy);
    const full = admit(claim, policy, { all: true });

    expect(namesOf(brief)).toEqual(['nodeId']);
    expect(namesOf(full)).toEqual(CHECK_NAMES);
    expect(full.refusal).toBe(brief.refusal);
    expect(full.checks.filter(({ ok }) => ok).map(({ check }) => check)).toEqual([
      'encoding',
      'smallOrder',
      'torsion',
    ]);
  });
});

describe('every claim', () => {
  const bytes = fc.uint8Array({ maxLength: 70 });
  const honest = fc.constantFrom(...SCHEME_NAMES.map((scheme) => honestClaim(scheme)));
  const claims: fc.Arbitrary<Claim> = fc
    .record({
      base: honest,
      changes: fc.record(
        {
          scheme: fc.constantFrom(...SCHEME_NAMES),
          publicKey: bytes,
          nodeId: bytes,
          solution: fc.option(bytes),
          signature: bytes,
        },
        { requiredKeys: [] },
      ),
    })
    .map(({ base, changes }) => ({ ...base, ...changes }));
  const policies: fc.Arbitrary<Policy> = fc.record({
    c1: fc.constantFrom(0, 1, 256),
    c2: fc.constantFrom(0, 1, 256),
    dynamic: fc.constantFrom(...DYNAMIC_FORMS),
    idRule: fc.constantFrom(...ID_RULES),
    hash: fc.constantFrom(...HASH_NAMES),
    idBits: fc.constantFrom(16, 160, 256),
    salted: fc.boolean(),
    puzzle: fc.constantFrom<PuzzleFunction>(
      { function: 'hash' },
      { function: 'iterated', iterations: 3 },
      { function: 'scrypt', logN: 1, r: 1, p: 1 },
      { function: 'argon2id', passes: 1, kib: 8, lanes: 1 },
    ),
    epoch: fc.nat(),
    context: fc.string(),
    checks: fc.record(
      Object.fromEntries(CHECK_NAMES.map((name) => [name, fc.boolean()])),
    ) as fc.Arbitrary<Policy['checks']>, // fromEntries forgets the names.
    lowS: fc.boolean(),
  });

  it('gets a verdict that agrees with its own checks', () => {
    fc.assert(
      fc.property(claims, policies, fc.boolean(), (claim, policy, all) => {
        const verdict = admit(claim, policy, { all });

        const failed = verdict.checks.filter((check) => !check.ok);
        expect(verdict.admitted).toBe(failed.length === 0);
        expect(verdict.refusal).toBe(failed[0]?.code ?? null);
        expect(namesOf(verdict)).toEqual(
          checksOf(policy).filter((n) => namesOf(verdict).includes(n)),
        );
        if (!all) expect(failed.length).toBeLessThanOrEqual(1);
        for (const { code } of failed) expect(REFUSAL_CODES).toContain(code);
      }),
      { seed: 1, numRuns: 400 },
    );
  });

  it('gets the same refusal whether all checks are made or not', () => {
    fc.assert(
      fc.property(claims, policies, (claim, policy) => {
        const brief = admit(claim, policy);
        const full = admit(claim, policy, { all: true });

        expect(full.refusal).toBe(brief.refusal);
        expect(full.checks.slice(0, brief.checks.length)).toEqual(brief.checks);
      }),
      { seed: 2, numRuns: 200 },
    );
  });
});

function namesOf(verdict: Verdict): readonly string[] {
  return verdict.checks.map(({ check }) => check);
}

function withLastBitFlipped(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte));
}
