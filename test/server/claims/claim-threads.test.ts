/**
 * @module
 * Checks of claims in threads: they give the verdicts of the gate, and a failed thread is replaced.
 */

import { afterAll, describe, expect, it } from 'vitest';

import { ClaimChecks } from '../../../server/claims/claim-checks.ts';
import { ClaimThreads } from '../../../server/claims/claim-threads.ts';
import { hexToBytes } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import type { Claim } from '../../../src/identity/claim.ts';
import { createClaim } from '../../../src/identity/claim.ts';
import type { SchemeName } from '../../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';

const threads = new ClaimThreads(1);
const checks = new ClaimChecks({ verifiers: threads, nowMs: () => 0 });
afterAll(() => checks.close());

function honestClaim(scheme: SchemeName): Claim {
  const secret = { form: 'seed', bytes: hexToBytes('01'.padStart(64, '0')) } as const;
  return createClaim({ scheme, secret, policy: STRICT_POLICY, solution: null });
}

const honest = honestClaim('ed25519');

describe('threads that check claims', () => {
  it.each<[string, Claim]>([
    ['an honest ed25519 claim', honest],
    ['an honest secp256k1 claim', honestClaim('secp256k1')],
    ['a false signature', { ...honest, signature: new Uint8Array(64) }],
    ['a key of small order', { ...honest, publicKey: new Uint8Array(32) }],
    ['a solution of one byte too many', { ...honest, solution: new Uint8Array(33) }],
  ])('give the verdict of the gate on %s', async (_name, claim) => {
    const verdict = await checks.admit(claim, STRICT_POLICY, { all: true });

    expect(verdict).toEqual(admit(claim, STRICT_POLICY, { all: true }));
  });

  it('are replaced when one fails, which only its own questions notice', async () => {
    const failed = threads.check([JSON.parse('{}')]);

    await expect(failed).rejects.toThrow(TypeError);
    const verdict = await checks.admit(honest, { ...STRICT_POLICY, epoch: 1 });

    expect(verdict).toMatchObject({ admitted: false, refusal: 'signature.invalid' });
  });
});
