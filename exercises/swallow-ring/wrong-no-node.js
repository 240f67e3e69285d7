import { run } from './playing.js';

/** Partitions the ring instead of joining it. */
export async function solve(client) {
  const { elections } = await client.instance('swallow-ring');
  await client.remove(elections.ring);
  const { ring } = (await client.instance('swallow-ring')).elections;
  await client.post(`${ring}/actions`, { type: 'partition', cut: 'halves' });
  await run(client, ring);
  return client.submit('swallow-ring', { type: 'elections' });
}
