import { claimsWith, isClosest } from './claims.js';

/** Takes IDs that begin like the key. Honest ones are as close or closer. */
export async function solve(client) {
  const instance = await client.instance('eclipse-key');
  const { given } = instance;
  const claims = claimsWith(instance, (id) => id[0] === given.key[0] && !isClosest(given, id));
  return client.submit('eclipse-key', { type: 'claims', claims });
}
