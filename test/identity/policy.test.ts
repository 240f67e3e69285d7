/**
 * @module
 * Reading policies: the strict default, member by member, and bounds tried on both sides.
 */

import { describe, expect, it } from 'vitest';

import { LabError } from '../../src/errors.ts';
import type { CheckName, Policy } from '../../src/identity/policy.ts';
import {
  CHECK_NAMES,
  checksOf,
  parsePolicy,
  policyUnsupportedReasons,
  STRICT_POLICY,
  signatureRulesOf,
} from '../../src/identity/policy.ts';
import { policyWith, policyWithout } from './forged-claims.ts';

describe('the default policy', () => {
  it('is strict in every check', () => {
    const policy = parsePolicy({});

    expect(policy).toEqual(STRICT_POLICY);
    expect(policy.checks).toEqual(Object.fromEntries(CHECK_NAMES.map((name) => [name, true])));
    expect(policy.lowS).toBe(true);
  });

  it('asks for no work, in the form that cannot be amortised', () => {
    expect(STRICT_POLICY).toMatchObject({ c1: 0, c2: 0, dynamic: 'concat' });
  });

  it('fills in what a policy leaves out, inside checks too', () => {
    const policy = parsePolicy({ c1: 16, checks: { torsion: false } });

    expect(policy).toEqual({
      ...STRICT_POLICY,
      c1: 16,
      checks: { ...STRICT_POLICY.checks, torsion: false },
    });
  });

  it('lists its checks from the cheapest on', () => {
    expect(CHECK_NAMES).toEqual([
      'nodeId',
      'static',
      'dynamic',
      'encoding',
      'smallOrder',
      'torsion',
      'signature',
    ]);
  });
});

describe('bounds', () => {
  it.each([
    ['/c1', { c1: 0 }],
    ['/c1', { c1: 256 }],
    ['/c2', { c2: 256 }],
    ['/epoch', { epoch: 2 ** 53 - 1 }],
    ['/context', { context: '' }],
    ['/dynamic', { dynamic: 'xor' }],
    ['/dynamic', { dynamic: 'unhashed', c2: 256 }],
    ['/idRule', { idRule: 'storj', c1: 36 }],
    ['/idRule', { idRule: 'yggdrasil' }],
    ['/hash', { hash: 'sha1', c1: 160, c2: 160 }],
    ['/idBits', { idBits: 16, dynamic: 'xor', c2: 16 }],
    ['/idBits', { idBits: 16, c2: 256 }],
    ['/idBits', { idBits: 160, hash: 'sha1' }],
    ['/idBits', { idBits: 256, hash: 'sha1' }],
    ['/idRule', { idRule: 'slow', puzzle: { function: 'iterated', iterations: 1 } }],
    ['/salted', { salted: true }],
    ['/puzzle', { puzzle: { function: 'hash' } }],
    ['/puzzle', { puzzle: { function: 'iterated', iterations: 1 } }],
    ['/puzzle', { puzzle: { function: 'iterated', iterations: 1_000_000 } }],
    ['/puzzle', { puzzle: { function: 'scrypt', logN: 15, r: 16, p: 2 } }],
    ['/puzzle', { puzzle: { function: 'scrypt', logN: 1, r: 1, p: 1 } }],
    ['/puzzle', { puzzle: { function: 'argon2id', passes: 2, kib: 65_536, lanes: 16 } }],
    ['/puzzle', { puzzle: { function: 'argon2id', passes: 1, kib: 8, lanes: 1 } }],
    ['/puzzle', { hash: 'sha1', puzzle: { function: 'scrypt', logN: 1, r: 1, p: 1 }, c1: 256 }],
  ])('accepts %s of %j', (_pointer, json) => {
    expect(parsePolicy(json)).toMatchObject(json);
  });

  it.each([
    ['/c1', { c1: -1 }],
    ['/c1', { c1: 257 }],
    ['/c1', { c1: 8.5 }],
    ['/c1', { c1: '8 bits' }],
    ['/c1', { c1: '2^9' }],
    ['/c1', { c1: null }],
    ['/c2', { c2: 257 }],
    ['/c2', JSON.parse('{"c2":1e400}')],
    ['/epoch', { epoch: -1 }],
    ['/epoch', { epoch: 2 ** 53 }],
    ['/epoch', { epoch: 0.5 }],
    ['/context', { context: 'caf\u00e9' }],
    ['/context', { context: 'a\u0000b' }],
    ['/context', { context: 'a\nb' }],
    ['/context', { context: 'a\u007fb' }],
    ['/context', { context: 7 }],
    ['/dynamic', { dynamic: 'CONCAT' }],
    ['/dynamic', { dynamic: '__proto__' }],
    ['/idRule', { idRule: 'STORJ' }],
    ['/hash', { hash: 'md5' }],
    ['/idBits', { idBits: 8 }],
    ['/idBits', { idBits: 264 }],
    ['/idBits', { idBits: 20 }],
    ['/salted', { salted: 1 }],
    ['/puzzle', { puzzle: 'scrypt' }],
    ['/puzzle/function', { puzzle: { function: 'bcrypt' } }],
    ['/puzzle/iterations', { puzzle: { function: 'iterated' } }],
    ['/puzzle/iterations', { puzzle: { function: 'iterated', iterations: 0 } }],
    ['/puzzle/iterations', { puzzle: { function: 'iterated', iterations: 1_000_001 } }],
    ['/puzzle/r', { puzzle: { function: 'iterated', iterations: 1, r: 8 } }],
    ['/puzzle/logN', { puzzle: { function: 'scrypt', logN: 16, r: 1, p: 1 } }],
    ['/puzzle', { puzzle: { function: 'scrypt', logN: 15, r: 17, p: 1 } }],
    ['/puzzle', { puzzle: { function: 'scrypt', logN: 15, r: 16, p: 3 } }],
    ['/puzzle/kib', { puzzle: { function: 'argon2id', passes: 1, kib: 65_537, lanes: 1 } }],
    ['/puzzle/kib', { puzzle: { function: 'argon2id', passes: 1, kib: 15, lanes: 2 } }],
    ['/puzzle', { puzzle: { function: 'argon2id', passes: 3, kib: 65_536, lanes: 1 } }],
    ['/c1', { hash: 'sha1', c1: 161 }],
    ['/c1', { hash: 'sha1', c1: 256 }],
    ['/c2', { hash: 'sha1', c2: 161 }],
    ['/c2', { idBits: 16, dynamic: 'xor', c2: 17 }],
    ['/c2', { idBits: 16, dynamic: 'unhashed', c2: 17 }],
    ['/idBits', { idBits: 168, hash: 'sha1' }],
    ['/puzzle', { idRule: 'slow' }],
    ['/hash', { idRule: 'storj', hash: 'sha1' }],
    ['/idBits', { idRule: 'yggdrasil', idBits: 128 }],
    ['/salted', { idRule: 'storj', salted: true }],
    ['/puzzle', { idRule: 'yggdrasil', puzzle: { function: 'iterated', iterations: 2 } }],
    ['/lowS', { lowS: 1 }],
    ['/checks', { checks: true }],
    ['/checks/torsion', { checks: { torsion: 'false' } }],
    ['/checks/speed', { checks: { speed: false } }],
    ['/target', { target: 0 }],
    ['', []],
    ['', null],
    ['', 'strict'],
  ])('refuses at %s: %j', (pointer, json) => {
    expect(pointersOf(json)).toEqual([pointer]);
  });

  it.each([
    [{ hash: 'sha1', c1: 161 }, 'must be at most 160 bits under the rest of this policy'],
    [
      { puzzle: { function: 'scrypt', logN: 15, r: 17, p: 1 } },
      'asks for 128·2^logN·r bytes, 69632 KiB: lower logN or r to 65536 KiB',
    ],
    [
      { puzzle: { function: 'scrypt', logN: 15, r: 16, p: 3 } },
      'asks for 4·2^logN·r·p = 6291456 Salsa20/8 cores: lower logN, r or p to 4194304',
    ],
    [
      { puzzle: { function: 'argon2id', passes: 1, kib: 15, lanes: 2 } },
      'must be at least 8 KiB for each lane, 16',
    ],
    [
      { puzzle: { function: 'argon2id', passes: 3, kib: 65_536, lanes: 1 } },
      'asks for passes·kib = 196608 blocks: lower passes or kib to 131072',
    ],
    [
      { idRule: 'slow' },
      'must be iterated, scrypt or argon2id under the slow rule; with a hash it is the rule hash',
    ],
    [
      { idRule: 'storj', hash: 'sha1' },
      'must be sha256 under the storj rule, which settles it by itself',
    ],
    [
      { idRule: 'yggdrasil', puzzle: { function: 'iterated', iterations: 2 } },
      'must be {"function":"hash"} under the yggdrasil rule, which settles it by itself',
    ],
    [{ hash: 'sha1', idBits: 168 }, 'must be at most 160, the bits of sha1; 256 cuts nothing'],
  ])('says what would be right in place of %j', (json, message) => {
    expect(faultsOf(json).map(({ detail }) => detail)).toEqual([message]);
  });

  it('says what it is not, and its first fault, in one line', () => {
    expect(() => parsePolicy({ hash: 'sha1', c1: 161 })).toThrow(
      'this is not a policy: /c1 must be at most 160 bits under the rest of this policy',
    );
  });

  it('takes a context of 256 characters and refuses one of 257', () => {
    const context = ' ~'.repeat(128);

    expect(parsePolicy({ context }).context).toBe(context);
    expect(pointersOf({ context: `${context}a` })).toEqual(['/context']);
  });
});

describe('the checks of a policy', () => {
  const puzzle = { function: 'iterated', iterations: 2 } as const;
  const cheap: CheckName[] = ['nodeId', 'encoding', 'smallOrder', 'torsion', 'signature'];
  const withoutId = cheap.slice(1);

  it.each<[string, Partial<Policy>, readonly CheckName[]]>([
    ['all, although they require no bits', {}, CHECK_NAMES],
    ['slow puzzles last', { puzzle, c1: 1, c2: 1 }, [...cheap, 'dynamic', 'static']],
    ['no slow static puzzle without bits', { puzzle, c2: 1 }, [...cheap, 'dynamic']],
    ['no slow dynamic puzzle without bits', { puzzle, c1: 1 }, [...cheap, 'static']],
    ['no slow puzzle without bits', { puzzle }, cheap],
    ['a slow ID last', { puzzle, idRule: 'slow' }, ['static', ...withoutId, 'dynamic', 'nodeId']],
    [
      'what is not switched off',
      { puzzle, c1: 1, c2: 1, checks: policyWithout('dynamic', 'torsion').checks },
      ['nodeId', 'encoding', 'smallOrder', 'signature', 'static'],
    ],
  ])('are %s', (_name, changes, checks) => {
    expect(checksOf(policyWith(changes))).toEqual(checks);
  });

  it('decide how signatures are verified', () => {
    const rules = [policyWith({}), policyWithout('encoding'), policyWithout('smallOrder')].map(
      signatureRulesOf,
    );

    expect(rules.map(({ strict }) => strict)).toEqual([true, false, false]);
    expect(signatureRulesOf(policyWith({ lowS: false }))).toEqual({ strict: true, lowS: false });
  });
});

describe('a policy beside a scheme', () => {
  it.each([
    ['yggdrasil', 'ed25519', 0],
    ['yggdrasil', 'secp256k1', 1],
    ['storj', 'secp256k1', 0],
    ['hash', 'secp256k1', 0],
  ] as const)('of the %s rule and %s has %d unsupported reasons', (idRule, scheme, count) => {
    const unsupportedReasons = policyUnsupportedReasons({ ...STRICT_POLICY, idRule }, scheme);

    expect(unsupportedReasons.map(({ path }) => path)).toEqual(Array(count).fill(['scheme']));
  });

  it('says what would be right', () => {
    const [unsupportedReason] = policyUnsupportedReasons(
      { ...STRICT_POLICY, idRule: 'yggdrasil' },
      'secp256k1',
    );

    expect(unsupportedReason?.message).toBe(
      'must be ed25519 under the yggdrasil rule, whose node IDs are Ed25519 keys',
    );
  });
});

function pointersOf(json: unknown): readonly string[] {
  return faultsOf(json).map(({ pointer }) => pointer);
}

function faultsOf(json: unknown): LabError['faults'] {
  try {
    parsePolicy(json);
  } catch (error) {
    if (error instanceof LabError && error.code === 'schema') return error.faults;
    throw error;
  }
  throw new Error('the policy was accepted');
}
