import { leaderAt } from './leader.js';

/** Resumes before the lease has expired. */
export async function solve(client) {
  const { given } = await client.instance('fence-zombie');
  const rank = await leaderAt(client, 60);
  const pauses = [{ rank, from: given.from, to: given.resumes[0] }];
  return client.submit('fence-zombie', { type: 'scenario', pauses, resource: 'fencing-max' });
}
