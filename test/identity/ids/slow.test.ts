/**
 * @module
 * Node IDs made by a slow function, against the functions of node:crypto, and the order of checks.
 */

import { createHash, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { leadingZeroBits } from '../../../src/bytes.ts';
import { admit, admitCheaply } from '../../../src/identity/admit.ts';
import { createClaim } from '../../../src/identity/claim.ts';
import { nodeIdOf, staticBits } from '../../../src/identity/ids/node-id.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import { NAMED_POLICIES } from '../../../src/identity/named-policies.ts';
import { checksOf, policyUnsupportedReasons, STRICT_POLICY } from '../../../src/identity/policy.ts';

const { policy } = NAMED_POLICIES['scrypt-id'];
const secret = { form: 'seed', bytes: new Uint8Array(32).fill(7) } as const;
const publicKey = schemeOf('ed25519').publicKeyOf(secret);

describe('a slow node ID', () => {
  it('is the output of the function, and its puzzle is one hash', () => {
    const nodeId = nodeIdOf(publicKey, policy);

    const salt = Buffer.from('usurp/puzzle/v1\0');
    expect(Buffer.from(nodeId)).toEqual(scryptSync(publicKey, salt, 32, { N: 1024, r: 8, p: 1 }));
    const digest = createHash('sha256').update(nodeId).digest();
    expect(staticBits(nodeId, policy)).toBe(leadingZeroBits(digest));
  });

  it('is cut, and its puzzle is salted, as with the rule hash', () => {
    const cut = nodeIdOf(publicKey, { ...policy, idBits: 64 });

    expect(cut).toEqual(nodeIdOf(publicKey, policy).slice(0, 8));
    expect(staticBits(cut, { ...policy, salted: true })).toBe(
      staticBits(cut, { ...STRICT_POLICY, salted: true }),
    );
  });

  it('is checked last, so that a false claim first has to meet the puzzle', () => {
    const easy = { ...policy, c1: 0 };
    const claim = createClaim({
      scheme: 'ed25519',
      secret,
      publicKey,
      policy: easy,
      solution: null,
    });
    const other = { ...claim, nodeId: new Uint8Array(32).fill(9) };

    expect(checksOf(policy).at(-1)).toBe('nodeId');
    expect(admit(claim, easy).admitted).toBe(true);
    expect(admitCheaply(claim, easy)).toBeNull();
    expect(admitCheaply(other, { ...policy, c1: 200 })?.refusal).toBe('pow.insufficient');
    const checks = { ...easy.checks, signature: false };
    expect(admit(other, { ...easy, checks }).checks.at(-1)).toMatchObject({
      code: 'id.mismatch',
      detail: expect.stringMatching(
        /^the first 256 bits of scrypt\(public key\) is [0-9a-f]{64}, /,
      ),
    });
  });

  it('needs a slow function', () => {
    const reasons = policyUnsupportedReasons({ ...policy, puzzle: { function: 'hash' } });

    expect(reasons.map(({ path }) => path)).toEqual([['puzzle']]);
  });
});
