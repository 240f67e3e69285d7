/**
 * @module
 * Joining with a nonce of the server: a claim that was seen elsewhere, or a nonce of another caller, does not join.
 */

import { describe, expect, it } from 'vitest';
import { NONCE_SECONDS, Nonces } from '../../../../server/claims/nonces.ts';
import { hexToBytes } from '../../../../src/bytes.ts';
import { claimToJson, createClaim } from '../../../../src/identity/claim.ts';
import { STRICT_POLICY } from '../../../../src/identity/policy.ts';
import { SEED } from '../../../identity/forged-claims.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { joiningIn } from '../joining.ts';

const lab = labUnderTest();
const { post } = lab;
const { make, enter, nodesOf } = joiningIn(lab);
const SECRET = { form: 'seed', bytes: SEED } as const;

function claimFor(nonce: string | null) {
  return claimToJson(
    createClaim({
      ...{ scheme: 'ed25519', secret: SECRET, policy: STRICT_POLICY, solution: null },
      nonce: nonce === null ? null : hexToBytes(nonce),
    }),
  );
}

async function challenge(): Promise<string> {
  const { status, json } = await post('/v1/challenges', {});
  expect(status).toBe(200);
  expect(json.expiresInS).toBe(NONCE_SECONDS);
  return String(json.nonce);
}

describe('an election with fresh claims', () => {
  const fresh = () => make({ policy: {}, freshClaims: true });

  it('lets a node join that signs a nonce of the server, once', async () => {
    const election = await fresh();
    const nonce = await challenge();

    const joined = await enter(election, claimFor(nonce), { nonce });
    const again = await enter(await fresh(), claimFor(nonce), { nonce });

    expect(election.json.freshClaims).toBe(true);
    expect(joined.status).toBe(201);
    expect(again).toMatchObject({ status: 422, json: { check: 'signature' } });
    expect(again.json.detail).toMatch(/not yours, used or too old/);
  });

  it('refuses a claim without a nonce, and one that was signed for another', async () => {
    const election = await fresh();
    const [first, second] = [await challenge(), await challenge()];

    const answers = [
      await enter(election, claimFor(null)),
      await enter(election, claimFor(first), { nonce: second }),
      await enter(election, claimFor(null), { nonce: first }),
      await enter(election, claimFor('00'.repeat(32)), { nonce: '00'.repeat(32) }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    expect(answers.map(({ json }) => json.refusal)).toEqual(Array(4).fill('signature.invalid'));
    expect(await nodesOf(election)).toHaveLength(3);
  });
});

describe('POST /v1/identities/verify with a nonce', () => {
  it('accepts the claim that signs it, and no other', async () => {
    const nonce = 'ab'.repeat(32);
    const verify = (signed: string | null, asked: string | undefined) =>
      post('/v1/identities/verify', { claim: claimFor(signed), policy: { c1: 0 }, nonce: asked });

    const answers = [
      await verify(nonce, nonce),
      await verify(null, nonce),
      await verify(nonce, undefined),
      await verify('ac'.repeat(32), nonce),
      await verify(null, undefined),
    ];

    expect(answers.map(({ json }) => json.valid)).toEqual([true, false, false, false, true]);
  });

  it('refuses a nonce of another length', async () => {
    const answer = await post('/v1/identities/verify', { claim: claimFor(null), nonce: 'ab' });

    expect(answer.status).toBe(400);
  });
});

describe('nonces', () => {
  it('are those of one caller, for a time, and used once', () => {
    let nowMs = 0;
    const nonces = new Nonces(() => nowMs);
    for (const nonce of ['a', 'b', 'c']) nonces.add('ann', nonce);

    expect(nonces.redeem('bob', 'a')).toBe(false);
    expect(nonces.redeem('ann', 'a')).toBe(true);
    expect(nonces.redeem('ann', 'a')).toBe(false);
    nowMs = 1000 * NONCE_SECONDS;
    expect(nonces.redeem('ann', 'b')).toBe(true);
    nowMs += 1;
    expect(nonces.redeem('ann', 'c')).toBe(false);
  });

  it('are bounded for each caller: the oldest is forgotten', () => {
    const nonces = new Nonces(() => 0);
    for (let index = 0; index <= 256; index += 1) nonces.add('ann', String(index));

    expect([nonces.redeem('ann', '0'), nonces.redeem('ann', '1')]).toEqual([false, true]);
  });
});
