import { claimsWith, nextOf } from './claims.js';

/** Takes positions behind the honest successor. */
export async function solve(client) {
  const instance = await client.instance('eclipse-successors');
  const next = nextOf(instance.given);
  const claims = claimsWith(instance, instance.given.successors, (id) => id > next);
  return client.submit('eclipse-successors', { type: 'claims', claims });
}
