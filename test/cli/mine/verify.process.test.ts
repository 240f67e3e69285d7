/**
 * @module
 * `usurp verify` with bare lines of real networks, and the flags that spell a policy.
 */

import { describe, expect, it } from 'vitest';

import { claimToJson, createClaim } from '../../../src/identity/claim.ts';
import { staticBits } from '../../../src/identity/ids/node-id.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../../src/identity/named-policies.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { parsed, usurp } from '../shell.ts';

const US1 = '12EayRS2V1kEsWESU9QMRseFhdxYxKicsiFmxrsLZHeLUtdps3S';
const SPKI =
  '3059301306072a8648ce3d020106082a8648ce3d0301070342000487c9d05e3e55c323a624dae5a6926162645534db' +
  'e584a303310651ae89bab6b7b506860dce89b6c7df34c1e981f3ae1170f417a72524a4c9e5f56784ede01dfb';
const PEER = '00000000000da547036a01860a9e3a0476a525415801ec34f4e5b59fd6055b88';
/** A + T of RFC 8032 TEST 1, T of order 8. */
const SIBLING = '9158312a9a8d6e3b34c891d6d61444f8b8211c5117ebad15bdb0bd68b07e0245';

describe('a bare line under --policy storj', () => {
  it('may be a node ID in text form', async () => {
    const printed = await verify(['--policy', 'storj', '--c1', '30', '--json'], `${US1}\n`);

    expect(printed.code).toBe(0);
    expect(parsed(printed)).toEqual({
      valid: true,
      checks: [{ check: 'static', ok: true, requiredBits: 30, measuredBits: 30 }],
      idRule: 'storj',
      nodeId: 'a28b4f04e10bae85d67f4c6cb82bf8d4c0f0f47a8ea72627524deb6ec0000000',
      text: US1,
      nominalBits: 30,
      workBits: 22,
    });
  });

  it('may be a SubjectPublicKeyInfo in hex', async () => {
    const printed = await verify(['--policy', 'storj', '--c1', '22', '--json'], SPKI);

    expect(printed.code).toBe(0);
    expect(parsed(printed)).toMatchObject({
      text: '12Hse11Xu2HPCoLq4B7Q8Ub2jK8vjv15pFmgeo4jPmS9tpUw6Jv',
      nominalBits: 22,
      workBits: 14,
    });
  });

  it.each([
    ['30', 0],
    ['31', 1],
  ])('is decided by --c1 %s: exit %d', async (c1, code) => {
    expect((await verify(['--policy', 'storj', '--c1', c1], US1)).code).toBe(code);
  });

  it('must have the 36 bits of the network by default, in a table too', async () => {
    const printed = await verify(['--policy', 'storj'], US1);

    expect(printed.code).toBe(1);
    expect(printed.stdout).toMatch(/^invalid: pow\.insufficient\n/);
    expect(printed.stdout).toContain('30 bits, 36 required');
    expect(printed.stdout).toMatch(/real work +22 bits/);
    expect(printed.stdout).toMatch(/text form +12EayRS2V1/);
  });
});

describe('a bare line under --policy yggdrasil', () => {
  it('is a key, whose address is printed', async () => {
    const printed = await verify(['--policy', 'yggdrasil', '--c1', '44', '--json'], PEER);

    expect(printed.code).toBe(0);
    expect(parsed(printed)).toMatchObject({
      valid: true,
      idRule: 'yggdrasil',
      nodeId: PEER,
      address: '22c:4b57:1f92:bfcf:3eac:38bf:712b:5b57',
      nominalBits: 44,
      workBits: 44,
    });
  });

  it('is refused one bit above', async () => {
    const printed = await verify(['--policy', 'yggdrasil', '--c1', '45', '--json'], PEER);

    expect(printed.code).toBe(1);
    expect(parsed(printed).checks.at(-1)).toMatchObject({ code: 'pow.insufficient' });
  });

  it('is refused only if a network checks its keys, which Yggdrasil does not', async () => {
    const strict = await verify(['--id-rule', 'yggdrasil', '--json'], SIBLING);
    const weak = await verify(['--policy', 'yggdrasil'], SIBLING);

    expect(strict.code).toBe(1);
    expect(parsed(strict).checks.at(-1)).toMatchObject({ code: 'key.not_torsion_free' });
    expect(weak.code).toBe(0);
  });
});

describe('a line of another form', () => {
  it.each([
    ['a Storj ID with a slip', ['--policy', 'storj'], `${US1.slice(0, -1)}T`, 'base58check'],
    ['hex in capitals', ['--policy', 'storj'], SPKI.toUpperCase(), 'lower-case'],
    ['a key that is cut', ['--policy', 'storj'], SPKI.slice(0, -2), 'DER SEQUENCE'],
    ['a key of 31 bytes', ['--policy', 'yggdrasil'], PEER.slice(2), '64 lower-case'],
    ['a Storj ID under another rule', ['--policy', 'yggdrasil'], US1, '64 lower-case'],
    ['a Storj ID without a policy', [], US1, '--policy storj'],
    ['a key without a policy', ['--policy', 'strict'], PEER, '--policy yggdrasil'],
    ['a megabyte', ['--policy', 'storj'], 'z'.repeat(1_000_000), '1000000 characters'],
  ])('is refused: %s', async (_what, flags, line, words) => {
    const printed = await verify(flags, line);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('stdin');
    expect(printed.stderr).toContain(words);
  });
});

describe('flags', () => {
  it.each(POLICY_NAMES)('--policy %s is what a claim made for it meets', async (name) => {
    const { policy } = NAMED_POLICIES[name];
    const easy = { ...policy, c1: 0, c2: 0 };

    const flags = ['--policy', name, '--c1', '0', '--c2', '0'];
    const printed = await verify(flags, JSON.stringify(claimUnder(easy)));

    expect(printed.code).toBe(0);
  });

  it.each<[readonly string[], Partial<Policy>]>([
    [['--hash', 'sha1'], { hash: 'sha1' }],
    [['--id-bits', '32'], { idBits: 32 }],
    [['--id-rule', 'storj'], { idRule: 'storj' }],
    [['--salted', '--epoch', '3'], { salted: true, epoch: 3 }],
    [['--policy', 'sha1', '--c1', '0', '--hash', 'sha256'], { hash: 'sha256' }],
    // A slow puzzle that requires no bits is not evaluated.
    [
      ['--puzzle', 'iterated:7', '--c1', '1'],
      { c1: 1, puzzle: { function: 'iterated', iterations: 7 } },
    ],
    [
      ['--puzzle', 'scrypt:4:2:1', '--c1', '1'],
      { c1: 1, puzzle: { function: 'scrypt', logN: 4, r: 2, p: 1 } },
    ],
    [
      ['--puzzle', 'argon2id:1:16:2', '--c1', '1'],
      { c1: 1, puzzle: { function: 'argon2id', passes: 1, kib: 16, lanes: 2 } },
    ],
    [['--policy', 'scrypt', '--c1', '0', '--puzzle', 'hash'], { puzzle: { function: 'hash' } }],
  ])('%j measure what the policy says', async (flags, members) => {
    const policy = { ...STRICT_POLICY, ...members };
    const claim = claimUnder(policy);

    const printed = await verify([...flags, '--json'], JSON.stringify(claim));

    const measuredBits = staticBits(Buffer.from(claim.nodeId, 'hex'), policy);
    const made = parsed(printed).checks.find(({ check }: { check: string }) => check === 'static');
    expect(printed.code).toBe(measuredBits >= policy.c1 ? 0 : 1);
    expect(made).toMatchObject({ check: 'static', measuredBits });
  });

  it('--dynamic unhashed lets the node ID solve its own puzzle', async () => {
    const policy = { ...STRICT_POLICY, dynamic: 'unhashed', c2: 200 } as const;
    const claim = claimUnder(policy, Buffer.from(claimUnder(policy).nodeId, 'hex'));

    const flags = ['--dynamic', 'unhashed', '--c2', '200'];
    const printed = await verify(flags, JSON.stringify(claim));

    expect(printed.code).toBe(0);
  });

  it('leave the JSON of a claim as it was', async () => {
    const printed = await verify(['--json'], JSON.stringify(claimUnder(STRICT_POLICY)));

    expect(Object.keys(parsed(printed))).toEqual(['valid', 'checks']);
  });

  it.each([
    ['--policy', 'unknown', 'strict, xor-dynamic'],
    ['--hash', 'md5', 'sha256, sha1'],
    ['--id-rule', 'bitcoin', 'storj, yggdrasil'],
    ['--id-bits', '8', '16..256'],
    ['--id-bits', '20', 'multiple of 8'],
    ['--dynamic', 'and', 'unhashed'],
    ['--puzzle', 'scrypt:10', 'scrypt:10:8:1'],
    ['--puzzle', 'iterated:-1', 'iterated:1000'],
    ['--puzzle', 'iterated:0', '1..1000000'],
    ['--puzzle', 'scrypt:15:64:1', '65536 KiB'],
    ['--puzzle', 'argon2id:64:65536:1', '131072'],
    ['--puzzle', 'bcrypt:1', 'argon2id'],
  ])('%s %s is refused with what would be right', async (flag, value, words) => {
    const printed = await verify([flag, value], JSON.stringify(claimUnder(STRICT_POLICY)));

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(words);
  });

  it('that contradict each other are refused', async () => {
    const printed = await verify(['--policy', 'storj', '--hash', 'sha1'], US1);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('/hash must be sha256 under the storj rule');
  });
});

function verify(flags: readonly string[], stdin: string) {
  return usurp(['verify', '-', ...flags], stdin);
}

function claimUnder(policy: Policy, solution: Uint8Array | null = null) {
  const secret = { form: 'seed', bytes: new Uint8Array(32).fill(9) } as const;
  const claim = createClaim({ scheme: 'ed25519', secret, policy, solution });
  return claimToJson(claim);
}
