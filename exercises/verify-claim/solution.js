import { firstFailure } from './checks.js';

export async function solve(client) {
  const instance = await client.instance('verify-claim');
  const checks = instance.given.claims.map(({ label, claim }) => {
    return { claim: label, ...firstFailure(claim, instance) };
  });
  return client.submit('verify-claim', { type: 'checks', checks });
}
