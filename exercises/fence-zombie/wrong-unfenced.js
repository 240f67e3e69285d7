import { leaderAt } from './leader.js';

/** Trusts the lease alone. */
export async function solve(client) {
  const { given } = await client.instance('fence-zombie');
  const rank = await leaderAt(client, 60);
  const pauses = [{ rank, from: given.from, to: given.resumes[1] }];
  return client.submit('fence-zombie', { type: 'scenario', pauses, resource: 'unfenced' });
}
