import { leaderAt } from './leader.js';

/** Resumes before the lease has expired. */
export async function solve(client) {
  const rank = await leaderAt(client, 60);
  const pauses = [{ rank, from: 100, to: 110 }];
  return client.submit('fence-zombie', { type: 'scenario', pauses, resource: 'fencing-max' });
}
