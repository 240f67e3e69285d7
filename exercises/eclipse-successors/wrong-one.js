import { claimsWith, nextOf } from './claims.js';

/** Becomes only the first successor. */
export async function solve(client) {
  const instance = await client.instance('eclipse-successors');
  const { victim } = instance.given;
  const next = nextOf(instance.given);
  const claims = claimsWith(instance, 1, (id) => id > victim && id < next);
  return client.submit('eclipse-successors', { type: 'claims', claims });
}
