import { claimsWith, nextOf } from './claims.js';

export async function solve(client) {
  const instance = await client.instance('eclipse-successors');
  const { victim, successors } = instance.given;
  const next = nextOf(instance.given);
  const claims = claimsWith(instance, successors, (id) => id > victim && id < next);
  return client.submit('eclipse-successors', { type: 'claims', claims });
}
