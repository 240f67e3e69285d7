import { leaderAt } from './leader.js';

export async function solve(client) {
  const rank = await leaderAt(client, 60);
  const pauses = [{ rank, from: 100, to: 200 }];
  return client.submit('fence-zombie', { type: 'scenario', pauses, resource: 'fencing-max' });
}
