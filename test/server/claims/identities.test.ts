/**
 * @module
 * Questions about claims: a verdict for a well-formed one, 400 with a pointer for any other.
 */

import { describe, expect, it } from 'vitest';

import { hexToBytes } from '../../../src/bytes.ts';
import type { ClaimJson } from '../../../src/identity/claim.ts';
import { claimToJson, createClaim } from '../../../src/identity/claim.ts';
import { NAMED_POLICIES } from '../../../src/identity/named-policies.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { labUnderTest } from '../lab-under-test.ts';

const { post } = labUnderTest();
const VERIFY = '/v1/identities/verify';
const verify = (body: unknown) => post(VERIFY, body);

/** Secret 1 of each scheme. The tests do not depend on the work of these IDs. */
function honestClaim(scheme: 'ed25519' | 'secp256k1'): ClaimJson {
  const bytes = hexToBytes('01'.padStart(64, '0'));
  const secret = { form: 'seed', bytes } as const;
  return claimToJson(createClaim({ scheme, secret, policy: STRICT_POLICY, solution: null }));
}

const ed25519 = honestClaim('ed25519');
const secp256k1 = honestClaim('secp256k1');
const FREE = { c1: 0 };

describe('POST /v1/identities/verify', () => {
  it.each([ed25519, secp256k1])('answers that an honest $scheme claim is valid', async (claim) => {
    const answer = await verify({ claim, policy: FREE });

    expect(answer).toMatchObject({ status: 200, json: { valid: true } });
    expect(answer.json.checks).toContainEqual({ check: 'signature', ok: true });
  });

  it('uses the policy of the server by default', async () => {
    const { json } = await verify({ claim: ed25519, all: true });

    expect(json.checks).toContainEqual(
      expect.objectContaining({ check: 'static', requiredBits: 2 }),
    );
  });

  it('checks a claim under a slow puzzle, the puzzle after the signature', async () => {
    const slow = { c1: 30, puzzle: { function: 'iterated', iterations: 10_000 } };

    const answer = await verify({ claim: ed25519, policy: slow });

    expect(answer.status).toBe(200);
    expect(answer.json.checks).toMatchObject(
      ['nodeId', 'encoding', 'smallOrder', 'torsion', 'signature', 'static'].map((check) => ({
        check,
      })),
    );
  });

  it('takes a named policy', async () => {
    const named = await verify({ claim: ed25519, policy: 'xor-dynamic' });
    const whole = await verify({ claim: ed25519, policy: NAMED_POLICIES['xor-dynamic'].policy });
    const unknown = await verify({ claim: ed25519, policy: 'xor' });

    expect(named.json.valid).toBe(false);
    expect(named.json).toEqual(whole.json);
    expect(unknown.status).toBe(400);
    expect(unknown.json.errors).toMatchObject([{ pointer: '#/policy' }]);
  });

  it('refuses a policy whose puzzle takes longer than a second', async () => {
    const slow = { puzzle: { function: 'iterated', iterations: 2_000_000 } };

    const answer = await verify({ claim: ed25519, policy: slow });

    expect(answer.status).toBe(400);
    expect(answer.json.errors).toMatchObject([{ pointer: '#/policy/puzzle/iterations' }]);
  });

  it('accepts a bare claim like a question without a policy', async () => {
    const bare = await verify(ed25519);
    const question = await verify({ claim: ed25519 });

    expect(bare.status).toBe(200);
    expect(bare.json).toEqual(question.json);
  });

  it('answers a repeated text as before, and still refuses a request with another fault', async () => {
    const question = JSON.stringify({ claim: ed25519, policy: FREE });
    const send = (path: string, headers: Record<string, string> = {}) =>
      post(path, question, headers);
    const first = await send(VERIFY);

    const again = await send(VERIFY);
    const respelt = await post(VERIFY, JSON.stringify(JSON.parse(question), null, 2));
    const misspelt = await send(`${VERIFY}?al=true`);
    const asText = await send(VERIFY, { 'Content-Type': 'text/plain' });

    expect([again.text, respelt.text]).toEqual([first.text, first.text]);
    expect(again.status).toBe(200);
    expect(again.headers.get('Content-Type')).toBe(first.headers.get('Content-Type'));
    expect([misspelt.status, asText.status]).toEqual([400, 415]);
  });

  it('compares a known text with its Idempotency-Key', async () => {
    const known = JSON.stringify({ claim: ed25519, policy: FREE });
    const headers = { 'Idempotency-Key': 'one' };
    await post(VERIFY, known);
    await post(VERIFY, { claim: secp256k1, policy: FREE }, headers);

    const answer = await post(VERIFY, known, headers);

    expect(answer).toMatchObject({ status: 422, json: { code: 'idempotency.mismatch' } });
  });

  it('stops at the first refusal, or makes every check on request', async () => {
    const claim = { ...ed25519, nodeId: `${'0'.repeat(63)}1` };

    const first = await verify({ claim, policy: FREE });
    const all = await verify({ claim, policy: FREE, all: true });

    expect(first.json).toMatchObject({
      valid: false,
      checks: [{ check: 'nodeId', ok: false, code: 'id.mismatch' }],
    });
    expect(all.json.checks).toHaveLength(6);
  });

  it('states the required and the measured bits of the work', async () => {
    const answer = await verify({ claim: ed25519, policy: { c1: 60 } });

    expect(answer.json).toMatchObject({ valid: false });
    expect(answer.json.checks).toContainEqual(
      expect.objectContaining({
        check: 'static',
        ok: false,
        code: 'pow.insufficient',
        requiredBits: 60,
      }),
    );
  });

  it.each([
    ['a small-order key', '00'.repeat(32)],
    ['a non-canonical key', 'ff'.repeat(32)],
    ['an uncompressed key', `04${'11'.repeat(64)}`],
    ['a key of the other scheme', secp256k1.publicKey],
  ])('answers 200 with a verdict for %s', async (_name, publicKey) => {
    const policy = { c1: 0, checks: { nodeId: false } };

    const answer = await verify({ claim: { ...ed25519, publicKey }, policy });

    expect(answer).toMatchObject({ status: 200, json: { valid: false } });
  });

  it.each([
    ['publicKey', ''],
    ['publicKey', 'ab'.repeat(31)],
    ['publicKey', 'ab'.repeat(64)],
    ['publicKey', ed25519.publicKey.slice(1)],
    ['publicKey', ed25519.publicKey.toUpperCase()],
    ['publicKey', `0x${ed25519.publicKey.slice(2)}`],
    ['publicKey', ` ${ed25519.publicKey.slice(1)}`],
    ['publicKey', Buffer.from(ed25519.publicKey, 'hex').toString('base64')],
    ['publicKey', null],
    ['publicKey', 5],
    ['publicKey', [1, 2]],
    ['scheme', 'ED25519'],
    ['scheme', '__proto__'],
    ['scheme', 'constructor'],
    ['scheme', ''],
    ['nodeId', 'ab'.repeat(34)],
    ['solution', 1],
    ['solution', '1'],
    ['solution', -1],
    ['solution', 1.5],
    ['solution', 2 ** 53 - 1],
    ['solution', 'ab'.repeat(34)],
    ['signature', ''],
    ['signature', 'ab'],
    ['signature', 'ab'.repeat(63)],
    ['signature', 'ab'.repeat(65)],
    ['signature', null],
    ['signature', [1, 2, 3]],
  ])(
    'refuses %s = %j with the code schema and points at it, bare or not',
    async (member, value) => {
      const claim = { ...ed25519, [member]: value };

      const question = await verify({ claim });
      const bare = await verify(claim);

      expect(question).toMatchObject({
        status: 400,
        json: { code: 'schema', errors: [{ pointer: `#/claim/${member}` }] },
      });
      expect(bare).toMatchObject({
        status: 400,
        json: { code: 'schema', errors: [{ pointer: `#/${member}` }] },
      });
    },
  );

  it.each(['target', 'role', 'score', 'id', 'createdAt', 'admitted'])(
    'refuses the unknown member %s',
    async (member) => {
      const inClaim = await verify({ claim: { ...ed25519, [member]: 0 } });
      const inQuestion = await verify({ claim: ed25519, [member]: 0 });

      expect(inClaim.json).toMatchObject({ errors: [{ pointer: `#/claim/${member}` }] });
      expect(inQuestion.json).toMatchObject({ errors: [{ pointer: `#/${member}` }] });
    },
  );

  it.each([
    [{ c1: 257 }, '#/policy/c1'],
    [{ c1: -1 }, '#/policy/c1'],
    [{ c1: 1.5 }, '#/policy/c1'],
    [{ c1: '1 bit' }, '#/policy/c1'],
    [{ checks: { none: true } }, '#/policy/checks/none'],
    [{ context: 'é' }, '#/policy/context'],
    [{ epoch: -1 }, '#/policy/epoch'],
  ])('refuses the policy %j', async (policy, pointer) => {
    const answer = await verify({ claim: ed25519, policy });

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema', errors: [{ pointer }] } });
  });
});

describe('a policy by its name', () => {
  it('is accepted wherever a request has a policy, as its members are', async () => {
    const lab = labUnderTest();
    const { policy } = (await lab.call('GET', '/v1/policies/storj')).json;
    const election = { protocol: 'bully-oneshot', nodes: 3, honest: 'drawn', policy: 'storj' };

    const made = await lab.post('/v1/elections', election);
    const forged = await lab.post('/v1/forgeries', { policy: 'storj', seed: '1' });
    const wrong = await lab.post('/v1/elections', { ...election, policy: 'stroj' });

    expect(made).toMatchObject({ status: 201, json: { policy } });
    expect(forged.status).toBe(202);
    expect(wrong).toMatchObject({ status: 400, json: { errors: [{ pointer: '#/policy' }] } });
  });
});

it('a repeated request for a nonce with an Idempotency-Key has the same answer', async () => {
  const lab = labUnderTest();
  const ask = async (key: string) => {
    const headers = { 'Idempotency-Key': key };
    const { status, json } = await lab.call('POST', '/v1/challenges', { headers });
    expect(status).toBe(200);
    return json.nonce;
  };

  const [first, again, other] = [await ask('a'), await ask('a'), await ask('b')];

  expect(again).toBe(first);
  expect(other).not.toBe(first);
});
