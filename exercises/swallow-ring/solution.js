import { join, run, swallow } from './playing.js';

export async function solve(client) {
  const joined = await join(client);
  await run(client, joined.path);
  await swallow(joined);
  return client.submit('swallow-ring', { type: 'elections' });
}
